package rappel

import (
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
)

// never is later than everything that is due.
const never = time.Duration(1<<63 - 1)

// Node is a node's part in Rappel. It wires its parts together, hands them what comes, and wakes them when
// something is due.
type Node struct {
	core
	alarm   engine.Alarm
	profile profile
	links   links
	friends friends
	session session
	trees   map[engine.ID]*tree
	order   []*tree // as they came
	outbox  outbox
	meters  meters
	left    left
	located time.Duration // when the coordinate was looked at last
}

// New returns a node that has joined nothing. It panics if c is not valid.
func New(env engine.Env, c Config, seams Seams) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	n := &Node{core: core{env: env, config: c, seams: seams}, trees: make(map[engine.ID]*tree)}
	n.self = &n.profile
	n.links = newLinks(&n.core)
	n.friends = newFriends(&n.core, &n.links)
	n.friends.introduce = n.introduce
	n.session = session{core: &n.core}
	n.outbox = outbox{core: &n.core}
	n.meters = meters{core: &n.core, of: make(map[engine.ID]*meter)}
	return n
}

// Join has events on topic delivered from now on.
func (n *Node) Join(topic engine.ID) {
	t := n.tree(topic)
	if t == nil || t.joined {
		return
	}
	t.joined, t.leaving = true, 0
	n.filterChanged()
	if t.checkRoot(); !t.inTree() {
		n.session.add(topic)
	}
	n.wake(n.now())
}

// Leave ends what Join began.
func (n *Node) Leave(topic engine.ID) {
	t := n.trees[topic]
	if t == nil || !t.joined {
		return
	}
	t.joined = false
	n.session.remove(topic)
	n.filterChanged()
	t.quit()
}

// Publish sends an event to all that have joined topic, this node included.
func (n *Node) Publish(topic engine.ID, event engine.Message) {
	digest, _, ok := n.seams.Member.Admit(topic, event, n.env.Self())
	if !ok {
		n.env.Trace(Refused{topic, n.env.Self(), "event"})
		return
	}
	n.env.Trace(Published{topic, event})
	if n.seams.Directory.Root(topic).ID == n.id() {
		n.publish(letter{topic: topic, event: event, digest: digest})
		return
	}
	if t := n.trees[topic]; t != nil && t.joined && t.feed.cache.first(digest) {
		t.feed.deliver(&Update{Topic: topic, Event: event}, n.env.Self())
	}
	n.give(topic, event, digest)
}

// RootChanged tells that the Directory's answer for topic is another.
func (n *Node) RootChanged(topic engine.ID) {
	if t := n.trees[topic]; t != nil {
		t.checkRoot()
	}
	n.outbox.hurry(topic, n.now())
	n.wake(n.now())
}

// publish numbers an event as its root.
func (n *Node) publish(l letter) {
	if t := n.tree(l.topic); t != nil {
		t.checkRoot()
		t.feed.publish(l.event, l.digest, n.env.Self())
		n.env.Trace(Rested{l.topic, l.event})
	}
}

// give has the root number an event.
func (n *Node) give(topic engine.ID, event engine.Message, digest uint64) {
	if n.outbox.add(topic, event, digest) {
		n.wake(n.now())
	}
}

// tree returns the tree of a topic, and begins it if need be; nil if there is no room.
func (n *Node) tree(topic engine.ID) *tree {
	if t := n.trees[topic]; t != nil {
		return t
	}
	if len(n.order) >= n.config.MaxTrees {
		n.env.Trace(LimitHit{"MaxTrees", n.config.MaxTrees})
		return nil
	}
	t := newTree(&n.core, n, topic)
	n.left.restore(t)
	n.trees[topic] = t
	n.order = append(n.order, t)
	return t
}

// filterChanged renews what others know of what this node has joined.
func (n *Node) filterChanged() {
	var f filter
	for _, t := range n.order {
		if t.joined {
			f.add(t.topic)
		}
	}
	n.self.want(f)
}

// wake has the node look at what is due at a time.
func (n *Node) wake(at time.Duration) {
	if at < never {
		n.alarm.Soon(n.env, max(at, n.now()), n.run)
	}
}

// run does what is due.
func (n *Node) run() {
	now := n.now()
	n.relocate()
	next := min(
		n.session.run(now, &n.friends, func(topic engine.ID) { n.trees[topic].seeking.enter() }),
		n.links.run(now, n.ping, n.silent),
		n.outbox.run(now, n.publish))
	if n.friends.interested() {
		next = min(next, n.friends.runAudit(now, n.session.eager()))
	}
	for _, t := range slices.Clone(n.order) {
		if n.trees[t.topic] != t {
			continue
		}
		next = min(next, t.run(now))
		if t.over() {
			n.left.add(t)
			delete(n.trees, t.topic)
			n.order = slices.DeleteFunc(n.order, func(o *tree) bool { return o == t })
		}
	}
	n.wake(next)
}

// relocate takes over where this node lies. Its parents may be too remote for it now.
func (n *Node) relocate() {
	first := n.self.coordinate.IsZero()
	if len(n.order) == 0 || !first && n.now() < n.located+n.config.Ping {
		return
	}
	n.located = n.now()
	if !n.self.locate(n.seams.Coordinates) || first {
		return
	}
	for _, t := range n.order {
		t.relocated()
	}
}

