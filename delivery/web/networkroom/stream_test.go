package networkroom

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings/view"
)

// watched returns the events of a stream of the network, a list of parts each, while
// something is done.
func watched(t *testing.T, f *fake, during func()) (events [][]string, heartbeats int) {
	t.Helper()
	return watchedAt(t, f, "/network/events?show=node", during)
}

// watchedAt is watched at an address.
func watchedAt(t *testing.T, f *fake, address string, during func()) (events [][]string, heartbeats int) {
	t.Helper()
	pages := handlerOf(t, f)
	ctx, cancel := context.WithCancel(context.Background())
	w := httptest.NewRecorder()
	go pages.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", address, nil))
	synctest.Wait()
	during()
	cancel()
	synctest.Wait()
	for line := range strings.Lines(w.Body.String()) {
		if line == ":\n" {
			heartbeats++
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var parts map[string]string
		if err := json.Unmarshal([]byte(data), &parts); err != nil {
			t.Fatal(err)
		}
		var names []string
		for name := range parts {
			names = append(names, strings.TrimPrefix(name, "network-"))
		}
		slices.Sort(names)
		events = append(events, names)
	}
	return events, heartbeats
}

func expectEvents(t *testing.T, got [][]string, want ...string) {
	t.Helper()
	var lines []string
	for _, e := range got {
		lines = append(lines, strings.Join(e, " "))
	}
	if !slices.Equal(lines, want) {
		t.Errorf("events %q, want %q", lines, want)
	}
}

// What is different is sent at once; the rest is not.
func TestNetworkEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := inNetwork(60)()
		events, _ := watched(t, f, func() {
			time.Sleep(2 * time.Second)
			_ = f.AddJoin(t.Context(), "/ip4/192.0.2.1/udp/1/quic-v1/p2p/x")
			synctest.Wait()
		})
		expectEvents(t, events, "joins node sum", "joins")
	})
}

// hostile 56: however often the network changes, a page receives one event a second at most.
func TestNetworkEventsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := inNetwork(60)()
		events, _ := watched(t, f, func() {
			for range 350 {
				_ = f.AddJoin(t.Context(), "/ip4/192.0.2.1/udp/1/quic-v1/p2p/x")
				time.Sleep(10 * time.Millisecond)
			}
		})
		expectEvents(t, events, "joins node sum", "joins", "joins", "joins")
	})
}

// Round trips and traffic, which nobody announces, are refreshed now and then.
func TestNetworkRefreshes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := inNetwork(60)()
		events, heartbeats := watchedAt(t, f, "/network/events?show=ring", func() {
			time.Sleep(6 * time.Second) // nothing is different
			defer f.lock()()
			f.network.Neighbours = slices.Clone(f.network.Neighbours)
			f.network.Neighbours[0].RTT++
			f.mu.Unlock()
			time.Sleep(5 * time.Second)
			f.mu.Lock()
		})
		expectEvents(t, events, "peers ring", "peers ring")
		if heartbeats != 1 {
			t.Errorf("%d heartbeats", heartbeats)
		}
	})
}

// A node that cannot report its network ends the stream; the browser reconnects.
func TestNetworkEventsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := inNetwork(6)()
		f.fail = context.DeadlineExceeded
		events, _ := watchedAt(t, f, "/network/events?show=ring", func() {})
		expectEvents(t, events)
	})
}

// While a node makes a key, its page follows that; when it has joined, the page learns so by parts that it lacks.
func TestMiningLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := whileMining()
		events, _ := watchedAt(t, f, "/network/events", func() {
			time.Sleep(2 * time.Second)
			f.mu.Lock()
			f.network.Mining = &view.Mining{Bits: 20, Tried: 500_000, Expected: 1_048_576}
			f.mu.Unlock()
			time.Sleep(networkRefresh)
		})
		expectEvents(t, events, "off", "off")
	})
	text := words(visit(t, whileMining()).shows(overview))
	for _, want := range []string{"410,220 of about 1,048,576 keys are tried, which takes about 52 s on average.",
		"usually every 30 min."} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
