package scribe

import (
	"slices"

	"tidings/network/engine"
)

// offer gives an event to the roots, for the first time or again: over the ring if nobody knows who
// they are, or if those have not answered.
func (n *Node) offer(p *publication, u *untaken) {
	now := n.env.Now()
	u.due = now + n.jitter(n.config.PublishRetry<<min(u.tries, 10))
	u.given = nil
	if u.tries > 0 {
		p.doubt(u)
	}
	owners, sure := n.ring.Owners(p.rootKey(), n.config.Roots)
	switch {
	case sure && n.ring.Active():
		p.roots.set(owners, now)
	case u.tries > 0 || p.roots.old(now):
		p.roots.list = nil
	}
	u.tries++
	if len(p.roots.list) == 0 {
		n.ring.Route(p.rootKey(), &Publish{Key: p.Key, From: n.env.Self(), Event: *u.event})
		return
	}
	n.give(p, u)
}

// give gives an event to the roots that are not known to have it: to the closest and, until one of them has
// proved to take what it is given, to the next. The others get it down the tree, unless the event
// is offered again.
func (n *Node) give(p *publication, u *untaken) {
	proved := false
	for i, root := range p.roots.list {
		switch {
		case slices.Contains(u.taken, root.ID) || slices.Contains(u.given, root.ID):
		case n.isSelf(root):
			u.taken = append(u.taken, root.ID)
			n.takeAsRoot(p.Group, u.event, root)
		case proved && u.tries == 1:
			n.env.Send(root, &IHave{p.Group, u.name})
		default:
			n.env.Send(root, &Publish{Key: p.Key, Event: *u.event})
		}
		u.given = append(u.given, root.ID)
		proved = proved || i == 0 && n.isSelf(root) || slices.Contains(p.proved, root.ID)
	}
	n.settled(p, u)
}

// spare tells the parent that it need not hand an event down to this node, unless it hears of it as a
// root anyway.
func (n *Node) spare(g *group, p *publication, u *untaken) {
	if g.parent != nil && !p.roots.has(g.parent.peer.ID) {
		n.env.Send(g.parent.peer, &IHave{p.Group, u.name})
	}
}

// doubt takes note of the roots that have not taken an event.
func (p *publication) doubt(u *untaken) {
	p.proved = slices.DeleteFunc(p.proved, func(id engine.ID) bool { return !slices.Contains(u.taken, id) })
}

// prove takes note of a root that has.
func (p *publication) prove(root engine.ID) {
	if slices.Contains(p.proved, root) {
		return
	}
	if len(p.proved) == 2*maxRoots {
		p.proved = p.proved[1:]
	}
	p.proved = append(p.proved, root)
}

// offerLater offers again what is due.
func (n *Node) offerLater(p *publication) {
	if len(p.untaken) == 0 {
		return
	}
	next := p.untaken[0].due
	for _, u := range p.untaken {
		next = min(next, u.due)
	}
	p.alarm.Soon(n.env, next, func() {
		for _, u := range slices.Clone(p.untaken) {
			if u.due > n.env.Now() {
				continue
			}
			if u.tries >= n.config.PublishTries {
				n.env.Trace(RootTimedOut{p.Group, u.event.Number})
				p.drop(u)
				continue
			}
			n.offer(p, u)
		}
		n.offerLater(p)
	})
}

func (p *publication) drop(u *untaken) {
	p.untaken = slices.DeleteFunc(p.untaken, func(v *untaken) bool { return v == u })
}

// settled forgets an event that all roots have.
func (n *Node) settled(p *publication, u *untaken) {
	if len(p.roots.list) == 0 {
		return // one has it, and who the others are is not known yet
	}
	for _, root := range p.roots.list {
		if !slices.Contains(u.taken, root.ID) {
			return
		}
	}
	p.drop(u)
}
