package scribe

import (
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
)

// comparer compares what this node has of its groups with what their roots have. So a node between them that swallows
// events is found out.
type comparer struct {
	env    engine.Env
	finder finder
	member network.Member
	config Config
}

// comparison is what a comparer knows of one group. Only the comparer changes it.
type comparison struct {
	of    Group
	held  holder
	roots rootsOf
	next  engine.Alarm // when it compares
	haste int          // by how much faster it compares

	with     engine.Peer // the root that is asked; zero: none
	tries    int         // that were not answered, in a row
	late     engine.Alarm
	missed   int           // Missed that came since it compared last, or found its parent
	answered []engine.ID   // in this round, in which each root answers once
	partly   bool          // a node did not send all that it announced
	began    time.Duration // this round
	settled  time.Duration // when the last whole round began; what came before is compared no more
	asked    asked
}

// holder is what a node has of a group, and wants of it.
type holder interface {
	isMember() bool
	wantsSince() time.Duration
	has(name uint64) bool
	namesSince(from time.Duration) []uint64
	// avoided returns the nodes that are not to be asked for the roots.
	avoided(now time.Duration) []engine.ID
}

// asked counts comparisons that a root is asked for.
type asked struct {
	since         time.Duration
	count, before int
	back          time.Duration // when this root asked one that asked it
}

const (
	// gapWait is how long a member waits for events that were overtaken before it asks for them.
	gapWait = 3 * time.Second

	// hurry is by how much faster a member compares that has just been found to lack something: its new
	// parent may be no better than the last. It slows down again by half with each comparison.
	hurry = 8

	// compareTries is how many roots a member asks, one after the other, until one answers.
	compareTries = 4

	// overlap is how much further than the last round a node looks back: an event does not reach all nodes at the same
	// time.
	overlap = 30 * time.Second

	// maxPace bounds how long a root can have a member not compare.
	maxPace = time.Hour
)

// stop compares no more, until it is asked to.
func (s *comparison) stop() {
	s.next.Stop()
	s.late.Stop()
}

// hurry has it compare more often for a while.
func (s *comparison) hurry() { s.haste = hurry }

// countMissed notes that a Missed has come.
func (s *comparison) countMissed() { s.missed++ }

// knownRoots returns the roots, closest first; none if what is known is too old.
func (s *comparison) knownRoots(now time.Duration) []engine.Peer {
	if s.roots.old(now) {
		return nil
	}
	return s.roots.list
}

// later compares at the usual time.
func (c *comparer) later(s *comparison) {
	s.haste /= 2
	if s.haste == 0 && c.recovers(s) {
		return
	}
	c.in(s, jitter(c.env, c.config.Compare/time.Duration(max(1, s.haste))))
}

// recovers reports whether the member finds out by itself what is kept back from it.
func (c *comparer) recovers(s *comparison) bool {
	r, ok := c.member.(network.Recoverer)
	return ok && r.Recovers(s.of.Topic)
}

// in compares after a wait, or earlier.
func (c *comparer) in(s *comparison, wait time.Duration) {
	s.next.Soon(c.env, c.env.Now()+wait, func() { c.compare(s) })
}

// soon has a gap filled.
func (c *comparer) soon(s *comparison) { c.in(s, jitter(c.env, gapWait)) }

// compare asks one of the roots that have not answered in this round, drawn by lot: the closest
// last, for it may be the one that swallows.
func (c *comparer) compare(s *comparison) {
	if s.held.isMember() {
		c.later(s)
	}
	s.missed = 0
	now := c.env.Now()
	if owners, sure := c.finder.owners(s.of); sure {
		s.rootsChanged(s.roots.list, owners)
		s.roots.set(owners, now)
	}
	if s.roots.old(now) {
		c.askRoots(s)
		c.in(s, jitter(c.env, min(gapWait<<s.roots.vain, c.config.Compare)))
		s.roots.vain = min(s.roots.vain+1, 16)
		return
	}
	if root, ok := c.nextRoot(s); ok {
		s.with = root
		c.send(s, root)
		s.late.Stop()
		s.late.Soon(c.env, now+gapWait, func() { c.notAnswered(s) })
	}
	if c.env.Rand().IntN(4) == 0 {
		c.askRoots(s) // from another side, in case of lies
	}
}

// send asks a node for what this one lacks.
func (c *comparer) send(s *comparison, to engine.Peer) {
	have, since := c.holdings(s)
	c.env.Send(to, &Compare{Group: s.of, Have: have, Since: since})
}

// holdings returns which of the latest events this node has. It also returns how many seconds back it wants the events
// that it lacks.
func (c *comparer) holdings(s *comparison) (have []uint64, since uint32) {
	from := max(s.held.wantsSince(), s.settled-overlap)
	return s.held.namesSince(from - overlap), inSeconds(c.env.Now() - from)
}

