package scribe

import (
	"bytes"
	"slices"
	"time"

	"tidings/network/engine"
)

func (n *Node) startHeartbeats() { n.env.After(n.jitter(n.config.Heartbeat), n.heartbeat) }

// heartbeat tells all children that this node is there, looks for other parents where one has been
// silent for long, and leaves groups that nobody needs.
func (n *Node) heartbeat() {
	n.env.After(n.jitter(n.config.Heartbeat), n.heartbeat)
	now := n.env.Now()
	for _, l := range slices.Clone(n.links.list) {
		if len(l.below.children) > 0 {
			n.sendHeartbeat(l)
		}
		if len(l.above.groups) > 0 && now > l.above.heard+time.Duration(n.config.Silence)*n.config.Heartbeat {
			n.abandon(l, true)
		}
	}
	n.tidy()
}

func (n *Node) sendHeartbeat(l *link) {
	n.env.Send(l.peer, &Heartbeat{Line: l.below.line, Sent: l.below.sent, Sum: l.below.sum})
}

// takeHeartbeat takes a parent's sign of life.
func (n *Node) takeHeartbeat(from engine.Peer, m *Heartbeat) {
	l := n.link(from)
	if l == nil || len(l.above.groups) == 0 {
		n.env.Send(from, wholeRing(nil))
		return
	}
	up := &l.above
	if up.line == m.Line {
		n.sentUpTo(l, m.Sent)
		if m.Unheard {
			n.hearSoon(l)
		}
	}
	if m.Sum == up.sum && m.Line == up.line {
		up.differ = 0
		return
	}
	if up.differ++; up.differ > 1 { // the first may have crossed with a Join or a Leave
		up.differ = 0
		n.tellGroups(l)
	}
}

// tellGroups tells a parent of which groups this node is a child.
func (n *Node) tellGroups(l *link) {
	all := make([]Group, len(l.above.groups))
	for i, g := range l.above.groups {
		all[i] = g.Group
	}
	slices.SortFunc(all, func(a, b Group) int {
		if c := a.Topic.Compare(b.Topic); c != 0 {
			return c
		}
		return a.Key.Compare(b.Key)
	})
	if len(all) <= maxTopics {
		n.env.Send(l.peer, wholeRing(all))
		return
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
		n.env.Send(l.peer, m)
	}
}

var lastID = engine.ID(bytes.Repeat([]byte{0xff}, len(engine.ID{})))

func wholeRing(all []Group) *Groups { return &Groups{Last: lastID, Groups: all} }

// takeGroups takes of which groups a peer takes this node for the parent.
func (n *Node) takeGroups(from engine.Peer, m *Groups) {
	l := n.link(from)
	var unknown []Group
	for _, name := range m.Groups {
		if g := n.find(name); g == nil || n.childOf(g, from.ID) == nil {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		n.env.Send(from, &Leave{Groups: unknown})
	}
	if l == nil {
		return
	}
	known := make(map[Group]bool, len(m.Groups))
	for _, name := range m.Groups {
		known[name] = true
	}
	for _, c := range slices.Clone(l.below.children) {
		// Where parts meet, the topic of the edge may be in either.
		g := c.group
		if g.Topic.Compare(m.First) <= 0 && m.First != (engine.ID{}) || g.Topic.Compare(m.Last) > 0 || known[g.Group] {
			continue
		}
		n.disown(g, c)
		n.maybeForget(g)
	}
}
