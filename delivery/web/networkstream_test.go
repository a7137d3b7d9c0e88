package web

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/delivery/auth"
)

// watched returns the events of a stream of the network, a list of parts each, while
// something is done.
func watched(t *testing.T, f *fake, during func()) (events [][]string, heartbeats int) {
	t.Helper()
	return watchedAt(t, f, "/network/events", during)
}

// watchedAt is watched at an address.
func watchedAt(t *testing.T, f *fake, address string, during func()) (events [][]string, heartbeats int) {
	t.Helper()
	page, err := New(Config{Store: f, Node: f, Network: f.others(), Guard: must(auth.New(auth.Config{Store: f}))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(auth.WithAccount(context.Background(), tidings.Owner))
	w := httptest.NewRecorder()
	go page.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", address, nil))
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
		for _, name := range networkParts {
			if parts[name] != "" {
				names = append(names, strings.TrimPrefix(name, "network-"))
			}
		}
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
		expectEvents(t, events, "ring joins coop believed node peers traffic", "joins")
	})
}

// hostile 56: however often the network changes, a page hears of it once a second.
func TestNetworkEventsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := inNetwork(60)()
		events, _ := watched(t, f, func() {
			for range 350 {
				_ = f.AddJoin(t.Context(), "/ip4/192.0.2.1/udp/1/quic-v1/p2p/x")
				time.Sleep(10 * time.Millisecond)
			}
		})
		expectEvents(t, events, "ring joins coop believed node peers traffic", "joins", "joins", "joins")
	})
}

// Round trips and traffic, which nobody announces, are refreshed now and then.
func TestNetworkRefreshes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := inNetwork(60)()
		events, heartbeats := watched(t, f, func() {
			time.Sleep(6 * time.Second) // nothing is different
			defer f.lock()()
			f.network.Neighbours = slices.Clone(f.network.Neighbours)
			f.network.Neighbours[0].RTT++
			f.mu.Unlock()
			time.Sleep(5 * time.Second)
			f.mu.Lock()
		})
		expectEvents(t, events, "ring joins coop believed node peers traffic", "ring peers")
		if heartbeats != 1 {
			t.Errorf("%d heartbeats", heartbeats)
		}
	})
}

// A node that cannot tell ends the stream; the browser comes again.
func TestNetworkEventsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := inNetwork(6)()
		f.fail = context.DeadlineExceeded
		events, _ := watched(t, f, func() {})
		expectEvents(t, events)
	})
}
