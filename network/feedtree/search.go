package feedtree

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// searcher finds what followers lack: items, or a word of a publisher that is overdue. In each round of a search it
// asks the parent first, then the roots and other nodes that it learns of. Next it asks any node with the item on the
// way to the root, and then one on the way there from a random node. Last it asks the archive. If no one has it, the
// conventional feed has to be polled. The next round comes after a rest, which doubles up to Config.RetrySlow. In a
// round it asks each node once, and maxCandidates at most.
type searcher struct {
	env      engine.Env
	config   Config
	ring     Ring
	tree     Tree
	archive  Archive // nil: there is none
	listener Listener
	isBanned func(engine.ID) bool
}

// search is what a searcher knows of one follower's search. Only the searcher changes it.
type search struct {
	goal goal
	// accept receives what the archive has, and reports whether it is genuine. That is an item, its head, or a
	// withdrawal in its place.
	accept func(topic engine.ID, word engine.Message, back *Withdrawal) bool

	on    bool
	fresh bool   // nothing is known of the publisher yet
	gap   uint64 // up to which number a gap has been traced
	round int
	step  step
	timer engine.Alarm

	queue  []candidate // to be asked
	done   []candidate // asked in this round
	asking candidate   // the one that owes an answer; zero: none
	from   uint64      // what it was asked for

	turn      int           // counts steps, so that late answers of the archive show
	finds     int           // that the archive owes an answer to
	found     bool          // one of them was not in vain
	barren    engine.ID     // the parent that had none of what is missing
	suspected time.Duration // when one was distrusted last
}

// goal is what a follower lacks.
type goal interface {
	// isOpen reports whether the channel is followed, and its key not revoked.
	isOpen() bool
	// missing returns the first numbers that are missing, from one up to another; 0, 0: none is.
	missing() (from, to uint64)
	// lastKnown returns the highest number that is known to exist.
	lastKnown() uint64
	// isOverdue reports whether a word of the publisher is.
	isOverdue() bool
	// topics returns those of the channel, the present one first, which is used since a time.
	topics() (topics []engine.ID, since time.Duration)
}

// step is what a search does when no node is left to ask.
type step uint8

const (
	seekOn step = iota
	seekAround
	askArchive
	rest
	resting
)

// candidate is a node that may have what is missing.
type candidate struct {
	peer  engine.Peer
	topic engine.ID
}

const maxCandidates = 16

// freshRounds is in how many more rounds a new follower looks for a first word of the publisher. The nodes that it asks
// may be as new as it is. If many come at the same time, one round is not enough. After that the next word comes down
// the tree, or is overdue.
const freshRounds = 3

// lacks reports whether there is something to look for.
func (s *search) lacks() bool {
	from, _ := s.goal.missing()
	return s.goal.isOpen() && (from > 0 || s.goal.isOverdue() || s.fresh)
}

// topic returns the present one.
func (s *search) topic() engine.ID {
	topics, _ := s.goal.topics()
	return topics[0]
}

// unknown has the first word of the publisher looked for: on a new topic, nothing is known of it yet.
func (s *search) unknown() { s.fresh = true }

// spoken notes that the publisher has spoken.
func (s *search) spoken() { s.fresh = false }

// update looks for what is missing, or stops doing so.
func (w *searcher) update(s *search) {
	from, to := s.goal.missing()
	if from == 0 {
		s.gap = 0
		if !s.lacks() {
			w.end(s)
		}
		return
	}
	if to > s.gap {
		s.gap = to
		w.env.Trace(Gap{s.topic(), from, to})
		w.anew(s)
	}
}

// in begins a search after a while, if there is none.
func (w *searcher) in(s *search, wait time.Duration) {
	if !s.on {
		s.on = true
		s.timer.Set(w.env, w.env.Now()+wait, func() { w.beginRound(s) })
	}
}

// anew has a search begin soon, though it may be resting.
func (w *searcher) anew(s *search) {
	if s.on && s.step == resting {
		w.end(s)
	}
	w.in(s, jitter(w.env, w.config.Grace))
}

func (w *searcher) end(s *search) {
	s.timer.Stop()
	*s = search{goal: s.goal, accept: s.accept, fresh: s.fresh, gap: s.gap, suspected: s.suspected, turn: s.turn + 1}
}

// beginRound begins with the parents, or where there are none with a child, and the roots after them.
func (w *searcher) beginRound(s *search) {
	s.step, s.queue, s.done, s.barren = seekOn, nil, nil, engine.ID{}
	topics, _ := s.goal.topics()
	for _, topic := range topics {
		if beside := beside(w.tree, topic); len(beside) > 0 {
			w.propose(s, candidate{beside[0], topic})
		}
	}
	for _, p := range w.tree.Roots(topics[0]) {
		w.propose(s, candidate{p, topics[0]})
	}
	w.next(s)
}

// propose adds a node to ask, once a round.
func (w *searcher) propose(s *search, c candidate) {
	same := func(d candidate) bool { return d.peer.ID == c.peer.ID && d.topic == c.topic }
	switch {
	case c.peer.IsZero(), c.peer.ID == w.env.Self().ID, w.isBanned(c.peer.ID), same(s.asking):
	case slices.ContainsFunc(s.queue, same), slices.ContainsFunc(s.done, same):
	case len(s.queue)+len(s.done) >= maxCandidates:
	default:
		s.queue = append(s.queue, c)
	}
}

