package plan

import (
	"slices"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// longestGap follows the polls of a channel. It returns the longest time without a request to its origin, and its
// beginning.
func (p *net) longestGap(channel engine.ID, during time.Duration) (gap, at time.Duration) {
	const step = 5 * time.Second // much less than the time between two polls of a set
	last, nodes := p.world.Now(), p.active()
	for end := last + during; p.world.Now() < end; {
		p.world.Run(step)
		for _, n := range nodes {
			task, polls := p.member(n).recorder.tasks[channel]
			if !polls {
				continue
			}
			if since := p.world.Now() - p.member(n).began - task.First; since < 0 || since%task.Interval >= step {
				continue
			}
			if p.world.Now()-last > gap {
				gap, at = p.world.Now()-last, last
			}
			last = p.world.Now()
		}
	}
	return max(gap, p.world.Now()-last), at
}

// When a polling set becomes smaller or larger, the node that is due keeps its turn: the origin is not left alone while
// the turns pass nodes that have just polled. If a set becomes smaller than half they may still do so, as two polls of
// a node are half an interval apart.
func TestTurnsGoOnAsSetsChange(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 3, 4} {
		p := newNet(t, seed, 80, testConfig())
		news := p.subscribe("http://news/1", 60)
		p.world.Run(3 * time.Hour)
		for i, readers := range []int{38, 66} {
			before := len(p.pollers(news.ID))
			p.subscribe(news.URL, readers)
			p.world.Run(time.Duration(7*i+3) * time.Minute) // that it is another part of the interval that is over
			gap, at := p.longestGap(news.ID, 75*time.Minute)
			fewest := min(before, len(p.pollers(news.ID)))
			if mean := p.config.Interval / time.Duration(fewest); gap > 5*mean/2 {
				t.Errorf("seed %d, %d pollers become %d: a gap of %v from %v on, where the mean is %v", seed, before,
					len(p.pollers(news.ID)), gap, at, mean)
			}
		}
	}
}

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

// A contact that the ring no longer names polls on, and so do those below it, until its successor has answered. That
// one may have crashed, and be named until some node notices.
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
			t.Fatalf("in place of a contact the ring names a node that has crashed: the contact polls: %v, another "+
				"below it: %v", polls(contact), polls(next))
		}
	}
	rename(next)
	p.world.Run(5 * time.Minute)
	if !polls(contact) || !polls(next) {
		t.Errorf("another contact has answered: the one before polls: %v, this one: %v", polls(contact), polls(next))
	}
	if d := p.member(below).plan.duties.find(news.ID); d == nil ||
		p.member(below).plan.duties.parents[d.parent].peer.ID == p.world.Peer(primary).ID {
		t.Error("the contact is still below the primary")
	}
}