// nextRoot returns the one to compare with, and begins a round if all have answered.
func (c *comparer) nextRoot(s *comparison) (root engine.Peer, ok bool) {
	rest := slices.DeleteFunc(slices.Clone(s.roots.list), func(p engine.Peer) bool {
		return c.finder.isSelf(p) || slices.Contains(s.answered, p.ID)
	})
	if len(rest) == 0 || len(s.answered) >= 2*maxRoots {
		if len(s.answered) > 0 && !s.partly {
			s.settled = s.began
		}
		s.answered, s.partly, s.began = nil, false, c.env.Now()
		rest = slices.DeleteFunc(slices.Clone(s.roots.list), c.finder.isSelf)
	}
	if len(rest) > 1 && rest[0].ID == s.roots.list[0].ID {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return root, false
	}
	return rest[c.env.Rand().IntN(len(rest))], true
}

// notAnswered asks another root, as one has not answered.
func (c *comparer) notAnswered(s *comparison) {
	s.roots.drop(s.with.ID)
	s.with = engine.Peer{}
	if s.tries++; s.tries >= compareTries {
		s.tries = 0
		return
	}
	c.compare(s)
}

// receiveCompared receives the end of an answer.
func (c *comparer) receiveCompared(s *comparison, from engine.Peer, m *Compared) {
	whole := int(m.Missed) <= s.missed // else events were lost on the way, or kept back
	if s.with.ID == from.ID {
		s.late.Stop()
		s.tries, s.with = 0, engine.Peer{}
		s.answered = append(s.answered, from.ID)
		s.partly = s.partly || !whole
	}
	switch {
	case !whole:
		c.soon(s)
	case m.Again > 0 && s.held.isMember() && !c.recovers(s): // else it had no mind to ask again
		wait := min(time.Duration(m.Again)*time.Second, maxPace)
		s.next.Stop()
		c.in(s, jitter(c.env, wait))
	}
}

// expect has a new parent asked for events that it has just sent, so many, if they do not come. parent returns it, if
// it is still the parent then.
func (c *comparer) expect(s *comparison, missed int, parent func() (engine.Peer, bool)) {
	s.missed = 0
	if missed == 0 {
		return
	}
	c.env.After(late, func() {
		if p, ok := parent(); ok && s.missed < missed {
			c.send(s, p)
		}
	})
}

// askRoots asks a random node for the roots.
func (c *comparer) askRoots(s *comparison) {
	s.roots.asked = c.env.Now()
	c.finder.ask(s.of, s.held.avoided(c.env.Now()))
}

// maybeAskRoots does so, unless it has within gapWait.
func (c *comparer) maybeAskRoots(s *comparison) {
	if c.env.Now() >= s.roots.asked+gapWait {
		c.askRoots(s)
	}
}

// receiveRoots stores which nodes are the roots.
func (c *comparer) receiveRoots(s *comparison, m *Roots) {
	before := s.roots.list
	s.roots.add(s.of.rootKey(), m.Roots, c.config.Roots, c.env.Now())
	s.rootsChanged(before, s.roots.list)
}

// rootsChanged has the next round be about all that anybody keeps, if there are roots that were none before: where the
// ring had fallen in parts, they lack what the roots before had, and have what those lacked.
func (s *comparison) rootsChanged(before, now []engine.Peer) {
	for _, p := range now {
		if !slices.ContainsFunc(before, func(q engine.Peer) bool { return q.ID == p.ID }) {
			s.settled, s.partly = 0, true
		}
	}
}

// maybeCompareBack makes a root request the events that a member has and it has not. Such an event went to the roots of
// another part of the ring, while the ring was in parts. Or it went to roots that crashed before all had it. The reply
// goes down the tree. One member is asked at a time, so that liars that name invented events cost little.
func (c *comparer) maybeCompareBack(s *comparison, from engine.Peer, have []uint64) {
	now := c.env.Now()
	if now < s.asked.back+gapWait || !slices.ContainsFunc(have, func(name uint64) bool { return !s.held.has(name) }) {
		return
	}
	s.asked.back = now
	since := s.held.wantsSince()
	c.env.Send(from, &Compare{Group: s.of, Have: s.held.namesSince(since), Since: inSeconds(now - since)})
}

// pace counts a comparison that is requested of this root. It returns how many seconds the requester is to wait before
// the next.
func (c *comparer) pace(s *comparison) uint32 {
	now := c.env.Now()
	if now >= s.asked.since+c.config.Compare {
		s.asked.before, s.asked.count, s.asked.since = s.asked.count, 0, now
	}
	s.asked.count++
	load := max(s.asked.before, s.asked.count)
	if load <= c.config.CompareLoad {
		return 0
	}
	return inSeconds(c.config.Compare * time.Duration(load/c.config.CompareLoad+1))
}
