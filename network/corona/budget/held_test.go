package budget

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// What a tenth of all nodes can do if they are malicious: be a quorum of the nodes near a host's key, or more than a
// third of its owners, or prevent a quorum. The package's doc has these figures.
func TestHostsHeldByMaliciousNodes(t *testing.T) {
	hosts := 40_000
	if testing.Short() {
		hosts = 8000
	}
	for _, c := range []struct {
		owners                                  int
		mostForged, mostOverruled, mostWithheld float64
	}{
		{9, 0.008, 0.011, 0.016}, {3, 0.11, 0.04, 0.08},
	} {
		forged, overruled, withheld := hostsHeld(hosts, c.owners)
		t.Logf("of all hosts with %d owners malicious nodes can forge certificates for %.2f %%, hold more than a "+
			"third of the owners of %.2f %%, and withhold grants of %.2f %%",
			c.owners, 100*forged, 100*overruled, 100*withheld)
		if forged > c.mostForged || overruled > c.mostOverruled || withheld > c.mostWithheld {
			t.Error("that is more than the doc says")
		}
	}
}

// hostsHeld draws rings, and returns what lying nodes can do in what part of them.
func hostsHeld(hosts, owners int) (forged, overruled, withheld float64) {
	const nodes, share = 300, 0.1
	type node struct {
		away float64 // from the host's key, part of the ring
		bad  bool
	}
	chance, ring, quorum := rand.New(rand.NewPCG(1, 2)), make([]node, nodes), owners*2/3
	for range hosts {
		for i := range ring {
			ring[i] = node{chance.Float64() / 2, chance.Float64() < share}
		}
		slices.SortFunc(ring, func(a, b node) int { return cmp.Compare(a.away, b.away) })
		near, bad, honest := 0, 0, 0
		for i, n := range ring {
			within := n.away*2*nodes <= ownersReach*float64(owners)
			switch {
			case within && n.bad:
				near++
			case within && i < owners:
				honest++
			}
			if i < owners && n.bad {
				bad++
			}
		}
		for _, c := range []struct {
			count *float64
			holds bool
		}{{&forged, near >= quorum}, {&overruled, bad > owners/3}, {&withheld, honest < quorum}} {
			if c.holds {
				*c.count += 1 / float64(hosts)
			}
		}
	}
	return forged, overruled, withheld
}
