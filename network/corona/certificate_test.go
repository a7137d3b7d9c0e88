package corona

import (
	"slices"
	"testing"
	"time"

	budgets "tidings/network/corona/budget"
	"tidings/network/corona/machine"
	"tidings/network/corona/plan"
	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/simtest"
)

// grantsBy returns grants that nodes have signed.
func (v *testNet) grantsBy(nodes []sim.Node, c Channel, size machine.Size, until time.Time) (list []machine.Grant) {
	for _, n := range nodes {
		g := machine.Grant{Owner: v.Peer(n), Size: size, Until: until.Unix()}
		g.Signature = v.Keys(n).Sign(budgets.GrantWords(&g, budgets.HostKey(c.URL), c.ID))
		list = append(list, g)
	}
	return list
}

// An assignment is followed only with a certificate of a quorum of owners of the channel's host (hostile 44).
func TestCertificates(t *testing.T) {
	simtest.Run(t, 3, func(t *simtest.T) {
		v := newSigningTestNet(t, t.World(testNetConfig()), 40, quick)
		c, other := channel(0), channel(1)
		at := Channel{ID: budgets.HostKey(c.URL)}
		owners := v.owners(at, 40)
		n := v.nodes[30]
		self := v.at(n).corona
		from := v.Peer(v.nodes[31])
		now := self.Env.Wall()
		until := now.Add(30 * time.Minute)
		whole, half := machine.Size{}, machine.Fine(8)
		good := v.grantsBy(owners[:9], c, whole, until)
		quorum := good[:6]
		change := func(f func(*machine.Grant)) []machine.Grant {
			list := slices.Clone(quorum)
			f(&list[2])
			return list
		}
		for name, list := range map[string][]machine.Grant{
			"of nobody":    nil,
			"of too few":   good[:5],
			"of one twice": append(slices.Clone(good[:5]), good[0]),
			"of another":   v.grantsBy(owners[:6], other, whole, until),
			"of those far": v.grantsBy(owners[34:40], c, whole, until),
			"that is over": v.grantsBy(owners[:6], c, whole, now.Add(-6*time.Minute)),
			"for too long": v.grantsBy(owners[:6], c, whole, now.Add(5*time.Hour)),
			"for less":     v.grantsBy(owners[:6], c, half, until),
			"signed wrongly": change(func(g *machine.Grant) {
				g.Signature = slices.Clone(g.Signature)
				g.Signature[5]++
			}),
			"made out longer": change(func(g *machine.Grant) { g.Until++ }),
			"made out more": append(v.grantsBy(owners[:5], c, whole, until),
				change(func(g *machine.Grant) { g.Size = half })[2]),
			"for the primary": change(func(g *machine.Grant) { g.Every = 3600 }),
		} {
			v.Do(n, func(engine.Protocol) {
				self.Receive(from, &plan.Maintenance{Assignments: []plan.Assignment{{Channel: c.ID, URL: c.URL,
					Width: 1, Certificate: list}}})
			})
			v.Run(time.Second)
			if self.follows(c.ID) {
				t.Fatalf("it follows a certificate %s", name)
			}
		}
		v.Do(n, func(engine.Protocol) {
			self.Receive(from, &plan.Maintenance{Assignments: []plan.Assignment{{Channel: c.ID, URL: c.URL, Width: 1,
				Certificate: quorum}}})
		})
		v.Run(time.Second)
		if !self.follows(c.ID) {
			t.Fatal("it does not follow a good certificate")
		}
		if self.polls(c.ID) {
			t.Error("it polls though nobody has proved that there are readers")
		}
		v.Run(5 * v.config.Maintenance)
		if self.follows(c.ID) {
			t.Error("it follows a certificate that is over")
		}
	})
}

// A node in no set of a channel that only passes assignments on accepts a newer certificate without the URL: those
// below need it.
func TestCertificatesOfWhatIsPassedOn(t *testing.T) {
	simtest.Run(t, 2, func(t *simtest.T) {
		v := newSigningTestNet(t, t.World(testNetConfig()), 40, quick)
		c := channel(0)
		owners := v.owners(Channel{ID: budgets.HostKey(c.URL)}, 9)
		for _, n := range v.nodes {
			self, from := v.at(n).corona, v.Peer(owners[0])
			id := self.Env.Self().ID
			scope := (id.CommonBits(from.ID)/4 + 1) * 4
			size, found := machine.Size{}, false
			for k := 1; k < 80 && !found; k++ {
				size = machine.Fine(k)
				arc := machine.ArcOf(c.ID, size)
				found = !arc.Contains(id) && arc.Overlap(id, scope) > 0
			}
			if !found || id == from.ID || self.plan.Leads(c.ID) {
				continue
			}
			assign := func(url string, until time.Time) {
				list := v.grantsBy(owners, c, size, until)[:6]
				v.Do(n, func(engine.Protocol) {
					self.Receive(from, &plan.Maintenance{Assignments: []plan.Assignment{{Channel: c.ID, URL: url,
						Size: size, Width: 1, Certificate: list}}})
				})
				v.Run(time.Second)
			}
			first := self.Env.Wall().Add(20 * time.Minute)
			assign(c.URL, first)
			if !self.follows(c.ID) || self.polls(c.ID) {
				t.Fatalf("it does not pass on a set of size %v without polling", size)
			}
			assign("", first.Add(10*time.Minute))
			if got := self.budget.Certificate(c.ID); len(got) == 0 || got[0].Until <= first.Unix() {
				t.Error("a newer certificate is not accepted")
			}
			return
		}
		t.Fatal("no node is outside of a set that its part of the ring has nodes of")
	})
}

// follows reports whether a node accepts an assignment for good, and passes it on.
func (n *Node) follows(channel engine.ID) bool {
	_, _, in := n.plan.Passed(channel)
	return in
}

// polls reports whether a node polls a channel.
func (n *Node) polls(channel engine.ID) bool {
	_, polled := n.plan.Polled(channel)
	return polled
}
