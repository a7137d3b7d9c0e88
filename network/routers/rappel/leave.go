package rappel

import (
	"cmp"
	"slices"
	"time"

	"tidings/network/engine"
)

// quit begins to leave the tree (section 4.4: proper leave). The node serves its children until all have another
// parent, for Config.Parting at most.
func (t *tree) quit() {
	if t.top {
		t.idleAt = t.now() + t.config.Idle
		t.wake(t.idleAt)
		return
	}
	t.seeking = seeking{tree: t, rejoinAt: t.seeking.rejoinAt}
	t.leaving = t.now() + t.config.Parting
	t.feed.pull.due = 0
	t.sendAway()
	t.wake(t.leaving)
	t.maybeGo()
}

// maybeGo has a node that leaves do so at once if nobody is below it any more.
func (t *tree) maybeGo() {
	if t.leaving > 0 && len(t.children.list) == 0 {
		t.leaving = t.now()
		t.wake(t.leaving)
	}
}

// sendAway has the children find other parents: the least remote comes in this node's place, the others go to it.
func (t *tree) sendAway() {
	seats := t.children.seats()
	if len(seats) == 0 {
		return
	}
	heir := slices.MinFunc(seats, func(a, b seat) int { return cmp.Compare(a.remote.distance, b.remote.distance) })
	to := t.root()
	if !t.parent.IsZero() {
		to = t.parent
		t.env.Send(t.parent, &Replace{Topic: t.topic, Child: heir.Peer})
	}
	for _, k := range t.children.list {
		switch {
		case k.status == awaited || to.IsZero():
		case k.peer.ID == heir.ID || t.top:
			t.env.Send(k.peer, &ChangeParent{Topic: t.topic, To: to})
		default:
			t.env.Send(k.peer, &ChangeParent{Topic: t.topic, To: heir.Peer})
		}
	}
}

// onLeave ends an edge.
func (t *tree) onLeave(from engine.Peer, m *Leave) {
	if m.Child {
		if t.isParent(from.ID) {
			t.lostParent(engine.ID{}, from) // it is alive
		}
		return
	}
	if m.Forgot {
		t.children.lostChild(from.ID)
	}
	t.children.remove(from.ID)
	t.maybeGo()
}

// onChangeParent looks for a place where the parent says.
func (t *tree) onChangeParent(from engine.Peer, m *ChangeParent) {
	if !t.isParent(from.ID) {
		return
	}
	t.friends.met(m.To)
	if s := &t.seeking; s.until > 0 && s.target.ID == m.To.ID {
		return // it is asked already
	}
	t.seeking.seek(sent, m.To)
	t.seeking.scheduleRejoin() // the next one is skipped (section 4.2)
}

// lostParent looks for another parent: at first where it is sent, then above, and last at the root.
func (t *tree) lostParent(dead engine.ID, first ...engine.Peer) {
	t.env.Trace(LostParent{t.topic, t.parent})
	t.detach()
	t.seeking.dead = dead
	t.seeking.seek(orphaned, append(first, t.above.Chain[:min(1, len(t.above.Chain))]...)...)
}

// lost notes that a node does not answer.
func (t *tree) lost(id engine.ID) {
	t.seeking.targetFailed(id)
	if t.isParent(id) {
		t.lostParent(id)
	}
	t.children.lostChild(id)
}

// onOrphaned goes to the grandparent, which has found out that the parent is dead. If it is not, no harm is done: it
// stays the parent until there is another.
func (t *tree) onOrphaned(from engine.Peer, m *Orphaned) {
	chain := t.above.Chain
	if !t.isParent(m.Dead) || len(chain) == 0 || chain[0].ID != from.ID {
		return
	}
	t.seeking.dead = m.Dead
	t.seeking.seek(orphaned, from)
}

// stop leaves at once, with the node.
func (t *tree) stop() {
	t.sendAway()
	t.part()
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
		t.part()
		return never
	}
	next := min(
		t.runRoot(now), t.seeking.runSearch(now), t.seeking.runRejoin(now),
		t.feed.runPull(now), t.feed.runInspection(now), t.feed.runVoid(now),
		t.children.runChildren(now), t.children.runVerification(now))
	if t.leaving > 0 {
		next = min(next, t.leaving)
	}
	return next
}