// next makes the next step.
func (w *searcher) next(s *search) {
	s.asking, s.finds = candidate{}, 0
	s.turn++
	s.timer.Stop()
	if !s.lacks() {
		w.end(s)
		return
	}
	if len(s.queue) > 0 {
		c := s.queue[0]
		s.queue = s.queue[1:]
		s.done = append(s.done, c)
		w.ask(s, c)
		return
	}
	from, _ := s.goal.missing()
	if from == 0 && s.round > 0 {
		// that the publisher is silent is known: the parent and the archive alone are asked again
		s.step = max(s.step, askArchive)
	}
	switch s.step {
	case seekOn:
		s.step = seekAround
		w.seek(s, engine.Peer{})
	case seekAround:
		s.step = askArchive
		w.seek(s, anybody(w.env, w.ring))
	case askArchive:
		s.step = rest
		w.find(s)
	default:
		w.fallBack(s)
	}
}

// nextIn makes the next step after a while, if nothing comes before.
func (w *searcher) nextIn(s *search, wait time.Duration) {
	s.timer.Set(w.env, w.env.Now()+wait, func() { w.next(s) })
}

// ask asks a node for the first of what is missing, or for what comes after the latest.
func (w *searcher) ask(s *search, c candidate) {
	from, to := s.goal.missing()
	if from == 0 {
		from = s.goal.lastKnown() + 1
	}
	s.asking, s.from = c, from
	w.env.Send(c.peer, &Ask{Topic: c.topic, From: from, To: to})
	w.nextIn(s, w.config.AskWait)
}

// seek looks on the ring for a node to ask.
func (w *searcher) seek(s *search, over engine.Peer) {
	from, _ := s.goal.missing()
	topics, _ := s.goal.topics()
	for _, topic := range topics {
		m := &Seek{Topic: topic, From: max(from, 1), Asker: w.env.Self()}
		if from == 0 {
			m.From = s.goal.lastKnown() + 1
		}
		if over.IsZero() {
			w.ring.Route(topic, m)
		} else {
			m.Start = true
			w.env.Send(over, m)
		}
	}
	w.nextIn(s, w.config.AskWait)
}

// anybody draws a node of the ring; zero if none is known.
func anybody(env engine.Env, ring Ring) engine.Peer {
	known := ring.Known()
	if len(known) == 0 {
		return engine.Peer{}
	}
	return known[env.Rand().IntN(len(known))]
}

// fallBack ends a round in which no node had what is missing.
func (w *searcher) fallBack(s *search) {
	from, to := s.goal.missing()
	s.fresh = s.fresh && s.round < freshRounds
	if !s.lacks() {
		w.end(s)
		return
	}
	if from > 0 || s.goal.isOverdue() {
		w.env.Trace(Fallback{s.topic(), from, to})
		w.listener.Fallback(s.topic(), to)
	}
	wait := min(w.config.Retry<<min(s.round, 20), w.config.RetrySlow)
	s.round++
	s.step = resting
	s.timer.Set(w.env, w.env.Now()+jitter(w.env, wait), func() { w.beginRound(s) })
}

// peerDown goes on if a search waits for a peer that is down.
func (w *searcher) peerDown(s *search, p engine.Peer) {
	if c := s.asking; !c.peer.IsZero() && c.peer.ID == p.ID {
		w.next(s)
	}
}

// receiveHas has those asked that are named.
func (w *searcher) receiveHas(s *search, from engine.Peer, m *Has) {
	if !s.on || s.step == resting {
		return
	}
	if m.Last > 0 {
		w.propose(s, candidate{from, m.Topic})
	}
	for _, p := range m.Others {
		w.propose(s, candidate{p, m.Topic})
	}
	if s.asking.peer.IsZero() && len(s.queue) > 0 && s.finds == 0 {
		w.next(s)
	}
}

// owes reports whether a node owes this one an answer, or did in this round.
func (s *search) owes(from engine.Peer, m *Items) (now, before bool) {
	now = s.asking.peer.ID == from.ID && s.asking.topic == m.Topic && s.from == m.From
	before = slices.ContainsFunc(s.done, func(c candidate) bool { return c.peer.ID == from.ID && c.topic == m.Topic })
	return now, before
}

// answered goes on after the answer of the node that owes one. If that node may have more, it is asked again.
func (w *searcher) answered(s *search, more bool) {
	switch {
	case !s.on:
	case more && s.lacks():
		w.ask(s, s.asking)
	default:
		w.next(s)
	}
}

// recentItem is how old an item is at most that a parent should have passed on just now.
const recentItem = time.Minute

// maybeDistrust makes the router look for another parent if the parent has nothing of what another node has, and that
// is new. barren is the parent that had nothing.
func (w *searcher) maybeDistrust(s *search, from engine.Peer, m *Items, barren engine.ID) {
	now := w.env.Now()
	parent, ok := w.tree.Parent(m.Topic)
	_, since := s.goal.topics()
	switch {
	case !ok:
	case parent.ID == from.ID:
		if len(m.Items) == 0 {
			s.barren = from.ID
		}
	case barren != parent.ID, s.suspected > 0 && now < s.suspected+recentItem, now < since+recentItem:
	case slices.ContainsFunc(m.Items, func(each engine.Message) bool {
		i, ok := each.(*Item)
		return ok && w.env.Wall().Sub(time.UnixMilli(i.Time)) < recentItem
	}):
		s.suspected = now
		w.env.Trace(Suppressed{m.Topic, parent})
		w.tree.Distrust(m.Topic)
	}
}
