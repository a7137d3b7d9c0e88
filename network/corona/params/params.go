// Package params is how the nodes of a network come to use the same settings: policy, intervals, ceiling of hosts, router.
//
// A node compares what it uses with its leaf set and the contacts of its routing table, which are spread over the whole ring: when it joins, once a maintenance
// interval (every five minutes, where that is shorter and all agree), and when its neighbours have changed.
//
//	          alone; the ring began here; nobody is settled, and its ID is the least
//	unsettled ─────────────────────────────────────────────────────────────────────▶ settled on its own
//	    └────────── what holds among settled nodes ──▶ settled with others ◀───────────────────┘
//
// Only settled nodes count, each once, and a settled node counts itself. What more than half of them use holds. Where nothing has a majority, two agreements are
// compared, those of the most nodes: the one that was set earlier holds (the median of what its nodes say), of equally old ones the one with the smaller sum.
// What a node cannot use it does not adopt: it goes on by what it has, and says why.
//
// So of two networks that become one, the larger one's settings hold. An attacker needs half of the settled nodes that a node asks; with fewer he changes
// nothing. Beside a founder one liar is half.
package params

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// Host is the node that a Settler settles for. Its methods return at once.
type Host interface {
	// Adopt has all of the node use an agreement from now on. An error says why it cannot, and nothing has changed.
	Adopt(Agreement) error
	// Agreed and Disagreed tell of what is traced as well.
	Agreed(Agreed)
	Disagreed(Disagreed)
}

// What a Settler traces.
type (
	// Agreed says that this node has settled on parameters, with others or alone; Changed, that they are not those that it was started with.
	Agreed struct {
		Params  Agreement
		Changed bool
	}

	// Disagreed says that most of those around use parameters that this node does not adopt.
	Disagreed struct {
		Params Agreement
		Why    string
	}
)

// Settler is how one node agrees with the others. It takes part as soon as the ring is active.
type Settler struct {
	machine.Base
	host Host

	now     Agreement
	since   uint64 // when now was set; see answer
	settled bool
	changed bool // now is not what the node was started with
	alone   bool // there was nobody to ask the last time
	met     bool // there have been neighbours

	asked []engine.Peer // in this round, and have not answered
	said  []answer      // by the others
	tries int           // rounds in a row in which an unsettled node has learnt nothing; 0 if it is settled
	next  engine.Alarm  // begins a round
	end   engine.Timer  // ends it
	last  time.Duration // when the last one began
	agree bool          // all who answered in the last one use what this node does
}

const (
	maxAsked   = 64              // nodes a round
	within     = 5 * time.Second // to answer
	soon       = time.Second     // between rounds of a node that is not settled
	restPart   = 16              // part of Agreement.Maintenance: least time between rounds of one that is
	mostSlower = 6               // doublings of the time between rounds of one that is not
	restLeast  = 5 * time.Minute // least time between rounds where all agree and no neighbour comes or goes
	// In a network whose nodes have all just come, the one with the least ID begins, after so many rounds in which nobody was settled.
	maxUnsettled = 3
)

// New returns how a node agrees with others that was started with own.
func New(base machine.Base, host Host, own Agreement) *Settler {
	s := &Settler{Base: base, host: host, now: own.message(0, false).agreement()}
	s.askSoon()
	return s
}

// Params returns what this node uses, and whether it has agreed on that with others, or there are none.
func (s *Settler) Params() (a Agreement, settled bool) { return s.now, s.settled }

// Receive takes a message from a peer.
func (s *Settler) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *ParamsRequest:
		s.Env.Send(from, s.now.message(s.since, s.settled))
	case *Params:
		s.takeParams(from, m)
	}
}

// NeighboursChanged has the node ask soon, as it may have come among others. One that is part of a ring before it has a neighbour has founded it.
func (s *Settler) NeighboursChanged() {
	if !s.met && !s.settled && s.Ring.Active() {
		s.found()
	}
	s.met = true
	switch {
	case !s.settled: // it is asking
	case s.alone:
		s.askSoon()
	default:
		s.next.Soon(s.Env, max(s.Env.Now()+soon, s.last+s.now.Maintenance/restPart), s.ask)
	}
}