// Receive handles a message.
func (n *Node) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Join:
		n.onJoin(from, m)
	case *Ping:
		if n.meters.allow(from.ID) {
			n.onPing(from, m)
		}
	case *Ack:
		n.onAck(from, m)
	case *ProfileRequest:
		if n.meters.allow(from.ID) && n.self.locateFirst(n.seams.Coordinates) {
			n.env.Send(from, &Profile{Number: m.Number, Versions: n.self.versions, Filter: n.self.filter.bytes(), Coordinate: n.self.coordinate})
		}
	case *Profile:
		n.friends.onProfile(from, m)
		n.wake(n.now()) // trees may be joined by way of it
	case *FriendRequest:
		if n.meters.allow(from.ID) {
			n.friends.onFriendRequest(from, m)
		}
	case *FriendReply:
		n.friends.onFriendReply(from, m)
		n.wake(n.now())
	case *Unfriend:
		n.friends.dropFan(from.ID)
	case *Pull:
		if n.trees[m.Topic] == nil || n.meters.allow(from.ID) {
			n.receiveTree(from, m)
		}
	case *Publish:
		if n.meters.allow(from.ID) {
			n.onPublish(from, m)
		}
	case *Taken:
		n.outbox.taken(from, m)
	default:
		n.receiveTree(from, m)
	}
}

// receiveTree handles a message that is about a place in a tree.
func (n *Node) receiveTree(from engine.Peer, m engine.Message) {
	a, ok := m.(interface{ about() engine.ID })
	if !ok {
		return
	}
	if t := n.trees[a.about()]; t != nil {
		t.receive(from, m)
		return
	}
	switch m := m.(type) {
	case *JoinOK:
		n.env.Send(from, &Leave{Topic: m.Topic})
	case *Update:
		n.env.Trace(Refused{m.Topic, from, "unasked"})
		n.env.Send(from, &Leave{Topic: m.Topic, Forgot: true})
	case *Pull:
		if n.meters.allow(from.ID) {
			n.env.Send(from, &Pulled{Topic: m.Topic, Gone: true})
		}
	}
}

func (n *Node) onJoin(from engine.Peer, m *Join) {
	if !n.meters.allow(from.ID) {
		return
	}
	t := n.trees[m.Topic]
	if n.seams.Directory.Root(m.Topic).ID == n.id() {
		if t = n.tree(m.Topic); t != nil {
			t.checkRoot()
		}
	}
	if t == nil {
		n.env.Send(from, &JoinDeny{Topic: m.Topic, Attempt: m.Attempt, Why: NotMember})
		return
	}
	n.met(from)
	t.children.onJoin(from, m)
}

func (n *Node) onPublish(from engine.Peer, m *Publish) {
	if n.seams.Directory.Root(m.Topic).ID != n.id() {
		return // the sender will know better soon, or this node
	}
	digest, _, ok := n.seams.Member.Admit(m.Topic, m.Event, from)
	if !ok {
		n.env.Trace(Refused{m.Topic, from, "event"})
		n.env.Send(from, &Taken{Topic: m.Topic, Digest: digest, Refused: true})
		return
	}
	if t := n.tree(m.Topic); t != nil {
		t.checkRoot()
		t.feed.publish(m.Event, digest, from)
		n.env.Send(from, &Taken{Topic: m.Topic, Digest: digest})
	}
}

// PeerDown tells that a peer does not answer.
func (n *Node) PeerDown(p engine.Peer) {
	n.lost(p)
	n.wake(n.now())
}

// Stop ends the node: its children are told where to go (section 4.4), without waiting for them.
func (n *Node) Stop() {
	for _, t := range n.order {
		t.stop()
	}
	for _, f := range n.friends.list {
		n.env.Send(f.peer, &Unfriend{})
	}
	n.alarm.Stop()
}

// introduce returns some of the children.
func (n *Node) introduce(to engine.Peer) (list []engine.Peer) {
	for _, i := range n.env.Rand().Perm(len(n.order)) {
		for _, p := range n.order[i].children.peers() {
			if len(list) == n.config.Friends {
				return list
			}
			if p.ID != to.ID && !chainHas(list, p.ID) {
				list = append(list, p)
			}
		}
	}
	return list
}

// covering returns friends that may be in a topic's tree, nearest first.
func (n *Node) covering(topic engine.ID) []engine.Peer { return n.friends.covering(topic) }

// denied takes note that a node is not in a topic's tree.
func (n *Node) denied(by engine.Peer, topic engine.ID) { n.friends.denied(by, topic) }

// met takes note of nodes that were heard of.
func (n *Node) met(peers ...engine.Peer) { n.friends.met(peers) }

// attached takes note that a topic's tree was joined: those above may become friends.
func (n *Node) attached(topic engine.ID) {
	t := n.trees[topic]
	n.session.remove(topic)
	if !t.top {
		n.met(t.parent)
	}
	if n.session.eager() {
		n.wake(n.now()) // who was met is examined
	}
}

// settled reports whether all trees have been joined that should be.
func (n *Node) settled() bool { return len(n.session.queue) == 0 }

var (
	_ engine.Protocol = (*Node)(nil)
	_ network.Router  = (*Node)(nil)
)
