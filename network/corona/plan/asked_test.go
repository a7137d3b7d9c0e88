package plan

import (
	"testing"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// newSignedNet returns a ring of nodes with keys.
func newSignedNet(t testing.TB, seed uint64, nodes int) *net {
	p := newNet(t, seed, 0, testConfig())
	p.signs = true
	for range nodes {
		n := p.add()
		p.world.Boot(n)
		p.world.Run(100 * time.Millisecond)
	}
	p.world.Run(15 * time.Minute)
	return p
}

// below returns a node that polls an assigned channel and cannot be its primary, and the node above it.
func (p *net) below(channel engine.ID) (at *member, parent engine.Peer) {
	for _, n := range p.pollers(channel) {
		m := p.member(n)
		if d := m.plan.duties.find(channel); d.parent != byself {
			if parent := m.plan.duties.parents[d.parent].peer; !m.plan.MayLead(parent.ID, channel, len(p.active())) {
				return m, parent
			}
		}
	}
	p.t.Fatal("nobody was assigned the channel by a node that cannot be its primary")
	return nil, engine.Peer{}
}

// assignmentTo returns what a node was assigned, as if it were assigned again.
func assignmentTo(m *member, channel engine.ID) Assignment {
	d := m.plan.duties.find(channel)
	return Assignment{Channel: channel, URL: d.channel.URL, Size: d.size, Term: d.term, Width: 1000}
}

// What an origin asks for goes down with the primary's signature. A node above that says something else, or the same
// for another channel or term, is not heeded.
func TestLimitsAreThePrimarys(t *testing.T) {
	t.Parallel()
	p := newSignedNet(t, 3, 80)
	news := p.subscribe("http://news/1", 40)
	other := p.subscribe("http://news/2", 40)
	p.world.Run(2 * time.Hour)
	primary := p.primary(news.ID)
	wait := 3 * time.Hour
	p.limits[news.ID] = Limits{NotBefore: p.member(primary).env.Now() + wait}
	p.world.Do(primary, func(engine.Protocol) { p.member(primary).plan.Renew(news.ID) })
	p.world.Run(time.Minute)
	m, parent := p.below(news.ID)
	node, _ := p.world.NodeAt(m.env.Self())
	left := func() time.Duration { return m.recorder.tasks[news.ID].NotBefore - m.env.Now() }
	if got := left(); got < wait-2*time.Minute || got > wait {
		t.Fatalf("%v after the origin has asked for %v nobody is to poll for another %v", time.Minute, wait, got)
	}
	genuine := m.plan.duties.asked[news.ID]
	liar, _ := p.world.NodeAt(parent)
	deliver := func(a Assignment) {
		p.world.Do(node, func(engine.Protocol) {
			m.plan.Receive(parent, &Maintenance{Assignments: []Assignment{a}})
		})
	}
	until := func(d time.Duration) uint32 { return uint32(m.env.Wall().Add(d).Unix()) }
	forge := func(a Assignment, with Asked) Assignment {
		a.Wait, a.Asked = 20*3600, []Asked{with}
		return a
	}
	longer := Asked{Interval: 40 * 3600, Until: until(20 * time.Hour), By: genuine.By, Signature: genuine.Signature}
	own := longer
	own.By, own.Signature = parent, p.world.Keys(liar).Sign(AskedWords(news.ID, m.plan.duties.find(news.ID).term,
		&longer))
	end, interval := genuine, genuine
	end.Until, interval.Interval = longer.Until, longer.Interval
	for name, with := range map[string]Asked{"changed": longer, "with another end": end,
		"with another interval": interval, "signed by another node": own,
		"without a signature": {Interval: 40 * 3600, Until: longer.Until}} {
		deliver(forge(assignmentTo(m, news.ID), genuine)) // which is known from then on
		deliver(forge(assignmentTo(m, news.ID), with))
		if task := m.recorder.tasks[news.ID]; task.Interval > p.config.Interval || left() > wait {
			t.Errorf("%s: the node polls every %v, and not for %v", name, task.Interval, left())
		}
	}
	deliver(forge(assignmentTo(m, news.ID), genuine))
	if got := left(); got < wait-5*time.Minute || got > wait+clockError {
		t.Errorf("a node above makes of %v that it still is that nobody is to poll for %v", wait, got)
	}
	for name, change := range map[string]func(*Assignment){
		"another channel's": func(a *Assignment) { a.Channel, a.URL = other.ID, other.URL },
		"another term's":    func(a *Assignment) { a.Term++ },
	} {
		a := forge(assignmentTo(m, news.ID), genuine)
		change(&a)
		before := m.recorder.tasks[a.Channel].NotBefore
		deliver(a)
		if got := m.recorder.tasks[a.Channel].NotBefore; got > max(before, m.env.Now()) {
			t.Errorf("%s limits have the node not poll for %v", name, got-m.env.Now())
		}
	}
}

// A parent that moves a slot again and again, or ends and renews the assignment, at most doubles an origin's polls.
func TestSlotsThatMoveMakeFewPolls(t *testing.T) {
	t.Parallel()
	p := newSignedNet(t, 3, 80)
	news := p.subscribe("http://news/1", 40)
	p.world.Run(2 * time.Hour)
	m, parent := p.below(news.ID)
	node, _ := p.world.NodeAt(m.env.Self())
	polls, since := 0, m.env.Now()
	count := func(machine.Channel) {
		task, ok := m.recorder.tasks[news.ID]
		for at := task.First; ok && at < m.env.Now(); at += task.Interval {
			if at >= since {
				polls++
			}
		}
		since = m.env.Now()
	}
	m.recorder.before = func(channel engine.ID) {
		if channel == news.ID {
			count(news)
		}
	}
	a := assignmentTo(m, news.ID)
	const hours = 4
	for i := range hours * 120 {
		p.world.Do(node, func(engine.Protocol) {
			a.Start = uint32(1000 + i%7*5000)
			if i%3 == 0 {
				m.plan.Receive(parent, &Maintenance{Assignments: []Assignment{{Channel: news.ID, Stop: true}}})
			}
			m.plan.Receive(parent, &Maintenance{Assignments: []Assignment{a}})
		})
		p.world.Run(30 * time.Second)
	}
	count(news)
	if most := hours*4 + 1; polls > most || polls == 0 {
		t.Errorf("the node polls %d times in %d hours; twice in each of %v would be %d", polls, hours,
			p.config.Interval, most)
	}
}

// Assignments without proof are not requested again and again as fast as messages go.
func TestAssignmentsWithoutProofAreNotRepeatedFast(t *testing.T) {
	t.Parallel()
	p := newNet(t, 1, 20, testConfig())
	p.unproved = true
	p.subscribe("http://news/1", 40)
	p.world.Run(10 * time.Minute)
	sent := func(m engine.Message) uint64 {
		if count := p.world.Counters().Kinds[m.Kind()]; count != nil {
			return count.Sent
		}
		return 0
	}
	assigned, unknown := sent(new(Maintenance)), sent(new(Unknown))
	if assigned == 0 || assigned > 400 || unknown > 200 {
		t.Errorf("%d assignments and %d questions about them in ten minutes", assigned, unknown)
	}
}
