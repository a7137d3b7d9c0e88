package corona

import (
	"slices"
	"testing"
	"time"

	"tidings/network/sim"
)

// orphans returns the channels whose wedges their primaries lead from outside.
func (p *planNet) orphans() (all []Channel) {
	for _, c := range p.channels {
		bits := p.level(c.ID)
		if bits < alone && p.world.Peer(p.primary(c.ID)).ID.CommonBits(c.ID) < bits {
			all = append(all, c)
		}
	}
	return all
}

// deputyOf returns who hands the assignments for an orphan down.
func (p *planNet) deputyOf(c Channel) sim.Node {
	n := p.member(p.primary(c.ID)).corona
	below := n.plan.Beneath(n.plan.Polled(c.ID))
	if len(below) != 1 {
		p.t.Fatalf("%d contacts hand the assignments for %s down from outside, want one", len(below), c.URL)
	}
	for _, m := range p.active() {
		if p.world.Peer(m).ID == below[0].peer.ID {
			return m
		}
	}
	p.t.Fatalf("who hands the assignments for %s down is not in the ring", c.URL)
	return 0
}

// A primary that is in none of the best wedges of its channel leads one from outside: all its members poll, the primary
// too, in slots that are even. It is so again after those that handed the assignments down have died, while a hundredth
// of all messages is lost, and when nodes have joined.
func TestWedgesLedByDeputies(t *testing.T) {
	long(t)
	t.Parallel()
	for seed := range uint64(upTo(1, 4, 20)) {
		c := planNetConfig()
		p := newPlanNet(t, seed+1, 48, c, func(c *sim.Config) { c.Faults.Loss = 0.01 })
		p.zipf(400)
		p.world.Run(150 * time.Minute)
		p.checkOrphans("at rest")
		var dead []sim.Node
		for _, c := range p.orphans() {
			if d := p.deputyOf(c); !slices.Contains(dead, d) && len(dead) < 4 {
				dead = append(dead, d)
			}
		}
		for _, n := range dead {
			p.world.Crash(n)
		}
		p.world.Run(2*c.Maintenance + 30*time.Minute)
		p.channels = p.known()
		p.checkOrphans("without those that handed assignments down")
		for range 6 {
			p.world.Boot(p.add())
			p.world.Run(time.Second)
		}
		p.world.Run(2*c.Maintenance + 30*time.Minute)
		p.channels = p.known()
		p.checkOrphans("with nodes that have joined")
	}
}

// checkOrphans wants some orphans, and their wedges right.
func (p *planNet) checkOrphans(when string) {
	p.t.Helper()
	p.world.SetFaults(sim.Faults{}) // what has been lost is made up for
	p.world.Run(5 * time.Minute)
	p.world.SetFaults(sim.Faults{Loss: 0.01})
	orphans := p.orphans()
	p.t.Logf("%s: %d of %d channels are led from outside their wedges", when, len(orphans), len(p.channels))
	if len(orphans) == 0 {
		p.t.Errorf("%s no channel is led from outside its wedge", when)
	}
	p.checkWedges()
	all := p.channels
	p.channels = orphans
	if uneven := p.unevenness(); uneven > 1.04 {
		p.t.Errorf("%s the mean gap squared is %.4f of the ideal's", when, uneven)
	}
	p.channels = all
}
