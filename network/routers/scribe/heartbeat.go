package scribe

import (
	"bytes"
	"slices"
	"time"

	"tidings/network/engine"
)

// heartbeat announces to all children that this node is there. It looks for other parents if one has been silent too
// long. It leaves groups that no node needs.
func (n *Node) heartbeat() {
	n.env.After(jitter(n.env, n.config.Heartbeat), n.heartbeat)
	for _, l := range slices.Clone(n.links.list) {
		if len(l.children) > 0 {
			l.down.heartbeat(false)
		}
		if len(l.groups) > 0 && l.up.silent(time.Duration(n.config.Silence)*n.config.Heartbeat) {
			n.abandon(l, true)
		}
	}
	n.groups.tidy(n.maybeForget)
}

// receiveHeartbeat receives a parent's sign of life.
func (n *Node) receiveHeartbeat(from engine.Peer, m *Heartbeat) {
	l := n.links.ofParent(from)
	if l == nil {
		n.env.Send(from, wholeRing(nil))
		return
	}
	lost, disagrees := l.up.receiveHeartbeat(m)
	if lost {
		n.compareAll(l)
	}
	if disagrees {
		for _, m := range groupsOf(l.namesAbove()) {
			n.env.Send(l.peer, m)
		}
	}
}

// groupsOf returns the messages that say to a parent of which groups this node is a child: in parts of maxTopics, each
// with the range of topics for which it holds.
func groupsOf(all []Group) (parts []*Groups) {
	slices.SortFunc(all, func(a, b Group) int {
		if c := a.Topic.Compare(b.Topic); c != 0 {
			return c
		}
		return a.Key.Compare(b.Key)
	})
	if len(all) <= maxTopics {
		return []*Groups{wholeRing(all)}
	}
	first := engine.ID{}
	for len(all) > 0 {
		part := all[:min(len(all), maxTopics)]
		all = all[len(part):]
		m := &Groups{First: first, Last: part[len(part)-1].Topic, Groups: part}
		if len(all) == 0 {
			m.Last = lastID
		}
		first = m.Last
		parts = append(parts, m)
	}
	return parts
}

var lastID = engine.ID(bytes.Repeat([]byte{0xff}, len(engine.ID{})))

func wholeRing(all []Group) *Groups { return &Groups{Last: lastID, Groups: all} }

// receiveGroups learns of which groups a peer counts this node as the parent.
func (n *Node) receiveGroups(from engine.Peer, m *Groups) {
	var unknown []Group
	for _, name := range m.Groups {
		if g := n.find(name); g == nil || n.links.child(&g.kin, from.ID) == nil {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		n.env.Send(from, &Leave{Groups: unknown})
	}
	l := n.links.ofChild(from)
	if l == nil {
		return
	}
	known := make(map[Group]bool, len(m.Groups))
	for _, name := range m.Groups {
		known[name] = true
	}
	for _, g := range l.namesBelow() {
		// Where parts meet, the topic of the edge may be in either.
		if g.Topic.Compare(m.First) <= 0 && m.First != (engine.ID{}) || g.Topic.Compare(m.Last) > 0 || known[g] {
			continue
		}
		n.disown(g, from)
	}
}
