package plan

import (
	"math"
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/sim"
)

// Hostile 30: messages are lost, doubled and overtaken, and wedges are right in the end. MaintenanceDigests show what a
// contact lacks, and what it has too much. With half of all messages lost the ring itself does not hold.
func TestLostAssignments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		loss, wrong float64 // wrong: part of all polls, meanwhile
		lasts       time.Duration
	}{{0.01, 0.01, time.Hour}, {0.1, 0.03, time.Hour}, {0.5, 1, 2 * time.Minute}} {
		if testing.Short() && c.loss != 0.1 {
			continue
		}
		p := newNet(t, 3, short(40, 150), testConfig())
		p.world.SetFaults(sim.Faults{Loss: c.loss, Duplicate: 0.1, Reorder: 0.1, ReorderBy: 5 * time.Second})
		p.zipf(short(100, 300))
		p.world.Run(c.lasts)
		wrong, all := p.wrongTasks(), p.tasks()
		t.Logf("%.0f %% lost: %d of %d polls are missing or too many", 100*c.loss, wrong, all)
		if float64(wrong) > c.wrong*float64(all) {
			t.Errorf("%.0f %% lost: %d of %d polls are missing or too many", 100*c.loss, wrong, all)
		}
		p.world.SetFaults(sim.Faults{})
		p.world.Run(4 * time.Hour)
		p.checkSets()
	}
}

// wrongTasks returns how many nodes poll a channel and are not in its wedge, or are and do not.
func (p *net) wrongTasks() (wrong int) {
	for _, c := range p.channels {
		in := make(map[sim.Node]bool)
		for _, n := range p.set(c.ID) {
			in[n] = true
		}
		for _, n := range p.pollers(c.ID) {
			if !in[n] {
				wrong++
			}
			delete(in, n)
		}
		wrong += len(in)
	}
	return wrong
}

// When a primary dies the next one continues, at the same level, with the same slots, and the wedge polls on.
func TestPrimaryDies(t *testing.T) {
	long(t)
	t.Parallel()
	p := newNet(t, 3, short(40, 200), testConfig())
	p.zipf(100)
	p.world.Run(3 * time.Hour)
	c := p.channels[0]
	size, pollers := p.size(c.ID), len(p.pollers(c.ID))
	first := make(map[engine.ID]time.Duration)
	for _, n := range p.pollers(c.ID) {
		first[p.world.Peer(n).ID] = p.member(n).recorder.tasks[c.ID].First
	}
	p.world.Crash(p.primary(c.ID))
	least := pollers
	watch := func(d time.Duration) {
		for range d / time.Minute {
			p.world.Run(time.Minute)
			least = min(least, len(p.pollers(c.ID)))
		}
	}
	watch(3 * time.Minute)
	if got := p.size(c.ID); got != size {
		t.Errorf("the new primary has chosen %v, the one before had %v", got, size)
	}
	moved := 0
	for _, n := range p.pollers(c.ID) {
		was := first[p.world.Peer(n).ID]
		d := circular(p.member(n).recorder.tasks[c.ID].First-was, p.config.Interval)
		if gap := p.config.Interval / time.Duration(pollers); d > 2*gap || d < -2*gap {
			moved++
		}
	}
	t.Logf("%d of %d polls moved by more than two gaps", moved, pollers)
	if moved > 1+pollers/4 {
		t.Errorf("%d of %d polls moved by more than two gaps", moved, pollers)
	}
	watch(20 * time.Minute)
	if least < pollers*9/10-1 {
		t.Errorf("%d nodes polled, %d when the primary had died", pollers, least)
	}
	p.world.Run(3 * time.Hour)
	p.checkSets()
}

