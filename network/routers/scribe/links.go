package scribe

import (
	"time"

	"tidings/network/engine"
)

// links are the peers that are parents or children of this node, in all groups. A peer that is neither in any group has
// no link. What a link adds up agrees with its groups: the hashes of its downlink and uplink, and the children in all.
type links struct {
	env  engine.Env
	ring Ring
	// probe measures the round trip time to a peer that the ring does not know.
	probe func(to engine.Peer, then func(rtt time.Duration))
	// onMeasured is called when the distance of children has become known, and they may be too many.
	onMeasured func(Group)
	// onGaveUp is called when a parent has not sent again what it has sent.
	onGaveUp func(*link)

	index map[engine.ID]*link
	list  []*link // in no order that means anything, the same in each run
	load  int     // children in all groups
}

// link is what this node and another have to do with each other, in all groups together.
type link struct {
	peer engine.Peer
	at   int           // in the list
	rtt  time.Duration // 0: not measured
	// measuring says that rtt will be known soon, or that it will not. Until then no child is handed down for the peer.
	measuring bool

	children []*child // of which the peer is the child, one for each group; in no order that means anything
	groups   []*kin   // in which the peer is the parent, in no order that means anything
	down     downlink
	up       uplink
}

// kin are a node's relatives in one group.
type kin struct {
	Group
	parent   *link         // nil: none
	at       int           // in the parent's list
	parented time.Duration // since when the parent is the parent
	children children
}

// child is a child in one group.
type child struct {
	kin    *kin
	link   *link
	at     int           // in the link's list
	place  int           // in the group's
	moving time.Duration // until when it may find another parent; 0: it need not
	has    has
}

// find returns the link to a peer; nil if there is none.
func (s *links) find(p engine.Peer) *link { return s.index[p.ID] }

// to returns the link to a peer, from now on if there was none.
func (s *links) to(p engine.Peer) *link {
	l := s.find(p)
	if l == nil {
		l = &link{peer: p, at: len(s.list), down: downlink{env: s.env}, up: uplink{env: s.env}}
		l.up.onGaveUp = func() { s.onGaveUp(l) }
		l.down.measured(0)
		s.index[p.ID] = l
		s.list = append(s.list, l)
		s.measure(l)
	}
	l.setPeer(p)
	return l
}

// ofChild returns the link to a peer that is a child in at least one group; nil if it is none.
func (s *links) ofChild(p engine.Peer) *link {
	if l := s.find(p); l != nil && len(l.children) > 0 {
		return l
	}
	return nil
}

// ofParent returns the link to a peer that is the parent in at least one group; nil if it is none.
func (s *links) ofParent(p engine.Peer) *link {
	if l := s.find(p); l != nil && len(l.groups) > 0 {
		return l
	}
	return nil
}

// maybeUnlink forgets a link that no group needs.
func (s *links) maybeUnlink(l *link) {
	if len(l.children) > 0 || len(l.groups) > 0 || s.find(l.peer) != l {
		return
	}
	delete(s.index, l.peer.ID)
	last := len(s.list) - 1
	s.list[l.at] = s.list[last]
	s.list[l.at].at = l.at
	s.list[last] = nil
	s.list = s.list[:last]
}

// receive notes that a peer is alive.
func (s *links) receive(from engine.Peer) {
	if l := s.find(from); l != nil {
		l.setPeer(from)
		l.up.heard = s.env.Now()
	}
}

// setPeer notes the address at which the peer is now.
func (l *link) setPeer(p engine.Peer) { l.peer, l.down.to, l.up.from = p, p, p }

// measure asks for the round trip time to a peer, if the ring does not know it.
func (s *links) measure(l *link) {
	if rtt, ok := s.ring.RTT(l.peer.ID); ok {
		l.rtt = rtt
		l.down.measured(rtt)
		return
	}
	l.measuring = true
	s.probe(l.peer, func(rtt time.Duration) {
		l.rtt, l.measuring = rtt, false
		l.down.measured(rtt)
		for _, c := range l.children {
			c.kin.children.sort(c)
		}
		for _, name := range l.namesBelow() {
			s.onMeasured(name)
		}
	})
}

// namesBelow returns the groups in which the peer is a child.
func (l *link) namesBelow() (names []Group) {
	for _, c := range l.children {
		names = append(names, c.kin.Group)
	}
	return names
}

// namesAbove returns the groups in which the peer is the parent.
func (l *link) namesAbove() (names []Group) {
	for _, k := range l.groups {
		names = append(names, k.Group)
	}
	return names
}

// child returns a peer as a child in a group, nil if it is none. A node has many children in one group, or is in many
// groups with one or two in each. It searches the shorter of the two lists.
func (s *links) child(k *kin, id engine.ID) *child {
	l := s.index[id]
	if l == nil {
		return nil
	}
	if len(l.children) < k.children.count {
		for _, c := range l.children {
			if c.kin == k {
				return c
			}
		}
		return nil
	}
	for c := range k.children.all() {
		if c.link == l {
			return c
		}
	}
	return nil
}

// adopt makes a peer a child in a group, in which it is none.
func (s *links) adopt(k *kin, p engine.Peer) *child {
	l := s.to(p)
	if len(l.children) == 0 {
		l.down.start()
	}
	c := &child{kin: k, link: l, at: len(l.children)}
	k.children.add(c)
	l.children = append(l.children, c)
	l.down.sum += k.hash()
	s.load++
	return c
}

// disown ends that.
func (s *links) disown(c *child) {
	c.kin.children.remove(c)
	l := c.link
	last := len(l.children) - 1
	l.children[c.at] = l.children[last]
	l.children[c.at].at = c.at
	l.children[last] = nil
	l.children = l.children[:last]
	l.down.sum -= c.kin.hash()
	if last == 0 {
		l.down.stop()
	}
	s.load--
	s.maybeUnlink(l)
}

// setParent makes a peer the parent in a group that has none.
func (s *links) setParent(k *kin, p engine.Peer) {
	l := s.to(p)
	k.parent, k.parented, k.at = l, s.env.Now(), len(l.groups)
	l.groups = append(l.groups, k)
	l.up.sum += k.hash()
	l.up.heard = s.env.Now()
}

// dropParent ends that.
func (s *links) dropParent(k *kin) {
	l := k.parent
	k.parent = nil
	last := len(l.groups) - 1
	l.groups[k.at] = l.groups[last]
	l.groups[k.at].at = k.at
	l.groups[last] = nil
	l.groups = l.groups[:last]
	l.up.sum -= k.hash()
	if len(l.groups) == 0 {
		l.up.reset()
	}
	s.maybeUnlink(l)
}

// isParent reports whether a peer is the parent.
func (k *kin) isParent(p engine.Peer) bool { return k.parent != nil && k.parent.peer.ID == p.ID }
