package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/vivaldi"
)

// tree is a node's place in the tree of one topic (section 4).
type tree struct {
	*core
	topic engine.ID

	joined  bool          // the node wants the topic's events
	top     bool          // it is the root
	leaving time.Duration // until when it serves its children, which look for other parents; 0: it stays

	parent engine.Peer // zero: none
	above  Place       // of the parent, as it announced
	former former

	children  children
	announced Place // of this node, as announced to children; what it holds is not changed

	feed    feed
	seeking seeking
	succession
}

// former is the parent before. What it had sent already may be all that there is.
type former struct {
	peer  engine.Peer
	until time.Duration
}

func newTree(c *core, topic engine.ID) *tree {
	t := &tree{core: c, topic: topic}
	t.strayAt = never
	t.announced.Version = c.env.Rand().Uint32() | 1
	t.children.tree, t.feed.tree, t.seeking.tree = t, t, t
	t.children.evictions = engine.NewBucket(evictionRate, evictionBurst)
	return t
}

// isParent reports whether a node is the parent.
func (t *tree) isParent(id engine.ID) bool { return t.parent.ID == id && !t.parent.IsZero() }

// inTree reports whether the way to the root is known.
func (t *tree) inTree() bool { return t.top || !t.parent.IsZero() }

// root returns which node is at the top, as far as is known.
func (t *tree) root() engine.Peer {
	if root := t.seams.Directory.Root(t.topic); !root.IsZero() {
		return root
	}
	return t.claimedRoot()
}

// claimedRoot returns which node is at the top by what the parent says.
func (t *tree) claimedRoot() engine.Peer {
	if t.top {
		return t.env.Self()
	}
	return t.above.root(t.parent)
}

// root returns which node is at the top by a place of a node.
func (p *Place) root(of engine.Peer) engine.Peer {
	if n := len(p.Chain); n > 0 {
		return p.Chain[n-1]
	}
	return of
}

// rootCoordinate returns where the root lies. A node that has or had a parent knows it.
func (t *tree) rootCoordinate() vivaldi.Coordinate {
	if t.top {
		return t.self.coordinate
	}
	return t.above.Root
}

// remote returns how remote this node is from the root.
func (t *tree) remote() remoteness {
	if t.top {
		return remoteness{-1, t.id()}
	}
	return remoteness{t.self.coordinate.Distance(t.above.Root), t.id()}
}

// path returns how long the way from the root to this node is, in coordinates.
func (t *tree) path() time.Duration {
	if t.top {
		return 0
	}
	return time.Duration(t.above.Path)*time.Microsecond + t.self.coordinate.Distance(t.above.Self)
}

// moved notes that this node's place has changed.
func (t *tree) moved() {
	p := Place{Version: t.announced.Version + 1, Self: t.self.coordinate, Root: t.rootCoordinate(),
		Path: micros(t.path())}
	if !t.parent.IsZero() {
		p.Chain = slices.Concat([]engine.Peer{t.parent}, t.above.Chain)
	}
	t.announced = p
}

// isAbove reports whether a node is among this node's ancestors.
func (t *tree) isAbove(id engine.ID) bool {
	return t.isParent(id) || chainHas(t.above.Chain, id)
}

func chainHas(chain []engine.Peer, id engine.ID) bool {
	return slices.ContainsFunc(chain, func(p engine.Peer) bool { return p.ID == id })
}

// fits returns what is wrong with a parent's place for this node, "" if nothing.
func (t *tree) fits(parent engine.Peer, p Place) string {
	dimensions := len(t.self.coordinate.Vector)
	if p.Self.Validate(dimensions) != nil || p.Root.Validate(dimensions) != nil {
		return "coordinate"
	}
	if parent.ID == t.id() || chainHas(p.Chain, t.id()) {
		return "circle"
	}
	if known := t.seams.Directory.Root(t.topic); !known.IsZero() && known.ID != p.root(parent).ID {
		return "root"
	}
	if len(p.Chain) > 0 && !t.isNearer(parent, p) {
		return "remote"
	}
	return ""
}

// isNearer reports whether a parent is less remote from the root than this node: the invariant of section 4.2.
func (t *tree) isNearer(parent engine.Peer, p Place) bool {
	own := remoteness{t.self.coordinate.Distance(p.Root), t.id()}
	return remoteness{p.Self.Distance(p.Root), parent.ID}.less(own)
}

// relocated notes that the node lies elsewhere. Its parent learns it by a Join, and sends it on if it is too remote
// now.
func (t *tree) relocated() {
	if t.top {
		t.moved()
	} else if !t.parent.IsZero() {
		t.seeking.seek(uprooted, t.parent)
	}
}

// attach makes a node the parent, in the place of the one before (section 4.4: proper rejoin).
func (t *tree) attach(parent engine.Peer, p Place) {
	if !t.isParent(parent.ID) {
		t.links.follow(parent)
		t.feed.inspection.answered()
		t.part()
	}
	t.parent, t.above, t.feed.void = parent, p, 0
	t.children.familyKnown = t.children.family
	if len(t.children.list) > 0 {
		t.children.familyChanged()
	}
	t.moved()
	t.env.Trace(Attached{t.topic, parent, len(p.Chain) + 1})
	t.friends.met(parent)
	t.session.attached(t.topic)
}

// part leaves the parent, if there is one.
func (t *tree) part() {
	if old := t.parent; !old.IsZero() {
		t.detach()
		t.env.Send(old, &Leave{Topic: t.topic})
	}
}

// detach ends what was between this node and its parent, without a word.
func (t *tree) detach() {
	t.links.unfollow(t.parent)
	t.former = former{t.parent, t.now() + t.config.Parting}
	t.parent = engine.Peer{}
}
