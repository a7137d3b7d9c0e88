package plan

import (
	"slices"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// renaming is a ring that names another node in place of one that it named.
type renaming struct {
	machine.Ring
	from engine.ID
	to   engine.Peer
}

func (r renaming) Knows(id engine.ID) bool { return id != r.from && r.Ring.Knows(id) }

func (r renaming) WedgeContacts(id engine.ID, bits int) []engine.Peer {
	list := slices.Clone(r.Ring.WedgeContacts(id, bits))
	for i := range list {
		if list[i].ID == r.from {
			list[i] = r.to
		}
	}
	return list
}

// A contact that the ring no longer names polls on, and those below it, until the one in its place has answered: that one may have
// crashed, and be named for as long as nobody has noticed.
func TestAContactGoesOnUntilAnotherAnswers(t *testing.T) {
	t.Parallel()
	p := newNet(t, 3, 80, testConfig())
	news := p.subscribe("http://news/1", 70)
	p.world.Run(3 * time.Hour)
	primary := p.primary(news.ID)
	plan := p.member(primary).plan
	var contact, dead, next engine.Peer
	for _, c := range plan.view.contacts {
		contact, dead, next = c.peer, engine.Peer{}, engine.Peer{}
		for _, n := range p.pollers(news.ID) {
			switch peer := p.world.Peer(n); {
			case peer.ID == contact.ID || peer.ID.CommonBits(contact.ID) < c.bits:
			case dead.IsZero():
				dead = peer
			default:
				next = peer
			}
		}
		if !next.IsZero() {
			break
		}
	}
	if next.IsZero() {
		t.Fatal("no contact answers for two other nodes")
	}
	polls := func(peer engine.Peer) bool {
		n, ok := p.world.NodeAt(peer)
		return ok && slices.Contains(p.pollers(news.ID), n)
	}
	node, _ := p.world.NodeAt(dead)
	p.world.Crash(node)
	ring := plan.Ring
	rename := func(to engine.Peer) {
		p.world.Do(primary, func(engine.Protocol) {
			plan.Ring = renaming{ring, contact.ID, to}
			plan.NeighboursChanged()
		})
	}
	rename(dead)
	below, _ := p.world.NodeAt(contact)
	p.world.Do(below, func(engine.Protocol) { // it pulls, as of a digest that was under way
		p.member(below).plan.Receive(p.world.Peer(primary), &MaintenanceDigest{Sum: 1})
	})
	for range 20 {
		p.world.Run(time.Minute)
		if !polls(contact) || !polls(next) {
			t.Fatalf("in place of a contact the ring names a node that has crashed: the contact polls: %v, another below it: %v", polls(contact), polls(next))
		}
	}
	rename(next)
	p.world.Run(5 * time.Minute)
	if !polls(contact) || !polls(next) {
		t.Errorf("another contact has answered: the one before polls: %v, this one: %v", polls(contact), polls(next))
	}
	if d := p.member(below).plan.duties.find(news.ID); d == nil || p.member(below).plan.duties.parents[d.parent].peer.ID == p.world.Peer(primary).ID {
		t.Error("the contact is still below the primary")
	}
}
