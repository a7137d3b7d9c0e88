package rappel

import (
	"time"

	"tidings/network/engine"
)

// quit begins to leave the tree (section 4.4: proper leave). The node serves its children until all have another parent, for
// Config.Parting at most.
func (t *tree) quit() {
	if t.top {
		t.idleAt = t.now() + t.config.Idle
		t.wake(t.idleAt)
		return
	}
	t.seeking = seeking{tree: t}
	t.leaving = t.now() + t.config.Parting
	t.wake(t.leaving)
	t.sendAway()
	if len(t.children.list) == 0 {
		t.leaving = t.now()
		t.wake(t.leaving)
	}
}

// sendAway tells the children to find other parents: the least remote comes in this node's place, the others go to
// it.
func (t *tree) sendAway() {
	root := t.rootCoordinate()
	heir := t.children.pick(
		func(*child) bool { return true },
		func(k *child) time.Duration { return k.coordinate.Distance(root) })
	if heir == nil {
		return
	}
	to := t.root()
	if !t.parent.IsZero() {
		to = t.parent
		t.env.Send(t.parent, &Replace{Topic: t.topic, Child: heir.peer})
	}
	for i := range t.children.list {
		switch k := &t.children.list[i]; {
		case k.awaited || to.IsZero():
		case k.peer.ID == heir.peer.ID || t.top:
			t.env.Send(k.peer, &ChangeParent{Topic: t.topic, To: to})
		default:
			t.env.Send(k.peer, &ChangeParent{Topic: t.topic, To: heir.peer})
		}
	}
}

// onLeave ends an edge.
func (t *tree) onLeave(from engine.Peer, m *Leave) {
	if m.Child {
		if from.ID == t.parent.ID && !t.parent.IsZero() {
			t.lostParent(true)
		}
		return
	}
	if m.Forgot {
		t.children.lostChild(from.ID)
	} else if t.children.remove(from.ID) {
		t.children.familyChanged()
	}
	if t.leaving > 0 && len(t.children.list) == 0 {
		t.leaving = t.now()
		t.wake(t.leaving)
	}
}

// onChangeParent looks for a place where the parent says.
func (t *tree) onChangeParent(from engine.Peer, m *ChangeParent) {
	if from.ID != t.parent.ID || t.parent.IsZero() {
		return
	}
	t.met(m.To)
	if s := &t.seeking; s.until > 0 && s.target.ID == m.To.ID {
		return // it is asked already
	}
	t.seeking.seek(sent, m.To)
	t.seeking.scheduleRejoin() // the next one is skipped (section 4.2)
}

// lostParent looks for another parent: above, and last at the root. One that is alive, and only does not know its child any more, is asked
// before.
func (t *tree) lostParent(alive bool) {
	t.env.Trace(LostParent{t.topic, t.parent})
	var first []engine.Peer
	if t.seeking.dead = t.parent.ID; alive {
		t.seeking.dead, first = engine.ID{}, append(first, t.parent)
	}
	if above := t.above.Chain; len(above) > 0 {
		first = append(first, above[0])
	}
	t.detach()
	if t.leaving > 0 {
		return
	}
	t.seeking.seek(orphaned, first...)
}

// lost takes note that a node does not answer.
func (t *tree) lost(id engine.ID) {
	t.seeking.targetFailed(id)
	if id == t.parent.ID && !t.parent.IsZero() {
		t.lostParent(false)
	}
	t.children.lostChild(id)
}

func (c *children) lostChild(id engine.ID) {
	k := c.find(id)
	if k == nil {
		return
	}
	c.env.Trace(LostChild{c.topic, k.peer})
	c.callOrphans(k)
	c.remove(id)
	c.familyChanged()
}

// callOrphans has the children of a child that is dead, or has forgotten them, come here.
func (c *children) callOrphans(k *child) {
	if c.config.Orphans && c.inTree() {
		for _, p := range k.family {
			c.env.Send(p, &Orphaned{Topic: c.topic, Dead: k.peer.ID})
		}
	}
	k.family = nil
}

// onOrphaned goes to the grandparent, which has found out that the parent is dead. If it is not, no harm is done: it
// stays the parent until there is another.
func (t *tree) onOrphaned(from engine.Peer, m *Orphaned) {
	chain := t.above.Chain
	if t.parent.IsZero() || m.Dead != t.parent.ID || len(chain) == 0 || chain[0].ID != from.ID {
		return
	}
	t.seeking.dead = m.Dead
	t.seeking.seek(orphaned, from)
}

// onReplace takes note of who comes in the place of a child that leaves.
func (c *children) onReplace(from engine.Peer, m *Replace) {
	k := c.find(from.ID)
	if k == nil || k.parting > 0 || m.Child.IsZero() || m.Child.ID == c.id() || c.find(m.Child.ID) != nil {
		return
	}
	k.parting = c.now() + c.config.Parting + c.config.PingTimeout // it serves its children until then
	c.list = append(c.list, child{peer: m.Child, heard: c.now(), awaited: true})
	c.familyChanged()
	c.wake(c.now() + c.expiry())
}

// runChildren forgets children that were not heard of for too long, and those that were to leave. It returns when something
// will be due.
func (c *children) runChildren(now time.Duration) time.Duration {
	next := never
	type end struct {
		child engine.ID
		lost  bool
	}
	var over []end // seldom any: the list is not copied each time
	for i := range c.list {
		k := &c.list[i]
		switch expires := k.heard + c.expiry(); {
		case k.parting > 0 && now >= k.parting, k.awaited && now >= k.heard+c.config.Parting:
			over = append(over, end{k.peer.ID, false})
		case now >= expires:
			over = append(over, end{k.peer.ID, true})
		default:
			if next = min(next, expires); k.parting > 0 {
				next = min(next, k.parting)
			}
			if k.awaited {
				next = min(next, k.heard+c.config.Parting)
			}
		}
	}
	for _, e := range over {
		if e.lost {
			c.lostChild(e.child)
			continue
		}
		c.remove(e.child)
		c.familyChanged()
	}
	return next
}

// stop leaves at once, with the node.
func (t *tree) stop() {
	t.sendAway()
	if !t.parent.IsZero() {
		t.env.Send(t.parent, &Leave{Topic: t.topic})
	}
}

// over reports whether the node has left the tree.
func (t *tree) over() bool {
	switch {
	case t.top:
		return !t.joined && len(t.children.list) == 0 && t.now() >= t.idleAt
	case t.joined:
		return false
	}
	return t.leaving == 0 || t.now() >= t.leaving
}

// run does what is due, and returns when something will be.
func (t *tree) run(now time.Duration) time.Duration {
	if t.leaving > 0 && now >= t.leaving {
		if !t.parent.IsZero() {
			t.part(t.parent)
		}
		return never
	}
	next := min(t.runRoot(now), t.seeking.runSearch(now), t.seeking.runRejoin(now), t.feed.runPull(now), t.feed.runInspection(now), t.feed.runVoid(now), t.children.runChildren(now), t.children.runVerification(now))
	if t.leaving > 0 {
		next = min(next, t.leaving)
	}
	return next
}
