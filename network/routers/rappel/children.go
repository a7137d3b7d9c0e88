package rappel

import (
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/vivaldi"
)

// children are a node's children in one tree: at most Config.Children, but for a moment (section 4.4). Those that are
// about to leave are served until they have another parent.
type children struct {
	*tree
	list      []*child // in the order of their coming
	evictions engine.Bucket
	banned    shunned // those that are not admitted for a time

	// Versions of the list: the present one, the one in the ping under way to the parent, and the one that the parent
	// knows.
	family, familyAnnounced, familyKnown uint32
}

type child struct {
	peer       engine.Peer
	coordinate vivaldi.Coordinate
	heard      time.Duration
	family     []engine.Peer // its own children
	status     status
	until      time.Duration // when it is one no longer, unless it stays
	check      verifying
}

// status is what a child is to its parent.
type status uint8

const (
	stays   status = iota
	parting        // it was evicted, or leaves: it is served until it has another parent
	awaited        // it was announced by Replace, and has not come; its place is kept
	guest          // its coordinate is not believed, and this is the root, its last resort: it has no place of others
)

func (c *children) find(id engine.ID) *child {
	for _, k := range c.list {
		if k.peer.ID == id {
			return k
		}
	}
	return nil
}

// remove forgets a child, if it is one.
func (c *children) remove(id engine.ID) {
	before := len(c.list)
	c.list = slices.DeleteFunc(c.list, func(k *child) bool { return k.peer.ID == id })
	if len(c.list) < before {
		c.familyChanged()
	}
}

// familyChanged notes that the children are others, which the parent learns soon: it calls them if this node
// dies.
func (c *children) familyChanged() {
	if c.family++; c.config.Orphans && !c.parent.IsZero() {
		c.links.hurry(c.parent, c.now()+c.config.Pull)
	}
}

// count returns how many children are of these kinds, without the node but.
func (c *children) count(but engine.ID, kinds ...status) (n int) {
	for _, k := range c.list {
		if slices.Contains(kinds, k.status) && k.peer.ID != but {
			n++
		}
	}
	return n
}

// peers returns those that are there and not about to leave, as a child's parent learns of them.
func (c *children) peers() (list []engine.Peer) {
	for _, k := range c.list {
		if (k.status == stays || k.status == guest) && len(list) < maxChildren {
			list = append(list, k.peer)
		}
	}
	return list
}

// lostChild notes that a node does not answer any more.
func (c *children) lostChild(id engine.ID) {
	if k := c.find(id); k != nil {
		c.env.Trace(LostChild{c.topic, k.peer})
		c.callOrphans(k)
		c.remove(id)
	}
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

// onEdge notes that a child is alive, and reports whether it is one.
func (c *children) onEdge(from engine.Peer, e *Edge) bool {
	k := c.find(from.ID)
	if k == nil || k.status == awaited {
		return false
	}
	k.heard, k.peer = c.now(), from
	if e.Family {
		k.family = e.Children
	}
	if c.top {
		c.maybeRaiseEpoch(e.Epoch)
	}
	return true
}

// onReplace notes which node comes in the place of a child that leaves.
func (c *children) onReplace(from engine.Peer, m *Replace) {
	k := c.find(from.ID)
	if k == nil || k.status == parting || k.status == awaited {
		return
	}
	if m.Child.IsZero() || m.Child.ID == c.id() || c.find(m.Child.ID) != nil {
		return
	}
	k.status, k.until = parting, c.now()+c.config.Parting+c.config.PingTimeout // it serves its children until then
	heir := &child{peer: m.Child, heard: c.now(), status: awaited, until: c.now() + c.config.Parting}
	c.list = append(c.list, heir)
	c.familyChanged()
	c.wake(heir.until)
}

// runChildren forgets children that sent nothing for too long, and those that are overdue. It returns when something
// will be due.
func (c *children) runChildren(now time.Duration) time.Duration {
	next := never
	for _, k := range slices.Clone(c.list) {
		silent := k.heard + c.config.patience()
		switch {
		case k.status != stays && now >= k.until:
			if k.status == guest { // it is to come like others, and be checked anew
				c.env.Send(k.peer, &Leave{Topic: c.topic, Child: true})
			}
			c.remove(k.peer.ID)
		case now >= silent:
			c.lostChild(k.peer.ID)
		case k.status != stays:
			next = min(next, silent, k.until)
		default:
			next = min(next, silent)
		}
	}
	return next
}
