package roster

import (
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim/simtest"
)

// Who is shunned owns nothing until the time is over, and what it owned has another primary.
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
		if want := []engine.Peer{v.Peer(all[1]), v.Peer(all[2]), v.Peer(all[3])}; !slices.Equal(owners, want) || !second.Find(c.ID).Primary() {
			t.Errorf("owners are %v, want %v", owners, want)
		}
		v.Run(time.Hour)
		if owners, _ := second.Owners(c.ID, 3); owners[0] != v.Peer(all[0]) {
			t.Errorf("after an hour owners are %v", owners)
		}
		for i := range 3 * maxShunned {
			second.Shun(numbered(i), v.Now()+time.Hour)
		}
		if n := len(second.shunned); n != maxShunned {
			t.Errorf("%d nodes are remembered", n)
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
			for _, n := range v.owners(c, 2*maxPassedOver) {
				v.at(far).Shun(v.Peer(n).ID, v.Now()+time.Hour)
			}
			v.at(far).Roster.Receive(v.Peer(other), &Subscribe{Node: v.Peer(other), Wanted: []Wanted{{Channel: c.ID, URL: c.URL, Count: 1, Stamp: 1}}})
		})
		v.Run(5 * time.Second)
		if o := v.at(v.owners(c, 1)[0]).Find(c.ID); o == nil || o.Entries() != 1 { // the other node ends it again, as it has not made it
			t.Error("it has not come to the primary")
		}
	})
}
