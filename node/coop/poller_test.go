package coop

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
	"tidings/source"
)

// hostile 63, 44: the network has a node poll tarpits for others, more than it has slots. They hold an eighth of these,
// and what people here follow is polled all the same.
func TestHostile63TarpitsPolledForOthersHoldFewSlots(t *testing.T) {
	t.Parallel()
	const slots, tarpits = 8, 40
	release := make(chan struct{})
	defer close(release)
	var held, most atomic.Int64
	k := newTaker(t, func(s *source.Schedule) { s.Polls = slots })
	k.pit = func(ctx context.Context) {
		now := held.Add(1)
		defer held.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		select {
		case <-release:
		case <-ctx.Done():
		}
	}
	own := rss(item("own", "text"))
	k.follow(own)
	for i := range tarpits {
		url := fmt.Sprintf("https://pit-%d.example/feed", i)
		k.coop.desk.Poll(corona.Channel{ID: engine.ID(tidings.IDOf(url)), URL: url}, corona.Task{Interval: time.Second})
	}
	k.await("more tarpits are due than there are slots", func() bool {
		return k.coop.config.Scheduler.Counts().Overdue >= tarpits/2 && held.Load() > 0
	})
	k.poll(own)
	if n := most.Load(); n > slots/8 {
		t.Errorf("tarpits held %d of %d slots", n, slots)
	}
}
