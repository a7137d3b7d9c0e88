package queries

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// feeds answer which keys they name.
type feeds struct {
	Host
	mu    sync.Mutex
	names map[string]string // fingerprints, by channel; "down": the server does not answer
	asked int
	most  int // at a time
	now   int
}

func (f *feeds) Spread(context.Context) time.Duration { return time.Minute }

func (f *feeds) Names(ctx context.Context, channel, fingerprint string) (bool, error) {
	f.mu.Lock()
	f.asked++
	f.now++
	f.most = max(f.most, f.now)
	f.mu.Unlock()
	time.Sleep(time.Second) // of virtual time
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now--
	if f.names[channel] == "down" {
		return false, errors.New("no answer")
	}
	return f.names[channel] == fingerprint, nil
}

func (k *keys) try(channel, fingerprint string, again func(Event)) bool {
	return k.named(context.Background(), &Event{Channel: channel, Signed: fingerprint, Pushed: true,
		Payload: make([]byte, 10)}, again)
}

// Items by a key that a feed names are shown, also those that came meanwhile, and the feed is asked once. Items by
// other keys, and those of unreadable feeds, never are. Each is asked again only after a while.
func TestFeedsSayWhichKeyPushesThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &feeds{names: map[string]string{"a": "k1", "b": "k2", "c": "down"}}
		k := newKeys(f, slog.New(slog.DiscardHandler))
		var mu sync.Mutex
		shown := make(map[string]int)
		again := func(e Event) {
			mu.Lock()
			defer mu.Unlock()
			shown[e.Channel+" "+e.Signed]++
		}
		for range 3 {
			for _, c := range []claim{{"a", "k1"}, {"b", "k1"}, {"c", "k1"}} {
				if k.try(c.channel, c.fingerprint, again) {
					t.Errorf("%v is believed at once", c)
				}
			}
		}
		k.running.Wait()
		if len(shown) != 1 || shown["a k1"] != 3 || f.asked != 3 || k.bytes != 0 {
			t.Errorf("shown %v, asked %d times, %d bytes wait", shown, f.asked, k.bytes)
		}
		if !k.try("a", "k1", again) || k.try("b", "k1", again) || f.asked != 3 {
			t.Error("what was found out is not remembered")
		}
		f.mu.Lock()
		f.names["b"] = "k1"
		f.mu.Unlock()
		time.Sleep(unnamedFor)
		if k.try("b", "k1", again) {
			t.Error("it is believed before it is asked")
		}
		k.running.Wait()
		if shown["b k1"] != 1 || f.asked != 4 {
			t.Errorf("a feed that names another key now: shown %v, asked %d times", shown, f.asked)
		}
	})
}

// A flood of claims, and of items for one of them, has bounds, and a bounded number of feeds is read at a time (hostile
// 44).
func TestHostile44ClaimsOfKeysAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &feeds{names: map[string]string{}}
		k := newKeys(f, slog.New(slog.DiscardHandler))
		none := func(e Event) { t.Errorf("%s is shown", e.Channel) }
		for i := range 10 * maxClaims {
			k.try(fmt.Sprint("feed ", i), "k", none)
		}
		for range 10 * maxClaimed {
			k.try("feed 0", "k", none)
		}
		k.mu.Lock()
		claims, items := len(k.waiting), len(k.waiting[claim{"feed 0", "k"}])
		k.mu.Unlock()
		if claims != maxClaims || items != maxClaimed {
			t.Errorf("%d claims wait, %d items of one", claims, items)
		}
		k.running.Wait()
		if f.asked != maxClaims || f.most > maxReads || k.bytes != 0 {
			t.Errorf("%d feeds were asked, %d at a time, %d bytes wait", f.asked, f.most, k.bytes)
		}
	})
}

// A stop does not wait for requests under way.
func TestKeysStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeys(&feeds{names: map[string]string{"a": "k"}}, slog.New(slog.DiscardHandler))
		ctx, stop := context.WithCancel(context.Background())
		k.named(ctx, &Event{Channel: "a", Signed: "k"}, func(Event) { t.Error("it is shown") })
		stop()
		before := time.Now()
		k.running.Wait()
		if took := time.Since(before); took > 0 {
			t.Errorf("stopping took %v", took)
		}
	})
}
