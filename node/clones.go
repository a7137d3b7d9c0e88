package node

import (
	"sync"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/live"
	"tidings/network/pastry"
)

// maxClones bounds how many of others' clones are remembered.
const maxClones = 256

// clones remembers which keys run on two machines. The node that shares this one's key is its
// twin. Nobody says when a twin has stopped; it counts as gone when it was not met for
// tidings.CloneGone. The zero value is ready for use.
type clones struct {
	mu     sync.Mutex
	met    time.Time          // when the twin last was; zero: never
	where  string             // it was met, if that is known
	others map[engine.ID]bool // that were warned of
}

// meetTwin takes note that the twin is there, and where, if that is known. It tells whether
// that is news.
func (c *clones) meetTwin(where string, now time.Time) (news bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if news = !c.hasTwinLocked(now); news {
		c.where = ""
	}
	c.met = now
	if where != "" {
		c.where = where
	}
	return news
}

// meetOthers takes note that two other nodes have one key. It tells whether that is news;
// where too many have, all are forgotten.
func (c *clones) meetOthers(id engine.ID) (news bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.others[id] {
		return false
	}
	if c.others == nil || len(c.others) >= maxClones {
		c.others = make(map[engine.ID]bool)
	}
	c.others[id] = true
	return true
}

func (c *clones) hasTwinLocked(now time.Time) bool {
	return !c.met.IsZero() && now.Sub(c.met) < tidings.CloneGone
}

// tell puts into a view what is known of the twin.
func (c *clones) tell(view *tidings.Network, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hasTwinLocked(now) {
		view.Cloned, view.ClonedAt, view.ClonedMet = true, c.where, c.met
	}
}

// noteClone takes note that one key runs on two machines: where is that of the twin, if the
// key is this node's own and the place is known.
func (n *network) noteClone(id engine.ID, own bool, where string) {
	switch {
	case own && n.clones.meetTwin(where, time.Now()):
		n.log.Error("another running node has this node's key; see: tidings doctor", "at", where)
		n.changed.Ring()
	case !own && n.clones.meetOthers(id):
		n.log.Warn("two nodes have one key", "node", id.Short())
	}
}

// elsewhere returns which of a clone's two addresses is not this node's.
func (n *network) elsewhere(e pastry.Cloned) string {
	other := engine.Peer{ID: e.ID, Address: e.Other}
	if other == n.host.Self() {
		other.Address = e.One
	}
	return live.FormatAddress(other)
}
