package node

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"tidings"
	"tidings/lab/origin"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/source/feed"
)

// hostile 63, 44: the network has a node poll tarpits for others, more than it has slots. They hold an eighth of these,
// and what people here follow is polled all the same.
func TestHostile63TarpitsPolledForOthersHoldFewSlots(t *testing.T) {
	const slots, tarpits = 8, 40
	release := make(chan struct{})
	var held, most atomic.Int64
	pit := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		now := held.Add(1)
		defer held.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer pit.Close()
	defer close(release)
	o, base := startOrigin(t)
	if err := o.AddFeed("own", origin.MakeFeed(7, 5, 4000), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	n := newRestartable(t, func(c *Config) { c.Polls, c.Interval = slots, time.Hour })
	own, err := n.client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + "own"})
	if err != nil {
		t.Fatal(err)
	}
	n.coop.InLoop(t.Context(), func() {
		for i := range tarpits {
			url, err := feed.Canonical(fmt.Sprintf("%s/%d", pit.URL, i))
			if err != nil {
				t.Error(err)
			}
			n.coop.Poller().Poll(corona.Channel{ID: engine.ID(tidings.IDOf(url)), URL: url}, corona.Task{Interval: time.Second})
		}
	})
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for n.watcher.Counts().Overdue < tarpits/2 || held.Load() == 0 {
		<-tick.C
	}
	if poll, err := n.client.Poll(t.Context(), own.URL); err != nil || !poll.Outcome.Read() {
		t.Errorf("the own channel: %+v, %v", poll, err)
	}
	if n := most.Load(); n > slots/8 {
		t.Errorf("tarpits held %d of %d slots", n, slots)
	}
}
