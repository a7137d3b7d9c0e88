package corona

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tidings/network/corona/plan"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// grantsBy returns grants that nodes have signed.
func (v *testNet) grantsBy(nodes []sim.Node, c Channel, bits uint8, until time.Time) (list []Grant) {
	for _, n := range nodes {
		g := Grant{Owner: v.Peer(n), Bits: bits, Until: until.Unix()}
		g.Signature = v.Keys(n).Sign(g.words(hostKey(c.URL), c.ID))
		list = append(list, g)
	}
	return list
}

// An assignment is followed with a certificate of a quorum of owners of the channel's host, and with no other
// (hostile 44).
func TestCertificates(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		v := newSigningTestNet(t, t.World(testNetConfig()), 40, quick)
		c, other := channel(0), channel(1)
		at := Channel{ID: hostKey(c.URL)}
		owners := v.owners(at, 40)
		n := v.nodes[30]
		self := v.at(n).corona
		from := v.Peer(v.nodes[31])
		now := self.Env.Wall()
		until := now.Add(30 * time.Minute)
		good := v.grantsBy(owners[:9], c, 0, until)
		quorum := good[:6]
		change := func(f func(*Grant)) []Grant {
			list := slices.Clone(quorum)
			f(&list[2])
			return list
		}
		for name, list := range map[string][]Grant{
			"of nobody":       nil,
			"of too few":      good[:5],
			"of one twice":    append(slices.Clone(good[:5]), good[0]),
			"of another":      v.grantsBy(owners[:6], other, 0, until),
			"of those far":    v.grantsBy(owners[34:40], c, 0, until),
			"that is over":    v.grantsBy(owners[:6], c, 0, now.Add(-6*time.Minute)),
			"for too long":    v.grantsBy(owners[:6], c, 0, now.Add(5*time.Hour)),
			"for less":        v.grantsBy(owners[:6], c, 1, until),
			"signed wrongly":  change(func(g *Grant) { g.Signature = slices.Clone(g.Signature); g.Signature[5]++ }),
			"made out longer": change(func(g *Grant) { g.Until++ }),
			"made out more":   append(v.grantsBy(owners[:5], c, 0, until), change(func(g *Grant) { g.Bits = 1 })[2]),
			"for the primary": change(func(g *Grant) { g.Every = 3600 }),
		} {
			v.Do(n, func(engine.Protocol) {
				self.Receive(from, &plan.Maintenance{Assignments: []plan.Assignment{{Channel: c.ID, URL: c.URL, Width: 1, Certificate: toGrants(list)}}})
			})
			v.Run(time.Second)
			if self.polls(c.ID) {
				t.Fatalf("it polls by a certificate %s", name)
			}
		}
		v.Do(n, func(engine.Protocol) {
			self.Receive(from, &plan.Maintenance{Assignments: []plan.Assignment{{Channel: c.ID, URL: c.URL, Width: 1, Certificate: toGrants(quorum)}}})
		})
		v.Run(time.Second)
		if !self.polls(c.ID) {
			t.Fatal("it does not poll by a good certificate")
		}
		v.Run(5 * v.config.Maintenance)
		if self.polls(c.ID) {
			t.Error("it polls when the certificate is over")
		}
	})
}

// What a tenth of all nodes can do that lie: have a quorum of those who count as near to a host's key, or
// more than a third of its owners, or keep the others from being a quorum. The doc has these figures.
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
		t.Logf("of all hosts with %d owners malicious nodes can forge certificates for %.2f %%, hold more than a third of the owners of %.2f %%, and withhold grants of %.2f %%",
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

// polls reports whether a node polls a channel.
func (n *Node) polls(channel engine.ID) bool {
	_, polled := n.plan.Polled(channel)
	return polled
}
