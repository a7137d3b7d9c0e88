package member

import (
	"sync"
	"time"

	"tidings/network/engine"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/view"
)

// maxWarned bounds how many other keys are remembered of which people were warned.
const maxWarned = 256

// duplicateKeys remembers which keys run on two machines. The other node with this one's key does not announce its end.
// It counts as gone when it was not met for view.DuplicateKeyGone. The zero value is ready for use.
type duplicateKeys struct {
	mu     sync.Mutex
	met    time.Time          // when the other node with this one's key last was; zero: never
	where  string             // it was met, if that is known
	warned map[engine.ID]bool // keys of others that people were warned of
}

// meetOwn notes that another node with this one's key exists, and where, if that is known. It reports whether that is
// news.
func (d *duplicateKeys) meetOwn(where string, now time.Time) (news bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if news = !d.isOwnLocked(now); news {
		d.where = ""
	}
	d.met = now
	if where != "" {
		d.where = where
	}
	return news
}

// meetOthers notes that two other nodes have one key. It reports whether that is news; where too many have, all are
// forgotten.
func (d *duplicateKeys) meetOthers(id engine.ID) (news bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.warned[id] {
		return false
	}
	if d.warned == nil || len(d.warned) >= maxWarned {
		d.warned = make(map[engine.ID]bool)
	}
	d.warned[id] = true
	return true
}

// isOwnLocked reports whether another node with this one's key counts as running.
func (d *duplicateKeys) isOwnLocked(now time.Time) bool {
	return !d.met.IsZero() && now.Sub(d.met) < view.DuplicateKeyGone
}

// addTo adds to network what is known of the other node with this one's key.
func (d *duplicateKeys) addTo(network *view.Network, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isOwnLocked(now) {
		network.DuplicateKey, network.DuplicateKeyAt, network.DuplicateKeyMet = true, d.where, d.met
	}
}

// foundDuplicateKey is called by the connections where two nodes have one key.
func (m *Member) foundDuplicateKey(id engine.ID) { m.noteDuplicateKey(id, "") }

// foundDuplicateID is called by the ring where two nodes have one ID. Of the two addresses one is that of another node
// than this.
func (m *Member) foundDuplicateID(e pastry.DuplicateKeyFound) {
	other := engine.Peer{ID: e.ID, Address: e.Other}
	if other == m.connections.Self() {
		other.Address = e.One
	}
	m.noteDuplicateKey(e.ID, live.FormatAddress(other))
}

// noteDuplicateKey notes that one key runs on two machines. where is that of the other, if the key is this node's own
// and the place is known.
func (m *Member) noteDuplicateKey(id engine.ID, where string) {
	own := id == m.connections.Self().ID
	switch {
	case own && m.duplicates.meetOwn(where, time.Now()):
		m.log.Error("another running node has this node's key; see: tidings doctor", "at", where)
		m.config.Changed.Ring()
	case !own && m.duplicates.meetOthers(id):
		m.log.Warn("two nodes have one key", "node", id.Short())
	}
}
