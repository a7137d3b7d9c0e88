package node

import (
	"sync/atomic"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/node/identity"
	"tidings/view"
)

// An experiment's settings reach the transport: round trips are as long as it says, and it receives what protocols
// trace. The ID of a node is known before it runs.
func TestExperimentsDelayNodes(t *testing.T) {
	t.Parallel()
	const delay = 40 * time.Millisecond
	var joined, strangers atomic.Int32
	var first engine.ID
	a := newRestartable(t, func(c *Config) {
		c.New = true // it has its key already
		var err error
		if first, err = identity.Identify(c.Data); err != nil {
			t.Fatal(err)
		}
	})
	if first.String() != a.id {
		t.Fatalf("the node was to be %v and is %s", first, a.id)
	}
	b := newRestartable(t, joiningBy(a.address()), func(c *Config) {
		c.Delay = func(to engine.ID) time.Duration {
			if to != first {
				strangers.Add(1)
			}
			return delay
		}
		c.Trace = func(event any) {
			if _, is := event.(pastry.Joined); is {
				joined.Add(1)
			}
		}
	})
	var measured view.Peer
	await(t, "a round trip is measured", func() bool {
		for _, p := range a.view().Neighbours {
			if p.ID == b.id && p.RTT > 0 {
				measured = p
			}
		}
		return measured.RTT > 0
	})
	if least := float64(delay) / float64(time.Millisecond); measured.RTT < least {
		t.Errorf("a round trip of %v ms, where %v is the least", measured.RTT, least)
	}
	await(t, "the experiment is told of the ring", func() bool { return joined.Load() > 0 })
	if n := strangers.Load(); n > 0 {
		t.Errorf("%d messages went to others", n)
	}
}
