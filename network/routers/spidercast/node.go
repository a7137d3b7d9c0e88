package spidercast

import (
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/routers/spidercast/spread"
	"tidings/network/routers/spidercast/view"
	"tidings/network/vivaldi"
)

// Node is a node's part in SpiderCast. It wires its parts together and hands them what comes.
type Node struct {
	env     engine.Env
	seams   Seams
	view    *view.View     // nil: an experiment's candidates stand in for it
	index   *overlay.Index // as view
	overlay *overlay.Overlay
	spread  *spread.Spread

	joined    []engine.ID
	published []publishing // topics that are not joined, in the order of until; at most maxPublished
	expire    engine.Alarm
	look      engine.Alarm
	here      vivaldi.Coordinate
}

// publishing is a topic on which a node publishes without having joined it. Until then it keeps neighbours that follow
// the topic.
type publishing struct {
	topic engine.ID
	until time.Duration
}

// New returns a node that has joined nothing. It panics if c is not valid.
func New(env engine.Env, c Config, seams Seams) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	n := &Node{env: env, seams: seams}
	n.spread = spread.New(env, c.Spread, seams.Member)
	candidates := seams.Candidates
	if candidates == nil {
		n.index = overlay.NewIndex(env.Rand(), c.Near && seams.Coordinates != nil, c.Overlay.Broad)
		n.view = view.New(env, c.View, (*watcher)(n))
		candidates = n.index
	}
	n.overlay = overlay.New(env, c.Overlay, candidates, n.spread)
	n.spread.OnSuspect(n.overlay.Suspect)
	if n.view != nil {
		n.index.OnFound(n.overlay.Found)
		n.overlay.OnProfile(n.follow)
		n.survey()
		n.Meet(seams.Contacts...)
	}
	return n
}

// Meet names nodes that may be there: the first that name others.
func (n *Node) Meet(peers ...engine.Peer) {
	if n.view != nil {
		n.view.Meet(peers...)
	}
}

// Join has events on topic delivered from now on.
func (n *Node) Join(topic engine.ID) {
	if slices.Contains(n.joined, topic) {
		return
	}
	n.joined = append(n.joined, topic)
	n.spread.Join(topic)
	n.overlay.Join(topic)
}

// Leave ends what Join began.
func (n *Node) Leave(topic engine.ID) {
	i := slices.Index(n.joined, topic)
	if i < 0 {
		return
	}
	n.joined = slices.Delete(n.joined, i, i+1)
	n.overlay.Leave(topic)
	n.spread.Leave(topic)
}

// Publish sends an event to all that have joined topic, this node included. A node that has not joined looks for
// neighbours that have.
func (n *Node) Publish(topic engine.ID, event engine.Message) {
	if !slices.Contains(n.joined, topic) {
		n.seek(topic)
	}
	n.spread.Publish(topic, event)
}

// seek makes the node keep neighbours that follow a topic, for Publishing.
func (n *Node) seek(topic engine.ID) {
	if i := slices.IndexFunc(n.published, func(p publishing) bool { return p.topic == topic }); i >= 0 {
		n.published = slices.Delete(n.published, i, i+1)
	} else if len(n.published) >= maxPublished {
		n.env.Trace(LimitHit{"maxPublished", maxPublished})
		return
	}
	until := n.env.Now() + Publishing
	n.published = append(n.published, publishing{topic, until})
	n.overlay.Seek(topic)
	n.expire.Soon(n.env, until, n.unseek)
}

// unseek ends what seek began, where the time is over.
func (n *Node) unseek() {
	for len(n.published) > 0 && n.published[0].until <= n.env.Now() {
		topic := n.published[0].topic
		n.published = slices.Delete(n.published, 0, 1)
		n.overlay.Unseek(topic)
	}
	if len(n.published) > 0 {
		n.expire.Set(n.env, n.published[0].until, n.unseek)
	}
}

// follow announces to the membership what this node follows. It also announces what this node publishes on, for which
// it needs others as well.
func (n *Node) follow(p overlay.Profile) {
	topics := slices.Clone(n.joined)
	for _, on := range n.published {
		topics = append(topics, on.topic)
	}
	n.view.Follow(topics, p.Follows, p.Version)
}

// survey finds out where this node lies and what is usual, now and from time to time.
func (n *Node) survey() {
	if n.seams.Coordinates != nil {
		n.here = n.seams.Coordinates.Coordinate()
		n.view.Locate(n.here)
		for _, e := range n.view.Entries() {
			n.index.Measure(e.Peer.ID, n.distance(&e))
		}
	}
	usual := n.view.Usual()
	n.index.Usual(usual)
	n.overlay.Usual(usual)
	n.look.Set(n.env, n.env.Now()+surveyEvery, n.survey)
}

// Receive hands a message to its part.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	switch number := byte(m.Kind()); {
	case number >= spreadKinds:
		n.spread.Receive(from, m)
	case number >= overlayKinds:
		n.overlay.Receive(from, m)
	case n.view != nil:
		n.view.Receive(from, m)
	}
}

// PeerDown reports that a peer cannot be reached.
func (n *Node) PeerDown(p engine.Peer) {
	n.overlay.PeerDown(p)
	if n.view != nil {
		n.view.PeerDown(p)
	}
}

// Stop ends the node, and announces that to its neighbours.
func (n *Node) Stop() {
	n.overlay.Stop()
	n.spread.Stop()
	if n.view != nil {
		n.view.Stop()
	}
	n.expire.Stop()
	n.look.Stop()
}

// watcher hands what changes in the view to the index of candidates.
type watcher Node

// Put is as in view.Watcher.
func (w *watcher) Put(e view.Entry) { w.index.Put(e.Peer, e.Follows, (*Node)(w).distance(&e)) }

// Remove is as in view.Watcher.
func (w *watcher) Remove(id engine.ID) { w.index.Remove(id) }

// distance returns the round trip to a node, as its coordinate and this node's have it; 0: not known.
func (n *Node) distance(e *view.Entry) time.Duration {
	if !valid(n.here) || !valid(e.Coordinate) || len(e.Coordinate.Vector) != len(n.here.Vector) {
		return 0
	}
	return n.here.Distance(e.Coordinate)
}

// valid reports whether a coordinate says where a node lies.
func valid(c vivaldi.Coordinate) bool { return !c.IsZero() && c.Validate(len(c.Vector)) == nil }

var (
	_ engine.Protocol = (*Node)(nil)
	_ network.Router  = (*Node)(nil)
	_ view.Watcher    = (*watcher)(nil)
)
