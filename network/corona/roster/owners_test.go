package roster

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/engine/enginetest"
	"tidings/network/sim/simtest"
)

// A shunned node owns nothing until the time is over, and what it owned has another primary.
func TestShun(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 12)
		c := channel(0)
		v.subscribe(v.owners(c, 12)[11], c, "", 1)
		v.acknowledge(10 * time.Second)
		all := v.owners(c, 4)
		second := v.at(all[1])
		v.Do(all[1], func(engine.Protocol) { second.Shun(v.Peer(all[0]).ID, v.Now()+time.Hour) })
		v.Run(5 * time.Second)
		owners, _ := second.Owners(c.ID, 3)
		if want := []engine.Peer{v.Peer(all[1]), v.Peer(all[2]), v.Peer(all[3])}; !slices.Equal(owners, want) ||
			!second.Find(c.ID).Primary() {
			t.Errorf("owners are %v, want %v", owners, want)
		}
		v.Run(time.Hour)
		if owners, _ := second.Owners(c.ID, 3); owners[0] != v.Peer(all[0]) {
			t.Errorf("after an hour owners are %v", owners)
		}
	})
}

// Where all nodes around a channel are shunned a subscription to it goes over the ring.
func TestSubscriptionWhereAllAreShunned(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 12)
		c := channel(0)
		far, other := v.owners(c, 12)[11], v.owners(c, 12)[10]
		v.Do(far, func(engine.Protocol) {
			for _, n := range v.owners(c, 8) { // twice as many as an owner expects to be shunned
				v.at(far).Shun(v.Peer(n).ID, v.Now()+time.Hour)
			}
			v.at(far).Roster.Receive(v.Peer(other),
				&Subscribe{Node: v.Peer(other), Wanted: []Wanted{{Channel: c.ID, URL: c.URL, Count: 1, Stamp: 1}}})
		})
		v.Run(5 * time.Second)
		// the other node ends it again, as it has not made it
		if o := v.at(v.owners(c, 1)[0]).Find(c.ID); o == nil || o.Entries() != 1 {
			t.Error("it has not come to the primary")
		}
	})
}

// A node can own a channel if it is among the sixteen closest. If the channel is far from this node, it can if it is as
// close as sixteen nodes on either side, by the estimated density. In a ring of fewer nodes each of them can.
func TestNodesThatCouldOwnAChannel(t *testing.T) {
	for name, c := range map[string]struct {
		nodes int
		far   bool
		node  string
		could bool
	}{
		"a small ring, close":    {8, false, "5001", true},
		"a small ring, far away": {8, false, "d0", true},
		"a large ring, close":    {100, false, "5001", true},
		"a large ring, far away": {100, false, "d0", false},
		"within the closest":     {100, false, "628f", true}, // the sixteenth is 3d70a0
		"beyond the closest":     {100, false, "6290", false},
		"within, below":          {100, false, "3d71", true},
		"beyond, below":          {100, false, "3d70", false},
		"far, close to it":       {4096, true, "5001", true},
		"far, within reach":      {4096, true, "50ff", true},
		"far, beyond its reach":  {4096, true, "5101", false},
		"far, on the other side": {4096, true, "d0", false},
		"far, in a small ring":   {16, true, "90", true},
		"far, a dense ring":      {1 << 13, true, "5081", false},
	} {
		v := newLone(nil, nil)
		v.far = c.far
		for i := range c.nodes - 1 {
			v.peers = append(v.peers, enginetest.NewPeer(fmt.Sprintf("%06x", (i+1)*(1<<24/c.nodes))))
		}
		if got := v.CouldOwn(engine.PrefixID("50"), enginetest.NewPeer(c.node).ID); got != c.could {
			t.Errorf("%s: it could own the channel: %v", name, got)
		}
	}
}
