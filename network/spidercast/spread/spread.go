package spread

import (
	"tidings/network"
	"tidings/network/engine"
)

// Spread hands events on over a node's links. It is called by the router that it is part of, one call at a time.
type Spread struct {
	*core
	member    network.Member
	topics    *topics
	links     *links
	cache     *cache
	trees     *trees
	announcer *announcer
	wanted    *wanted
	blame     *blame
}

// core is what all parts of a node have.
type core struct {
	env    engine.Env
	config Config
}

// New returns a node without links and topics. It panics if c is not valid.
func New(env engine.Env, c Config, member network.Member) *Spread {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	k := &core{env, c}
	s := &Spread{core: k, member: member, blame: &blame{core: k, suspected: func(engine.Peer) {}}}
	s.topics = &topics{core: k, of: make(map[engine.ID]*topic)}
	s.links = &links{core: k, of: make(map[engine.ID]*link)}
	s.cache = &cache{core: k}
	s.trees = &trees{k, s.topics, s.links}
	s.announcer = &announcer{k, s.cache, s.blame}
	s.wanted = &wanted{core: k, of: make(map[key]*want), blame: s.blame, missed: s.onMissed}
	return s
}

// OnSuspect has f called, from a timer of its own, when a neighbour promises events and does not give them, or does not
// answer announcements. It may call back.
func (s *Spread) OnSuspect(f func(p engine.Peer)) { s.blame.suspected = f }

// LinkUp says that there is a link to p. shared is the topics that may be sent over it: those that p follows and this node
// follows or publishes on. It must not be changed afterwards. If there was a link to p already, the neighbour has restarted.
func (s *Spread) LinkUp(p engine.Peer, shared []engine.ID) {
	s.LinkDown(p)
	s.announcer.anew(s.links.add(p, shared))
}

// LinkChanged replaces the topics that may be sent over a link. The neighbour is told what is kept of those that are new.
func (s *Spread) LinkChanged(p engine.Peer, shared []engine.ID) {
	l := s.links.of[p.ID]
	if l == nil {
		return
	}
	before := l.shared
	l.shared = sorted(shared)
	s.trees.pruneAll(l, without(before, l.shared), "not shared")
	if added := without(l.shared, before); len(added) > 0 {
		s.cache.forget(l, added)
		s.announcer.anew(l)
	}
}

// LinkDown says that there is no link to p any more.
func (s *Spread) LinkDown(p engine.Peer) {
	l := s.links.of[p.ID]
	if l == nil {
		return
	}
	s.links.remove(l)
	s.cache.forget(l, nil)
	s.trees.pruneAll(l, l.shared, "link down")
	s.wanted.down(l)
}

// Join has events of a topic delivered to this node.
func (s *Spread) Join(id engine.ID) { s.topics.join(id) }

// Leave ends what Join began.
func (s *Spread) Leave(id engine.ID) {
	t := s.topics.joined(id)
	if t == nil {
		return
	}
	for _, l := range t.tree {
		s.trees.refuse(l, id)
	}
	t.tree, t.grown = nil, false
	s.wanted.drop(id)
	s.cache.dropAll(t)
	s.forget(s.topics.retire(t))
}

// Publish sends an event to all nodes that have joined its topic, this one included. If no neighbour follows the topic, the
// event waits for one as long as it is kept.
func (s *Spread) Publish(id engine.ID, event engine.Message) {
	digest, bytes, ok := s.member.Admit(id, event, s.env.Self())
	if !ok {
		s.env.Trace(Refused{id, s.env.Self(), "not admitted"})
		return
	}
	t, forgotten := s.topics.published(id)
	s.forget(forgotten)
	if t.seen.has(digest) {
		s.env.Trace(Repeated{id, digest, s.env.Self()})
		return
	}
	s.env.Trace(Published{id, digest})
	e := &entry{topic: t, digest: digest, bytes: bytes, message: &Event{Topic: id, Event: event, Hops: 1}}
	e.unheard = s.env.After(s.config.Hold, func() { s.env.Trace(Unheard{id, digest}) })
	s.take(e, s.env.Self())
}

// Receive handles a message of a neighbour. Messages from other nodes are dropped.
func (s *Spread) Receive(from engine.Peer, m engine.Message) {
	l := s.links.of[from.ID]
	if l == nil {
		s.env.Trace(Refused{From: from, Why: "there is no link"})
		return
	}
	if !l.intake.Take(cost(m), s.env.Now()) {
		s.env.Trace(LimitHit{"Intake", s.config.Intake})
		return
	}
	l.peer = from
	switch m := m.(type) {
	case *Event:
		s.onEvent(l, m)
	case *Announce:
		s.onAnnounce(l, m)
	case *Acknowledge:
		s.announcer.onAcknowledge(l, m)
	case *Graft:
		s.onGraft(l, m)
	case *Prune:
		if t := s.topics.of[m.Topic]; t != nil {
			s.trees.prune(t, l, "asked")
		}
	}
}

// cost returns how many messages m counts as: one with long lists counts as several.
func cost(m engine.Message) int {
	names := 0
	switch m := m.(type) {
	case *Announce:
		for _, of := range m.Topics {
			names += len(of.Names)
		}
	case *Graft:
		names = len(m.Digests)
	}
	return 1 + names/64
}

// Stop ends the node. The overlay tells its neighbours.
func (s *Spread) Stop() {
	s.wanted.alarm.Stop()
	for _, l := range s.links.list {
		l.news.alarm.Stop()
	}
}

// forget drops what is kept of a topic.
func (s *Spread) forget(t *topic) {
	if t != nil {
		s.cache.dropAll(t)
	}
}
