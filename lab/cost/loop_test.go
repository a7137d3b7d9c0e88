package cost

import (
	"slices"
	"testing"
)

// Events come in the order of time; every node keeps one message under way.
func TestLoop(t *testing.T) {
	const nodes = 300
	l := NewLoop(nodes)
	last := int64(-1)
	for range 20_000 {
		l.Run(1)
		if l.now < last {
			t.Fatalf("an event of %d comes after one of %d", l.now, last)
		}
		last = l.now
	}
	if earliest := slices.MinFunc(l.queue, func(a, b loopEvent) int { return int(a.at - b.at) }); earliest.at < l.now ||
		l.queue[0].at != earliest.at {
		t.Errorf("at %d the next event is of %d, and one of %d is there", l.now, l.queue[0].at, earliest.at)
	}
	received := int64(0)
	for i := range l.nodes {
		received += l.nodes[i].received
	}
	if received != 20_000 || len(l.queue) != nodes {
		t.Errorf("%d messages were received, %d are under way; want 20000 and %d", received, len(l.queue), nodes)
	}
	// A message is under way for 55 ms on average, so that each node's is the 1/55 ms rate.
	if want := int64(20_000) * 55e6 / nodes; last < want*9/10 || last > want*11/10 {
		t.Errorf("%d messages needed %d ns, want about %d", 20_000, last, want)
	}
	owners := make([]int, nodes)
	for _, e := range l.queue {
		if e.kind == loopPing {
			owners[e.from]++
		} else {
			owners[e.to]++
		}
	}
	if i := slices.IndexFunc(owners, func(n int) bool { return n != 1 }); i >= 0 {
		t.Errorf("node %d has %d messages under way", i, owners[i])
	}
}
