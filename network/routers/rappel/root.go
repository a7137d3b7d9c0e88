package rappel

import (
	"slices"
	"time"

	"tidings/network"
	"tidings/network/engine"
)

// farFuture is how far ahead of the calendar clock an epoch may be that others announce, in milliseconds: 100 years. So
// a clock that stands at 1970 does no harm, and neither does a liar. There is always an epoch above.
const farFuture = 100 * 365 * 24 * 3600 * 1000

// raising is how often a root begins an epoch because a child claims a later one.
const raising = time.Minute

// succession is how a tree gets another root: which one it was, and when there is something to do about that.
type succession struct {
	lastRoot engine.ID     // as the Directory said last
	oldRoot  former        // the root before
	checkAt  time.Duration // when the Directory is asked
	strayAt  time.Duration // when a node below another root looks for one itself
	raisedAt time.Duration // when a root began an epoch for the sake of a child
	idleAt   time.Duration // when a root without anybody forgets the tree
}

// checkRoot does what the Directory's answer asks for.
func (t *tree) checkRoot() {
	t.checkAt = t.now() + t.around(t.config.Ping)
	root := t.seams.Directory.Root(t.topic)
	if root.IsZero() || root.ID == t.lastRoot {
		return
	}
	first := t.lastRoot == engine.ID{}
	old := t.claimedRoot()
	t.lastRoot = root.ID
	if !first && old.ID != root.ID {
		t.oldRoot = former{old, t.now() + t.config.Recent}
	}
	switch {
	case root.ID == t.id():
		t.becomeRoot()
	case t.top:
		t.resign(root)
	case t.leaving > 0 || first && t.parent.IsZero():
	case t.parent.IsZero() || len(t.above.Chain) == 0 && t.parent.ID != root.ID: // the parent was the root
		t.seeking.seek(uprooted, root)
	default:
		t.strayAt = t.now() + t.around(2*t.config.Ping)
		t.wake(t.strayAt)
	}
}

// runRoot looks after what the Directory says, and returns when it will again.
func (t *tree) runRoot(now time.Duration) time.Duration {
	if now >= t.checkAt {
		t.checkRoot()
	}
	if now >= t.strayAt {
		t.strayAt = never
		if root := t.root(); t.inTree() && t.claimedRoot().ID != root.ID {
			t.seeking.seek(uprooted, root)
		}
	}
	next := min(t.checkAt, t.strayAt)
	if t.top && !t.joined {
		if len(t.children.list) > 0 {
			t.idleAt = now + t.config.Idle
		}
		next = min(next, t.idleAt)
	}
	return next
}

// becomeRoot puts the node at the top of the tree. It begins an epoch above all that it knows of: by its calendar
// clock, as it may have been the root before and forgotten it.
func (t *tree) becomeRoot() {
	t.part()
	t.top, t.above, t.seeking, t.leaving, t.strayAt = true, Place{}, seeking{tree: t}, 0, never
	t.self.locateFirst(t.seams.Coordinates)
	t.moved()
	t.beginEpoch(t.feed.Epoch)
	t.idleAt = t.now() + t.config.Idle
	t.wake(t.idleAt)
	t.env.Trace(Rooted{t.topic, true, t.feed.Epoch})
	t.session.attached(t.topic)
}

// beginEpoch starts to number anew, above an epoch that there was. What came lately gets a number in it as well, so
// that nodes that lack it see that they do.
func (t *tree) beginEpoch(above uint64) {
	t.feed.Begin(max(uint64(max(t.env.Wall().UnixMilli(), 1)), above+1), 0)
	t.feed.pull, t.feed.inspection, t.feed.void = pulling{}, inspection{}, 0
	for _, c := range t.lately() {
		t.feed.publish(c.update.Event, c.digest, t.env.Self())
	}
}

// maybeRaiseEpoch begins a new epoch if a child knows of a later one: the clock was ahead when the root began that, or
// is behind now.
func (t *tree) maybeRaiseEpoch(claimed uint64) {
	now := uint64(max(t.env.Wall().UnixMilli(), 0))
	if claimed <= t.feed.Epoch || claimed > now+farFuture || t.raisedAt > 0 && t.now() < t.raisedAt+raising {
		return
	}
	t.raisedAt = t.now()
	t.beginEpoch(claimed)
	t.env.Trace(Rooted{t.topic, true, t.feed.Epoch})
}

// resign makes a root an ordinary node: a member, or one that leaves. What it published lately goes to the new root, as
// it may not have come everywhere.
func (t *tree) resign(root engine.Peer) {
	t.top = false
	t.env.Trace(Rooted{t.topic, false, t.feed.Epoch})
	t.giveRecent()
	if !t.joined {
		for _, k := range t.children.list {
			if k.status != awaited {
				t.env.Send(k.peer, &ChangeParent{Topic: t.topic, To: root})
			}
		}
		t.leaving = t.now() + t.config.Parting
		t.wake(t.leaving)
		return
	}
	t.seeking.seek(uprooted, root)
}

// lately returns what came within Config.Recent and was not withdrawn since.
func (t *tree) lately() []cached {
	return slices.DeleteFunc(t.feed.cache.lately(t.now()-t.config.Recent), func(c cached) bool {
		return network.IsWithdrawn(t.seams.Member, t.topic, c.update.Event)
	})
}

// giveRecent makes the root publish the recent updates: another root, or members, may lack them.
func (t *tree) giveRecent() {
	for _, c := range t.lately() {
		t.outbox.add(t.topic, c.update.Event, c.digest)
	}
}
