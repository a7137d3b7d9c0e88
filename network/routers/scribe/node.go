package scribe

import (
	"slices"

	"tidings/network"
	"tidings/network/engine"
)

// Node is one node's part in Scribe: an engine.Protocol, the application of Scribe's messages on the
// ring, and a network.Router.
type Node struct {
	env    engine.Env
	config Config
	ring   Ring
	member network.Member

	finder    finder
	publisher *publisher
	prober    *prober
	comparer  comparer
	searcher  searcher

	groups groups
	links  links
	cache  cache
}

var _ network.Router = (*Node)(nil)

// New returns a node that participates as soon as ring is active. Nothing may be delivered to the node before. It
// panics if c is not valid.
func New(env engine.Env, ring Ring, member network.Member, c Config) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	n := &Node{env: env, config: c, ring: ring, member: member}
	n.finder = finder{env, ring, c.Roots}
	n.publisher = newPublisher(env, n.finder, member, n, c)
	n.prober = newProber(env)
	n.comparer = comparer{env, n.finder, member, c}
	n.searcher = searcher{env, n.finder, c}
	n.cache = cache{perGroup: c.Kept, most: c.MaxKept, mostBytes: c.MaxKeptBytes}
	n.groups = groups{env: env, index: make(map[Group]*group)}
	n.links = links{
		env: env, ring: ring, probe: n.prober.probe, index: make(map[engine.ID]*link), onGaveUp: n.compareEach,
		onMeasured: func(name Group) {
			if g := n.find(name); g != nil {
				n.maybeMove(g)
			}
		},
	}
	ring.OnNeighbours(func() {
		n.groups.sweepSoon(func(g *group) {
			if ring.Active() {
				n.settle(g)
			}
		})
	})
	env.After(jitter(env, c.Heartbeat), n.heartbeat)
	return n
}

// OnRootAcked has f called with each root that has an event which this node has published; f is called in the loop and
// calls nothing back. It is called once, before any message comes.
func (n *Node) OnRootAcked(f func(RootAcked)) { n.publisher.onRootAcked = f }

// Receive handles a message from a peer.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	n.links.receive(from)
	switch m := m.(type) {
	case *Join:
		n.receiveJoin(m)
	case *Detour:
		n.receiveDetour(m)
	case *Joined:
		n.receiveJoined(from, m)
	case *Above:
		n.receiveAbove(from, m)
	case *Leave:
		n.receiveLeave(from, m)
	case *Move:
		n.receiveMove(from, m)
	case *Probe:
		n.env.Send(from, &Probed{Number: m.Number})
	case *Probed:
		n.prober.receive(from, m)
	case *Publish:
		n.receivePublish(from, m)
	case *IHave:
		n.receiveIHave(from, m)
	case *IWant:
		n.publisher.receiveIWant(from, m)
	case *Taken:
		n.publisher.receiveTaken(from, m)
	case *Disseminate:
		n.receiveDisseminate(from, m)
	case *Resend:
		if l := n.links.ofChild(from); l != nil {
			l.down.receiveResend(m)
		}
	case *Heard:
		if l := n.links.ofChild(from); l != nil {
			l.down.receiveHeard(m.Line, m.Last)
		}
	case *Heartbeat:
		n.receiveHeartbeat(from, m)
	case *Groups:
		n.receiveGroups(from, m)
	case *Ask:
		n.finder.receiveAsk(m)
	case *Roots:
		n.publisher.receiveRoots(m)
		if g := n.find(m.Group); g != nil {
			n.comparer.receiveRoots(&g.comparison, m)
		}
	case *Compare:
		n.receiveCompare(from, m)
	case *Compared:
		if g := n.find(m.Group); g != nil {
			n.comparer.receiveCompared(&g.comparison, from, m)
		}
	case *Missed:
		n.receiveMissed(from, m)
	}
}

// Deliver handles a message that was routed to a key which this node is closest to.
func (n *Node) Deliver(_ engine.ID, _ engine.Peer, m engine.Message, _ int) {
	switch m := m.(type) {
	case *Join:
		n.receiveJoin(m)
	case *Publish:
		n.receivePublish(engine.Peer{}, m)
	case *Ask:
		n.finder.receiveAsk(m)
	}
}

// Forward is called where a message passes: a Join ends where a node admits the child, an Ask
// where somebody knows the answer.
func (n *Node) Forward(_ engine.ID, m engine.Message, _ engine.Peer) (goOn bool) {
	switch m := m.(type) {
	case *Join:
		return n.finder.isSelf(m.Child) || !n.admitChild(m)
	case *Ask:
		return n.finder.isSelf(m.Asker) || !n.finder.answer(m)
	}
	return true
}

// Publish sends an event to all that have joined a topic. One that is not admitted here is not
// sent. One that no root has accepted so far is offered to the roots anew.
func (n *Node) Publish(topic engine.ID, event engine.Message) { n.PublishAt(topic, topic, event) }

// PublishAt is Publish for members that have joined by JoinAt.
func (n *Node) PublishAt(topic, key engine.ID, event engine.Message) {
	n.publisher.publish(NameOf(topic, key), event)
}

// Stop announces to parents and children that the node goes.
func (n *Node) Stop() {
	for _, l := range n.links.list {
		for part := range slices.Chunk(append(l.namesAbove(), l.namesBelow()...), maxTopics) {
			n.env.Send(l.peer, &Leave{Groups: part})
		}
	}
}
