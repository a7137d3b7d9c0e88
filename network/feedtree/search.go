package feedtree

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// search is how a follower finds what it lacks: items, or a word of a publisher that is overdue. In
// each round it asks its parent, then the roots and others that it hears of, then whoever has it on the way to the
// root, then whoever has it on the way there from a random node, then the archive. If all is in vain the
// conventional feed has to be looked at; the next round comes after a rest.
type search struct {
	on    bool
	fresh bool   // nothing is known of the publisher yet
	told  uint64 // up to which number a gap has been traced
	round int
	step  step
	timer engine.Alarm

	queue  []candidate // to be asked
	done   []candidate // asked in this round
	asking candidate   // who owes an answer; zero: nobody
	from   uint64      // what it was asked for

	turn      int           // counts steps, so that late answers of the archive show
	finds     int           // that the archive owes an answer to
	found     bool          // one of them was not in vain
	barren    engine.ID     // the parent that had none of what is missing
	suspected time.Duration // when one was distrusted last
}

// step is what a search does when there is nobody left to be asked.
type step uint8

const (
	seekOn step = iota
	seekAround
	askArchive
	rest
	resting
)

// candidate is who may have what is missing.
type candidate struct {
	peer  engine.Peer
	topic engine.ID
}

const maxCandidates = 16

// freshRounds is in how many more rounds a new follower looks for a first word of the publisher. Those that it
// asks may be as new as it is: where many come at the same time, one round is not enough. After that the next
// word comes down the tree, or is overdue.
const freshRounds = 3

// lacks reports whether there is something to look for.
func (n *Node) lacks(f *following) bool {
	from, _ := f.missing()
	return !f.void && !f.gone && (from > 0 || f.overdue || f.search.fresh)
}

// searchIn begins a search after a while, if there is none.
func (n *Node) searchIn(f *following, wait time.Duration) {
	if s := &f.search; !s.on {
		s.on = true
		s.timer.Set(n.env, n.env.Now()+wait, func() { n.beginRound(f) })
	}
}

// searchAnew has a search begin soon, though it may be resting.
func (n *Node) searchAnew(f *following) {
	s := &f.search
	if s.on && s.step == resting {
		n.endSearch(f)
	}
	n.searchIn(f, n.jitter(n.config.Grace))
}

func (n *Node) endSearch(f *following) {
	s := &f.search
	s.timer.Stop()
	*s = search{fresh: s.fresh, told: s.told, suspected: s.suspected, turn: s.turn + 1}
}

func (n *Node) maybeEndSearch(f *following) {
	if !n.lacks(f) {
		n.endSearch(f)
	}
}

// beginRound begins with the parents, or where there are none with a child, and the roots after them.
func (n *Node) beginRound(f *following) {
	s := &f.search
	s.step, s.queue, s.done, s.barren = seekOn, nil, nil, engine.ID{}
	for _, e := range f.eras {
		for i, p := range n.beside(e.topic) {
			if i == 0 {
				n.propose(f, candidate{p, e.topic})
			}
		}
	}
	for _, p := range n.tree.Roots(f.present().topic) {
		n.propose(f, candidate{p, f.present().topic})
	}
	n.searchOn(f)
}

// propose has somebody asked, once a round.
func (n *Node) propose(f *following, c candidate) {
	s := &f.search
	same := func(d candidate) bool { return d.peer.ID == c.peer.ID && d.topic == c.topic }
	switch {
	case c.peer.IsZero(), n.isSelf(c.peer), n.isBanned(c.peer.ID), same(s.asking):
	case slices.ContainsFunc(s.queue, same), slices.ContainsFunc(s.done, same):
	case len(s.queue)+len(s.done) >= maxCandidates:
	default:
		s.queue = append(s.queue, c)
	}
}

// searchOn takes the next step.
func (n *Node) searchOn(f *following) {
	s := &f.search
	s.asking, s.finds = candidate{}, 0
	s.turn++
	s.timer.Stop()
	if !n.lacks(f) {
		n.endSearch(f)
		return
	}
	if len(s.queue) > 0 {
		c := s.queue[0]
		s.queue = s.queue[1:]
		s.done = append(s.done, c)
		n.ask(f, c)
		return
	}
	from, _ := f.missing()
	if from == 0 && s.round > 0 {
		s.step = max(s.step, askArchive) // that the publisher is silent is known: the parent and the archive alone are asked again
	}
	switch s.step {
	case seekOn:
		s.step = seekAround
		n.seek(f, engine.Peer{})
	case seekAround:
		s.step = askArchive
		n.seek(f, n.anybody())
	case askArchive:
		s.step = rest
		n.find(f)
	default:
		n.fallBack(f)
	}
}

// next has the search take its next step after a while, if nothing comes before.
func (n *Node) nextIn(f *following, wait time.Duration) {
	f.search.timer.Set(n.env, n.env.Now()+wait, func() { n.searchOn(f) })
}

// ask asks a node for the first of what is missing, or for what comes after the latest.
func (n *Node) ask(f *following, c candidate) {
	s := &f.search
	from, to := f.missing()
	if from == 0 {
		from = f.last + 1
	}
	s.asking, s.from = c, from
	n.env.Send(c.peer, &Ask{Topic: c.topic, From: from, To: to})
	n.nextIn(f, n.config.AskWait)
}

// seek has the ring find somebody to ask.
func (n *Node) seek(f *following, over engine.Peer) {
	from, _ := f.missing()
	for _, e := range f.eras {
		m := &Seek{Topic: e.topic, From: max(from, 1), Asker: n.env.Self()}
		if from == 0 {
			m.From = f.last + 1
		}
		if over.IsZero() {
			n.ring.Route(e.topic, m)
		} else {
			m.Start = true
			n.env.Send(over, m)
		}
	}
	n.nextIn(f, n.config.AskWait)
}

// anybody draws a node of the ring; zero if none is known.
func (n *Node) anybody() engine.Peer {
	known := n.ring.Known()
	if len(known) == 0 {
		return engine.Peer{}
	}
	return known[n.env.Rand().IntN(len(known))]
}

// fallBack ends a round in which nobody had what is missing.
func (n *Node) fallBack(f *following) {
	s := &f.search
	from, to := f.missing()
	s.fresh = s.fresh && s.round < freshRounds
	if !n.lacks(f) {
		n.endSearch(f)
		return
	}
	if from > 0 || f.overdue {
		n.env.Trace(Fallback{f.present().topic, from, to})
		n.listener.Fallback(f.present().topic, to)
	}
	wait := min(n.config.Retry<<min(s.round, 20), n.config.RetrySlow)
	s.round++
	s.step = resting
	s.timer.Set(n.env, n.env.Now()+n.jitter(wait), func() { n.beginRound(f) })
}

// lost has searches go on that wait for a peer that is down.
func (n *Node) lost(p engine.Peer) {
	for _, f := range n.followings.list {
		if c := f.search.asking; !c.peer.IsZero() && c.peer.ID == p.ID {
			n.searchOn(f)
		}
	}
}
