package plan

import (
	"slices"
	"testing"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Contacts, and those within a wedge, are found as if by asking each of them, also if some were replaced.
func TestContactsAreFound(t *testing.T) {
	t.Parallel()
	p := newNet(t, 41, short(40, 150), testConfig())
	p.checkContacts()
	for n := range sim.Node(short(6, 20)) {
		p.world.Crash(n)
	}
	p.world.Run(p.config.Maintenance)
	p.checkContacts()
}

func (p *net) checkContacts() {
	for _, n := range p.active() {
		node, self := p.member(n).plan.view, p.world.Peer(n).ID
		all := node.contacts
		if len(all) == 0 {
			p.t.Fatalf("node %d has no contacts", n)
		}
		for _, other := range p.active() {
			id := p.world.Peer(other).ID
			i := slices.IndexFunc(all, func(c *contact) bool { return c.peer.ID == id })
			switch found := node.contact(id); {
			case i < 0 && found != nil:
				p.t.Errorf("node %d has found %v, which is no contact", n, id.Short())
			case i >= 0 && found != all[i]:
				p.t.Errorf("node %d has not found its contact %v", n, id.Short())
			}
		}
		for bits := range engine.Bits + 1 {
			var want []*contact
			for _, c := range all {
				if c.peer.ID.CommonBits(self) >= bits {
					want = append(want, c)
				}
			}
			if got := node.within(uint8(bits)); !slices.Equal(got, want) {
				p.t.Errorf("node %d: %d contacts share %d bits, want %d", n, len(got), bits, len(want))
			}
		}
	}
}
