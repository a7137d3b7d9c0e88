package roster

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/sim/simtest"
)

// A node's own subscriptions are found and listed, whatever began and ended in whatever order.
func TestOwnSubscriptionsAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := newSubscriptions(machine.Base{}, nil, new(Config))
		type key struct {
			channel engine.ID
			outside string
		}
		want := make(map[key]*subscription)
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			k := key{engine.ID{rapid.Byte().Draw(t, "channel") % 3},
				rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "outside")}
			if want[k] != nil {
				n.end(want[k])
				delete(want, k)
			} else {
				want[k] = n.begin(machine.Channel{ID: k.channel}, k.outside)
			}
		}
		listed := 0
		for channel := range byte(3) {
			for i, s := range n.of(engine.ID{channel}) {
				if listed++; want[key{engine.ID{channel}, s.outside}] != s || i > 0 && s.outside == "" {
					t.Fatalf("%v is listed for channel %d, in place %d", s, channel, i)
				}
			}
			for _, outside := range []string{"", "a", "b", "c"} {
				if got := n.wanted(engine.ID{channel}, outside); got != want[key{engine.ID{channel}, outside}] {
					t.Fatalf("%v is found for %q on channel %d", got, outside, channel)
				}
			}
		}
		if listed != len(want) || n.index.Len() == 0 != (len(want) == 0) {
			t.Fatalf("%d are listed, want %d, of %d channels", listed, len(want), n.index.Len())
		}
	})
}

// A gateway that speaks for thousands of addresses on one channel is listed as one node, and the channel has all their
// readers.
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
			owner := v.at(n)
			o := owner.Find(c.ID)
			if o.Readers() != addresses {
				t.Errorf("%d readers", o.Readers())
			}
			nodes, next := owner.Subscribers(c.ID, -1, 2*addresses)
			if nodes = slices.Compact(nodes); len(nodes) != 1 || nodes[0] != v.Peer(3) || next >= 0 {
				t.Errorf("updates go to %v", nodes)
			}
		}
	})
}
