package spread

import (
	"slices"

	"tidings/network"
	"tidings/network/engine"
)

// Spread hands events on over a node's links. It is called by the router that it is part of, one call at a time.
type Spread struct {
	env       engine.Env
	config    *Config
	member    network.Member
	onSuspect func(p engine.Peer)

	topics map[engine.ID]*topic
	left   []*topic // topics that are not joined, oldest first; at most Config.MaxLeft
	links  []*link  // in the order in which they came
	cache  cache
	wanted []*want      // in the order in which they were announced; those that are over are swept out now and then
	asking engine.Alarm // has those that are due asked for
}

// New returns a node without links and topics. It panics if c is not valid.
func New(env engine.Env, c Config, member network.Member) *Spread {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	return &Spread{
		env: env, config: &c, member: member, onSuspect: func(engine.Peer) {},
		topics: make(map[engine.ID]*topic), cache: cache{env: env, config: &c},
	}
}

// OnSuspect sets a function for suspected neighbours: f is called, from a timer of its own, when a neighbour promises
// events and does not send them, or does not answer announcements. f may call back.
func (s *Spread) OnSuspect(f func(p engine.Peer)) { s.onSuspect = f }

// LinkUp says that there is a link to p. shared is the topics that may be sent over it: those that p follows and this
// node follows or publishes on. If there was a link to p already, the neighbour has restarted.
func (s *Spread) LinkUp(p engine.Peer, shared []engine.ID) {
	s.LinkDown(p)
	l := &link{
		peer: p, news: news{number: s.env.Rand().Uint32()}, brokenAt: -s.config.Answer,
		intake: engine.NewBucket(s.config.Intake, s.config.IntakeBurst),
		serve:  engine.NewBucket(s.config.Serve, s.config.ServeBurst),
	}
	s.links = append(s.links, l)
	s.share(l, shared, "not shared")
}

// LinkChanged replaces the topics that may be sent over a link. The neighbour learns what is kept of those that are
// new.
func (s *Spread) LinkChanged(p engine.Peer, shared []engine.ID) {
	if l := s.link(p.ID); l != nil {
		s.share(l, shared, "not shared")
	}
}

// LinkDown says that there is no link to p any more.
func (s *Spread) LinkDown(p engine.Peer) {
	l := s.link(p.ID)
	if l == nil {
		return
	}
	s.share(l, nil, "link down")
	l.news.alarm.Stop()
	s.links = slices.DeleteFunc(s.links, func(k *link) bool { return k == l })
	for _, e := range s.cache.list {
		e.forget(l)
	}
	s.expectNothing(l)
}

// Join has events of a topic delivered to this node.
func (s *Spread) Join(id engine.ID) {
	t := s.topics[id]
	if t == nil {
		t = s.addTopic(id)
		t.moved = -s.env.Rand().IntN(s.config.Moves)
	}
	t.joined = true
	s.left = slices.DeleteFunc(s.left, func(l *topic) bool { return l == t })
}

// Leave ends what Join began.
func (s *Spread) Leave(id engine.ID) {
	t := s.joined(id)
	if t == nil {
		return
	}
	for _, l := range t.tree {
		s.env.Send(l.peer, &Prune{Topic: id})
	}
	t.tree, t.grown = nil, false
	for _, a := range t.wanted {
		a.end()
	}
	s.cache.dropAll(t)
	s.retire(t)
}

// Publish sends an event to all nodes that have joined its topic, this one included. If no neighbour follows the topic,
// the event waits for one as long as it is kept.
func (s *Spread) Publish(id engine.ID, event engine.Message) {
	digest, bytes, ok := s.member.Admit(id, event, s.env.Self())
	if !ok {
		s.env.Trace(Refused{id, s.env.Self(), "not admitted"})
		return
	}
	t := s.topics[id]
	if t == nil {
		t = s.addTopic(id)
		s.retire(t)
	}
	if t.seen.has(digest) {
		s.env.Trace(Repeated{id, digest, s.env.Self()})
		return
	}
	s.env.Trace(Published{id, digest})
	e := &entry{topic: t, digest: digest, bytes: bytes, message: &Event{Topic: id, Event: event, Hops: 1}}
	e.unheard = s.env.After(s.config.Hold, func() { s.env.Trace(Unheard{id, digest}) })
	s.accept(e, s.env.Self())
}

// Receive handles a message of a neighbour. Messages from other nodes are dropped.
func (s *Spread) Receive(from engine.Peer, m engine.Message) {
	l := s.link(from.ID)
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
		s.onAcknowledge(l, m)
	case *Graft:
		s.onGraft(l, m)
	case *Prune:
		s.prune(m.Topic, l, "asked")
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

// Stop ends the node. The overlay notifies its neighbours.
func (s *Spread) Stop() {
	s.asking.Stop()
	for _, l := range s.links {
		l.news.alarm.Stop()
	}
}