func (s *Settler) askSoon() { s.next.Soon(s.Env, s.Env.Now()+soon, s.ask) }

// ask begins a round.
func (s *Settler) ask() {
	if !s.Ring.Active() {
		s.askSoon()
		return
	}
	s.end.Stop()
	s.last = s.Env.Now()
	s.said, s.asked, s.agree = nil, s.sample(), false
	if s.alone = len(s.asked) == 0; s.alone {
		s.endRound()
		return
	}
	for _, p := range s.asked {
		s.Env.Send(p, &ParamsRequest{})
	}
	s.end = s.Env.After(within, s.endRound)
}

// sample returns whom to ask: neighbours first.
func (s *Settler) sample() (peers []engine.Peer) {
	self := s.Env.Self().ID
	neighbours, _ := s.Ring.Owners(self, maxAsked)
	for _, p := range slices.Concat(neighbours, s.Ring.WedgeContacts(self, 0)) {
		known := slices.ContainsFunc(peers, func(q engine.Peer) bool { return q.ID == p.ID })
		if !known && !s.IsSelf(p) && len(peers) < maxAsked {
			peers = append(peers, p)
		}
	}
	return peers
}

func (s *Settler) takeParams(from engine.Peer, m *Params) {
	i := slices.IndexFunc(s.asked, func(p engine.Peer) bool { return p.ID == from.ID })
	if i < 0 {
		return
	}
	s.asked = slices.Delete(s.asked, i, i+1)
	s.said = append(s.said, answer{from.ID, m.agreement(), m.Since, m.Settled})
	if len(s.asked) == 0 {
		s.endRound()
	}
}

// endRound draws the conclusion from what was said.
func (s *Settler) endRound() {
	s.end.Stop()
	enough := len(s.said) >= len(s.asked) // half of them at least
	s.asked = nil
	if !s.settled {
		s.tries++
	}
	switch {
	case s.alone && !s.settled:
		s.found()
	case enough && !s.alone:
		s.compare()
	}
	s.said = nil
	wait := soon << min(s.tries, mostSlower)
	switch {
	case s.settled && s.agree:
		wait = s.Jitter(max(s.now.Maintenance, restLeast))
	case s.settled:
		wait = s.Jitter(s.now.Maintenance)
	}
	s.next.Soon(s.Env, s.Env.Now()+wait, s.ask)
}

// compare takes over what holds among those who answered.
func (s *Settler) compare() {
	s.agree = !slices.ContainsFunc(s.said, func(a answer) bool { return !a.settled || a.uses != s.now })
	g := holding(append(s.said, answer{s.Env.Self().ID, s.now, s.since, s.settled}))
	switch {
	case g == nil && s.tries >= maxUnsettled && s.least():
		s.found()
	case g != nil && (!s.settled || g.uses != s.now):
		s.adopt(g.uses, g.age())
	}
}

// least reports whether nobody who has answered has a smaller ID than this node.
func (s *Settler) least() bool {
	self := s.Env.Self().ID
	return !slices.ContainsFunc(s.said, func(a answer) bool { return a.by.Compare(self) < 0 })
}

// adopt has this node use what others do, if it can.
func (s *Settler) adopt(a Agreement, since uint64) {
	if a != s.now {
		if err := s.host.Adopt(a); err != nil {
			e := Disagreed{a, err.Error()}
			s.Env.Trace(e)
			s.host.Disagreed(e)
			return
		}
		s.now, s.changed = a, true
	}
	s.settle(since)
}

// found settles on what this node goes by.
func (s *Settler) found() { s.settle(uint64(max(0, s.Env.Wall().UnixMilli()))) }

func (s *Settler) settle(since uint64) {
	s.since, s.settled, s.tries = since, true, 0
	e := Agreed{s.now, s.changed}
	s.Env.Trace(e)
	s.host.Agreed(e)
}
