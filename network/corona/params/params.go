// Package params agrees on the settings that all nodes of a network use: policy, intervals, ceiling of hosts, router.
//
// A node compares its settings with those of its leaf set and of its routing table's contacts, which are spread over
// the whole ring. It does so when it joins, once a maintenance interval (every five minutes, if that is shorter and all
// agree), and when its neighbours have changed.
//
//	          alone; the ring began here; none is settled, and its ID is the least
//	unsettled ─────────────────────────────────────────────────────────────────────▶ settled on its own
//	    └────────── what holds among settled nodes ──▶ settled with others ◀───────────────────┘
//
// Only settled nodes count, each once, and a settled node counts itself. The settings of more than half of them hold.
// Without a majority, the two agreements of the most nodes are compared. The one that was set earlier holds (the median
// of its nodes' times), of equally old ones the one with the smaller sum. A node does not adopt settings that it cannot
// use: it keeps its own, and reports why.
//
// So of two networks that become one, the larger one's settings hold. An attacker needs half of the settled nodes that
// a node asks, and changes nothing with fewer. Beside a founder one liar is half.
package params

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// Host is the node around a Settler. Its methods return at once.
type Host interface {
	// Adopt applies an agreement to all of the node. An error says why it cannot, and nothing has changed.
	Adopt(Agreement) error
	// Agreed and Disagreed report the trace events of these names.
	Agreed(Agreed)
	Disagreed(Disagreed)
}

// Trace events of a Settler.
type (
	// Agreed reports that this node has settled on parameters, with others or alone. Changed: they are not those that
	// it was started with.
	Agreed struct {
		Params  Agreement
		Changed bool
	}

	// Disagreed reports that most of the nodes around use parameters that this node does not adopt.
	Disagreed struct {
		Params Agreement
		Why    string
	}
)

// Settler agrees with the other nodes. It takes part as soon as the ring is active.
type Settler struct {
	machine.Base
	host Host

	now     Agreement
	since   uint64 // when now was set; see answer
	settled bool
	changed bool // now is not what the node was started with
	alone   bool // there was no node to ask the last time
	met     bool // there have been neighbours

	asked   []engine.Peer // in this round, without an answer so far
	answers []answer      // of the others
	tries   int           // rounds in a row in which an unsettled node has learned nothing; 0 if it is settled
	next    engine.Alarm  // begins a round
	end     engine.Timer  // ends it
	last    time.Duration // when the last one began
	agree   bool          // all answers in the last one had this node's settings
}

const (
	maxAsked   = 64              // nodes a round
	within     = 5 * time.Second // to answer
	soon       = time.Second     // between rounds of a node that is not settled
	restPart   = 16              // fraction of Agreement.Maintenance: least time between rounds of a settled node
	mostSlower = 6               // doublings of the time between rounds of an unsettled node
	restLeast  = 5 * time.Minute // least time between rounds if all agree and neighbours do not change
	// If all nodes of a network are new, the one with the least ID begins, after so many rounds without a settled node.
	maxUnsettled = 3
)

// New returns the settler of a node that was started with own.
func New(base machine.Base, host Host, own Agreement) *Settler {
	s := &Settler{Base: base, host: host, now: own.message(0, false).agreement()}
	s.askSoon()
	return s
}

// Params returns this node's settings, and whether it has agreed on them with others, or there are none.
func (s *Settler) Params() (a Agreement, settled bool) { return s.now, s.settled }

// Receive handles a message from a peer.
func (s *Settler) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *ParamsRequest:
		s.Env.Send(from, s.now.message(s.since, s.settled))
	case *Params:
		s.receiveParams(from, m)
	}
}

// NeighboursChanged schedules a round soon, as the node may have joined others. A node that is part of a ring before it
// has a neighbour has founded it.
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
	s.answers, s.asked, s.agree = nil, s.sample(), false
	if s.alone = len(s.asked) == 0; s.alone {
		s.endRound()
		return
	}
	for _, p := range s.asked {
		s.Env.Send(p, &ParamsRequest{})
	}
	s.end = s.Env.After(within, s.endRound)
}

// sample returns the nodes to ask, neighbours first.
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

func (s *Settler) receiveParams(from engine.Peer, m *Params) {
	i := slices.IndexFunc(s.asked, func(p engine.Peer) bool { return p.ID == from.ID })
	if i < 0 {
		return
	}
	s.asked = slices.Delete(s.asked, i, i+1)
	s.answers = append(s.answers, answer{from.ID, m.agreement(), m.Since, m.Settled})
	if len(s.asked) == 0 {
		s.endRound()
	}
}

// endRound evaluates the answers.
func (s *Settler) endRound() {
	s.end.Stop()
	enough := len(s.answers) >= len(s.asked) // at least half of them
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
	s.answers = nil
	wait := soon << min(s.tries, mostSlower)
	switch {
	case s.settled && s.agree:
		wait = s.Jitter(max(s.now.Maintenance, restLeast))
	case s.settled:
		wait = s.Jitter(s.now.Maintenance)
	}
	s.next.Soon(s.Env, s.Env.Now()+wait, s.ask)
}

// compare adopts the settings that hold among the nodes that answered.
func (s *Settler) compare() {
	s.agree = !slices.ContainsFunc(s.answers, func(a answer) bool { return !a.settled || a.uses != s.now })
	g := holding(append(s.answers, answer{s.Env.Self().ID, s.now, s.since, s.settled}))
	switch {
	case g == nil && s.tries >= maxUnsettled && s.least():
		s.found()
	case g != nil && (!s.settled || g.uses != s.now):
		s.adopt(g.uses, g.age())
	}
}

// least reports whether this node has the smallest ID of all that answered.
func (s *Settler) least() bool {
	self := s.Env.Self().ID
	return !slices.ContainsFunc(s.answers, func(a answer) bool { return a.by.Compare(self) < 0 })
}

// adopt adopts others' settings, if this node can.
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

// found settles on this node's own settings.
func (s *Settler) found() { s.settle(uint64(max(0, s.Env.Wall().UnixMilli()))) }

func (s *Settler) settle(since uint64) {
	s.since, s.settled, s.tries = since, true, 0
	e := Agreed{s.now, s.changed}
	s.Env.Trace(e)
	s.host.Agreed(e)
}
