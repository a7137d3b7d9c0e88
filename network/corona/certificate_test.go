package corona

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// grantsBy returns grants that nodes have signed.
func (v *town) grantsBy(nodes []sim.Node, c Channel, bits uint8, until time.Time) (list []Grant) {
	for _, n := range nodes {
		g := Grant{Owner: v.Peer(n), Bits: bits, Until: until.Unix()}
		g.Signature = v.Keys(n).Sign(g.words(hostKey(c.URL), c.ID))
		list = append(list, g)
	}
	return list
}

// An order is followed with a certificate of a quorum of owners of the channel's host, and with no other
// (hostile 44).
func TestCertificates(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		v := newSigningTown(t, t.World(townWorld()), 40, quick)
		c, other := channel(0), channel(1)
		at := Channel{hostKey(c.URL), ""}
		owners := v.owners(at, 40)
		n := v.nodes[30]
		self := v.at(n).corona
		from := v.Peer(v.nodes[31])
		now := self.env.Wall()
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
				self.Receive(from, &Orders{Orders: []Order{{Channel: c.ID, URL: c.URL, Width: 1, Certificate: list}}})
			})
			v.Run(time.Second)
			if self.polledHere(c.ID) != nil {
				t.Fatalf("it polls by a certificate %s", name)
			}
		}
		v.Do(n, func(engine.Protocol) {
			self.Receive(from, &Orders{Orders: []Order{{Channel: c.ID, URL: c.URL, Width: 1, Certificate: quorum}}})
		})
		v.Run(time.Second)
		if self.polledHere(c.ID) == nil {
			t.Fatal("it does not poll by a good certificate")
		}
		v.Run(5 * v.config.Maintenance)
		if self.polledHere(c.ID) != nil {
			t.Error("it polls when the certificate is over")
		}
	})
}

// What a tenth of all nodes can do that lie: to hold a quorum of those who count as near to a host's key,
// or so many of its owners that these grant more than the ceiling. The doc has these figures.
func TestHostsThatLiarsHold(t *testing.T) {
	const nodes, share = 300, 0.1
	hosts := 20_000
	if testing.Short() {
		hosts = 4000
	}
	c := Default()
	quorum := c.HostOwners * 2 / 3
	chance := rand.New(rand.NewPCG(1, 2))
	type node struct {
		at  float64
		bad bool
	}
	ring := make([]node, nodes)
	forged, overruled, refused := 0, 0, 0
	for range hosts {
		for i := range ring {
			ring[i] = node{chance.Float64() - 0.5, chance.Float64() < share} // the host is at zero
			ring[i].at = max(ring[i].at, -ring[i].at)
		}
		slices.SortFunc(ring, func(a, b node) int {
			if a.at < b.at {
				return -1
			}
			return 1
		})
		near, bad, honest := 0, 0, 0
		for i, n := range ring {
			within := n.at*2*nodes <= ownersReach*float64(c.HostOwners)
			if within && n.bad {
				near++
			}
			if i < c.HostOwners && n.bad {
				bad++
			}
			if i < c.HostOwners && within && !n.bad {
				honest++
			}
		}
		if near >= quorum {
			forged++
		}
		if bad > c.HostOwners/3 {
			overruled++
		}
		if honest < quorum {
			refused++
		}
	}
	part := func(count int) float64 { return float64(count) / float64(hosts) }
	t.Logf("of all hosts liars can forge certificates for %.2f %%, hold more than a third of the owners of %.2f %%, and can refuse %.2f %%",
		100*part(forged), 100*part(overruled), 100*part(refused))
	if part(forged) > 0.01 || part(overruled) > 0.012 || part(refused) > 0.02 {
		t.Error("that is more than the doc says")
	}
}
