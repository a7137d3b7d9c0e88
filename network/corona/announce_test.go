package corona

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/engine"
	"tidings/network/sim/simtest"
)

// A node's own subscriptions are found and listed, whatever began and ended in whatever order.
func TestOwnSubscriptionsAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := &Node{roster: &roster{core: new(core)}}
		n.roster.startSubscriptions()
		want := make(map[spokenFor]*subscription)
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			k := spokenFor{engine.ID{rapid.Byte().Draw(t, "channel") % 3}, rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "outside")}
			if want[k] != nil {
				n.roster.end(want[k])
				delete(want, k)
			} else {
				want[k] = n.roster.begin(Channel{ID: k.channel}, k.outside)
			}
		}
		listed := 0
		for channel := range byte(3) {
			for s := n.roster.subscriptions.index.Get(engine.ID{channel}); s != nil; s = s.next {
				if listed++; want[spokenFor{engine.ID{channel}, s.outside}] != s {
					t.Fatalf("%v is listed for channel %d", s, channel)
				}
			}
			for _, outside := range []string{"", "a", "b", "c"} {
				if got := n.roster.wanted(engine.ID{channel}, outside); got != want[spokenFor{engine.ID{channel}, outside}] {
					t.Fatalf("%v is found for %q on channel %d", got, outside, channel)
				}
			}
		}
		if listed != len(want) {
			t.Fatalf("%d are listed, want %d", listed, len(want))
		}
	})
}

// A gateway that speaks for thousands of addresses on one channel is listed once, and the channel
// has all their readers.
func TestGateway(t *testing.T) {
	simtest.Run(t, 1, func(t *simtest.T) {
		v := newTestNet(t, t.World(testNetConfig()), 8)
		const addresses = 3000
		c := channel(0)
		for i := range addresses {
			v.subscribe(3, c, fmt.Sprint("xmpp:", i), 1)
		}
		v.acknowledge(2 * time.Minute)
		for _, n := range v.owners(c, v.config.Owners) {
			owner := v.at(n).corona
			o := owner.roster.Find(c.ID)
			if o.readers.total != addresses {
				t.Errorf("%d readers", o.readers.total)
			}
			nodes, next := o.readers.nodes(&owner.roster.owned.subscribers, -1, 2*addresses)
			if len(nodes) != 1 || nodes[0] != v.Peer(3) || next >= 0 {
				t.Errorf("updates go to %v", nodes)
			}
		}
	})
}