// When a node joins that is closer to a channel, it continues as its primary, and the wedge polls on.
func TestPrimaryJoins(t *testing.T) {
	long(t)
	t.Parallel()
	p := newNet(t, 7, short(40, 200), testConfig())
	p.zipf(100)
	p.world.Run(3 * time.Hour)
	for _, c := range p.channels[:short(2, 5)] {
		size, pollers := p.size(c.ID), len(p.pollers(c.ID))
		id := c.ID
		id[engine.Bits/8-1] ^= 1
		n := p.addID(id)
		p.world.Boot(n)
		least := pollers
		for range 60 {
			p.world.Run(10 * time.Second)
			least = min(least, len(p.pollers(c.ID)))
		}
		if p.primary(c.ID) != n {
			t.Fatal("the node that joined is not the primary")
		}
		if got := p.size(c.ID); math.Abs(got.Share()/size.Share()-1) > 1./machine.Steps { // a step farther, at most
			t.Errorf("the new primary has chosen %v, the one before had %v", got, size)
		}
		if least < pollers-1-pollers/machine.Steps {
			t.Errorf("%d nodes polled, %d when another became primary", pollers, least)
		}
	}
	p.world.Run(2 * time.Hour)
	p.checkSets()
}

// A channel that nobody subscribes to any more is polled no more.
func TestLastReaderGoes(t *testing.T) {
	t.Parallel()
	p := newNet(t, 6, 40, testConfig())
	p.zipf(20)
	p.world.Run(2 * time.Hour)
	c := p.channels[3]
	if len(p.pollers(c.ID)) < 2 {
		t.Fatal("nobody polled")
	}
	p.subscribe(c.URL, 0)
	p.world.Run(time.Minute)
	if left := p.pollers(c.ID); len(left) > 0 {
		t.Errorf("%d nodes poll on", len(left))
	}
}

// A contact that lacks an assignment is sent few others with it. If it refuses an assignment, as it has it in a higher
// term, that is not repeated again and again.
func TestPulls(t *testing.T) {
	t.Parallel()
	p := newNet(t, 5, 40, testConfig())
	p.zipf(300)
	p.world.Run(3 * time.Hour)
	above, below, position := p.pair(20)
	s, pulls, repeated := p.member(below).plan.duties, 0, 0
	p.world.Tap(func(m sim.Delivery) {
		if a, is := m.Message.(*Maintenance); is && m.From == above && m.To == below && m.Fate == sim.Received {
			repeated += len(a.Assignments)
		}
		if _, is := m.Message.(*MaintenancePull); is && m.From == below && m.To == above && m.Fate == sim.Received {
			pulls++
		}
	})
	digest := func() {
		p.world.Do(above, func(engine.Protocol) {
			s := p.member(above).plan.duties
			s.sendDigest(s.view.contact(p.world.Peer(below).ID), 0)
		})
		p.world.Run(10 * time.Minute)
	}
	var lost *duty
	for i := range s.table.length {
		if d := s.table.at(i); d.parent == position {
			lost = d
		}
	}
	channel, count := lost.channel.ID, s.parents[position].count
	p.world.Do(below, func(engine.Protocol) { s.drop(channel) })
	digest()
	if s.find(channel) == nil || pulls != 1 || repeated == 0 || repeated > count/2 {
		t.Errorf("of %d assignments one is lost: %d pulls bring %d; it is back: %v", count, pulls, repeated,
			s.find(channel) != nil)
	}
	p.world.Do(below, func(engine.Protocol) {
		other, _ := s.parentOf(p.world.Peer(below)) // any known parent
		d := s.find(channel)
		s.account(d, -1)
		d.parent, d.term = other, d.term+1000
		s.account(d, 1)
	})
	pulls = 0
	digest()
	if pulls != 1 {
		t.Errorf("an assignment is refused: %d pulls in ten minutes", pulls)
	}
}

// pair returns a node, another to which it has assigned at least so many channels, and its index among that one's
// parents.
func (p *net) pair(count int) (above, below sim.Node, position uint16) {
	for n := range sim.Node(p.world.Len()) {
		for i, by := range p.member(n).plan.duties.parents {
			if i != byself && by.count >= count {
				above, _ := p.world.NodeAt(by.peer)
				return above, n, uint16(i)
			}
		}
	}
	p.t.Fatalf("no node assigns %d channels to another", count)
	return 0, 0, 0
}
