package node

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/origin"
)

// farSide is a server that counts the updates that it was sent.
type farSide struct {
	mu       sync.Mutex
	received []int64 // updates, as they came
}

func (f *farSide) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var event struct {
		Data struct {
			Update int64 `json:"update"`
		} `json:"data"`
	}
	if err := json.NewDecoder(r.Body).Decode(&event); err != nil || event.Data.Update == 0 {
		http.Error(w, fmt.Sprint("no event: ", err), http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.received = append(f.received, event.Data.Update)
}

// check reports whether all updates came. It fails if one came out of order, or was repeated more often than the node
// was killed.
func (f *farSide) check(t *testing.T, want []int64, kills int) (complete bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	last, again, next := int64(0), 0, 0
	for _, id := range f.received {
		switch {
		case id == last:
			again++
			continue
		case next < len(want) && id == want[next]:
			next++
		case next == len(want):
			return false // it was stored since want was listed
		default:
			t.Fatalf("update %d came after %d", id, last)
		}
		last = id
	}
	if again > kills {
		t.Fatalf("%d updates came again, and the node was killed %d times", again, kills)
	}
	return next == len(want)
}

// A node that is killed again and again while it notifies loses no update. To each target it repeats at most the one
// that was under way. A target that hangs does not keep it from that.
func TestKilledAsItNotifies(t *testing.T) {
	t.Parallel()
	kills := 20
	if testing.Short() {
		kills = 3
	}
	const seed = 35_001
	chance := rand.New(rand.NewPCG(seed, seed))
	hangs, end := context.WithCancel(t.Context())
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hangs.Done() }))
	t.Cleanup(hanging.Close)
	t.Cleanup(end)
	o, base := startOrigin(t)
	v := &victim{t: t, dir: t.TempDir()}
	v.client = api.Dial(api.SocketPath(v.dir))
	t.Cleanup(v.client.Close)
	ctx, cancel := context.WithCancel(t.Context())
	cmd := v.start()
	v.awaitReady(ctx)
	add := func(name, url string) {
		if _, err := v.client.Notify().Add(ctx, targetAt(name, url)); err != nil {
			t.Fatal(err)
		}
	}
	add("hanging", hanging.URL)
	sides := make([]*farSide, 3)
	for i := range sides {
		sides[i] = &farSide{}
		server := httptest.NewServer(sides[i])
		t.Cleanup(server.Close)
		add(fmt.Sprint("side ", i), server.URL)
	}
	for i := range 3 {
		name := fmt.Sprint("feed", i)
		if err := o.AddFeed(name, origin.MakeFeed(uint64(i), 5, 1500),
			origin.Options{NoCompression: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := v.client.Subscribe(ctx, tidings.SubscribeRequest{URL: base + name}); err != nil {
			t.Fatal(err)
		}
	}
	var others sync.WaitGroup
	defer others.Wait()
	defer cancel()
	others.Go(func() {
		for ctx.Err() == nil {
			for _, name := range o.Names() {
				_, _ = o.Step(name) // it says so when a history is at its end
			}
			pause(ctx, 20*time.Millisecond)
		}
	})
	for range kills {
		time.Sleep(time.Duration(chance.IntN(300)) * time.Millisecond)
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		cmd = v.start()
		v.awaitReady(ctx)
	}
	cancel()
	others.Wait()
	if err := awaitNotified(t, v, sides, kills); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the last node did not end well: %v", err)
	}
}

func targetAt(name, url string) api.TargetSettings {
	kind := tidings.Webhook
	return api.TargetSettings{Name: &name, Kind: &kind, URL: &url}
}

// awaitNotified waits until the far sides have all updates of a node that changes no more.
func awaitNotified(t *testing.T, v *victim, sides []*farSide, kills int) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		var want []int64
		for after := int64(1); ; {
			updates, err := v.client.Updates(t.Context(), tidings.UpdateQuery{After: after, Limit: tidings.MaxLimit})
			if err != nil {
				return err
			}
			if len(updates) == 0 {
				break
			}
			for _, u := range updates {
				if after = u.ID; u.Version > 1 {
					want = append(want, u.ID)
				}
			}
		}
		complete := len(want) > 0
		for _, f := range sides {
			complete = f.check(t, want, kills) && complete
		}
		if complete {
			t.Logf("%d updates", len(want))
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not all of %d updates were delivered", len(want))
		}
	}
}
