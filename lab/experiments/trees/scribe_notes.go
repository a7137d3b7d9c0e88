package trees

import (
	"slices"
	"time"

	"tidings/lab/experiments/testnet"
	"tidings/lab/stats"
	"tidings/network/engine"
	"tidings/network/scribe"
	"tidings/network/sim"
)

// notes are the events that were published in a world, and what became of them.
type notes struct {
	world  *scribeWorld
	all    []*published // by number, from 1
	copies map[hop]int  // of events, by the two nodes between which they went; see count

	watched map[scribe.Group]*published // the latest of each group, if it is to be known when its root has it
}

// published is one event.
type published struct {
	group int
	by    sim.Node
	root  sim.Node
	at    time.Duration
	due   []dueAt
	came  map[sim.Node]time.Duration // after how long
	begun time.Duration              // after how long the root had it, if that is watched
}

// dueAt is a member to which an event is due, and which of its lives it lived then.
type dueAt struct {
	node sim.Node
	life int
}

type hop struct{ from, to sim.Node }

func newNotes(g *scribeWorld) *notes {
	s := &notes{world: g, copies: make(map[hop]int), watched: make(map[scribe.Group]*published)}
	g.Observe(func(at time.Duration, n sim.Node, event any) {
		switch e := event.(type) {
		case scribe.Came:
			if p := s.watched[e.Group]; p != nil && p.root == n {
				p.begun = at - p.at
				delete(s.watched, e.Group)
			}
		case scribe.Delivered:
			p := s.all[e.Event.(*testnet.Note).Number-1]
			if _, again := p.came[n]; !again {
				p.came[n] = at - p.at
			}
		}
	})
	return s
}

// count has copies counted from now on.
func (s *notes) count() {
	s.world.Tap(func(p sim.Delivery) {
		if p.Fate != sim.Sent {
			return
		}
		switch p.Message.(type) {
		case *scribe.Publish, *scribe.Disseminate, *scribe.Missed:
			s.copies[hop{p.From, p.To}]++
		}
	})
}

// publish has a live member of a group publish an event, the first one or any. Due are the members that are up.
func (s *notes) publish(group int, first bool) *published {
	g := s.world
	p := &published{group: group, at: g.Now(), came: make(map[sim.Node]time.Duration)}
	for _, n := range g.groups[group] {
		if g.Up(n) {
			p.due = append(p.due, dueAt{n, g.Left[n]})
		}
	}
	if len(p.due) == 0 {
		return nil
	}
	if p.by = p.due[0].node; !first {
		p.by = p.due[g.Chance.IntN(len(p.due))].node
	}
	s.send(p)
	return p
}

// send has an event published.
func (s *notes) send(p *published) {
	s.all = append(s.all, p)
	m := testnet.NewNote(len(s.all))
	s.world.Do(p.by, func(engine.Protocol) { s.world.at(p.by).publish(s.world.names[p.group], m) })
}

// outcome is what became of some events, at members that have been up ever since they were published.
type outcome struct {
	due    int
	delays []float64 // in seconds, ascending; those of the publishers left out
}

// outcome returns what became of events.
func (s *notes) outcome(events []*published) (o outcome) {
	for _, p := range events {
		for _, d := range p.due {
			if d.node == p.by || s.world.Left[d.node] != d.life {
				continue
			}
			o.due++
			if after, ok := p.came[d.node]; ok {
				o.delays = append(o.delays, after.Seconds())
			}
		}
	}
	slices.Sort(o.delays)
	return o
}

// share returns which share was delivered within a time.
func (o outcome) share(within time.Duration) float64 {
	n, _ := slices.BinarySearch(o.delays, within.Seconds()+1e-9)
	return float64(n) / float64(max(o.due, 1))
}

// within returns after how many seconds a share of all that were delivered had come.
func (o outcome) within(share float64) float64 { return stats.Quantile(o.delays, share) }
