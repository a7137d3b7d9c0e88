package rappel

import (
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/routers/rappel/interest"
)

// Node is a node's part in Rappel. It hands its parts what comes, and wakes them when something is due.
type Node struct {
	core
	trees   map[engine.ID]*tree
	order   []*tree // as they came
	left    left
	meters  meters
	located time.Duration // when the coordinate was looked at last
}

// New returns a node that has joined nothing. It panics if c is not valid.
func New(env engine.Env, c Config, seams Seams) *Node {
	if err := c.Validate(); err != nil {
		panic(err)
	}
	n := &Node{core: core{env: env, config: c, seams: seams, self: new(profile)}, trees: make(map[engine.ID]*tree)}
	n.tick = n.run
	n.links = &links{core: &n.core, byID: make(map[engine.ID]*neighbour)}
	n.friends = newFriends(&n.core)
	n.session = &session{core: &n.core}
	n.outbox = &outbox{core: &n.core}
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
	if n.isRoot(topic) {
		n.issue(&letter{topic: topic, event: event, digest: digest})
		return
	}
	if t := n.trees[topic]; t != nil && t.joined && t.feed.cache.first(digest) {
		t.feed.deliver(&Update{Topic: topic, Event: event}, n.env.Self())
	}
	n.outbox.add(topic, event, digest)
}

// RootChanged says that the Directory's answer for topic is another.
func (n *Node) RootChanged(topic engine.ID) {
	if t := n.trees[topic]; t != nil {
		t.checkRoot()
	}
	n.outbox.hurry(topic, n.now())
	n.wake(n.now())
}

// issue numbers an event that was published here, as its root.
func (n *Node) issue(l *letter) {
	if n.number(l.topic, l.event, l.digest, n.env.Self()) {
		n.env.Trace(Rested{l.topic, l.event})
	}
}

// number gives an event a number, as its root, and reports whether there was room for its tree.
func (n *Node) number(topic engine.ID, event engine.Message, digest uint64, from engine.Peer) bool {
	t := n.tree(topic)
	if t == nil {
		return false
	}
	t.checkRoot()
	t.feed.publish(event, digest, from)
	return true
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
	t := newTree(&n.core, topic)
	n.left.restore(t)
	n.trees[topic] = t
	n.order = append(n.order, t)
	return t
}

// filterChanged renews what others know of what this node has joined.
func (n *Node) filterChanged() {
	var f interest.Filter
	for _, t := range n.order {
		if t.joined {
			f.Add(t.topic)
		}
	}
	n.self.want(f)
}

// run does what is due.
func (n *Node) run() {
	now := n.now()
	n.relocate()
	next := min(
		n.session.run(now, func(topic engine.ID) { n.trees[topic].seeking.seek(joins, n.friends.covering(topic)...) }),
		n.links.run(now, n.ping, n.silent),
		n.outbox.run(now, n.issue))
	if n.friends.interested() {
		next = min(next, n.friends.runAudit(now))
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

// relocate learns where this node lies. Its parents may be too remote for it now.
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
	switch m.(type) {
	case *Join, *Ping, *ProfileRequest, *FriendRequest, *Pull, *Publish:
		if !n.meters.allow(from.ID) {
			return
		}
	}
	switch m := m.(type) {
	case *Join:
		n.onJoin(from, m)
	case *Ping:
		n.onPing(from, m)
	case *Ack:
		n.onAck(from, m)
	case *ProfileRequest:
		if n.self.locateFirst(n.seams.Coordinates) {
			n.env.Send(from, n.self.message(m.Number))
		}
	case *Profile:
		n.friends.onProfile(from, m)
		n.wake(n.now()) // trees may be joined by way of it
	case *FriendRequest:
		reply := n.friends.onFriendRequest(from, m)
		if !n.friends.interested() {
			reply.Friends = n.introduce(from)
		}
		n.env.Send(from, reply)
	case *FriendReply:
		n.friends.onFriendReply(from, m)
		n.wake(n.now())
	case *Unfriend:
		n.friends.dropFan(from.ID)
	case *Publish:
		n.onPublish(from, m)
	case *Taken:
		n.outbox.confirmed(from, m)
	case treeMessage:
		if t := n.trees[m.about()]; t != nil {
			m.to(t, from)
		} else {
			n.onMissing(from, m)
		}
	}
}

// onMissing answers what is about a tree that this node is not in.
func (n *Node) onMissing(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *JoinOK:
		n.env.Send(from, &Leave{Topic: m.Topic})
	case *Update:
		n.env.Trace(Refused{m.Topic, from, "unasked"})
		n.env.Send(from, &Leave{Topic: m.Topic, Forgot: true})
	case *Pull:
		n.env.Send(from, &Pulled{Topic: m.Topic, Gone: true})
	}
}

func (n *Node) onJoin(from engine.Peer, m *Join) {
	t := n.trees[m.Topic]
	if n.isRoot(m.Topic) {
		if t = n.tree(m.Topic); t != nil {
			t.checkRoot()
		}
	}
	if t == nil {
		n.env.Send(from, &JoinDeny{Topic: m.Topic, Attempt: m.Attempt, Why: NotMember})
		return
	}
	n.friends.met(from)
	t.children.onJoin(from, m)
}

func (n *Node) onPublish(from engine.Peer, m *Publish) {
	if !n.isRoot(m.Topic) {
		return // the sender will know better soon, or this node
	}
	digest, _, ok := n.seams.Member.Admit(m.Topic, m.Event, from)
	if !ok {
		n.env.Trace(Refused{m.Topic, from, "event"})
	} else if !n.number(m.Topic, m.Event, digest, from) {
		return
	}
	n.env.Send(from, &Taken{Topic: m.Topic, Digest: digest, Refused: !ok})
}

// PeerDown reports that a peer does not answer.
func (n *Node) PeerDown(p engine.Peer) {
	n.lost(p)
	n.wake(n.now())
}

// Stop ends the node: it sends its children to other parents (section 4.4), without waiting for them.
func (n *Node) Stop() {
	for _, t := range n.order {
		t.stop()
	}
	for _, f := range n.friends.list {
		n.env.Send(f.peer, &Unfriend{})
	}
	n.alarm.Stop()
}

// introduce returns at most Config.Friends of the children. A publisher has no friends, and names its children to a
// node that asks it to be a friend.
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

var (
	_ engine.Protocol = (*Node)(nil)
	_ network.Router  = (*Node)(nil)
)
