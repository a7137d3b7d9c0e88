package sharing

import (
	"time"

	"tidings/network/corona"
)

// Holding is which content of a channel is here, and its version.
type Holding struct {
	Version uint64      // of the network's: the latest that is kept; it never falls
	Hash    corona.Hash // of that version
	// Content is the hash of the latest content here; zero: not known. It is ahead of the version when a poll has found
	// what has no number yet.
	Content corona.Hash
	unseen  corona.Hash // content that is here because others have seen it; zero: this node's own polls have
	Seen    time.Time   // when a poll here found something last; zero: not since the start
}

// Number notes a version of the network's that is kept.
func (h *Holding) Number(version uint64, hash corona.Hash) {
	if version > h.Version {
		h.Version, h.Hash = version, hash
	}
}

// Receive notes content that others have seen.
func (h *Holding) Receive(hash corona.Hash) { h.Content, h.unseen = hash, hash }

// see notes which content a poll of this node has seen. It reports whether this confirms what others have seen.
func (h *Holding) see(hash corona.Hash) (confirms bool) {
	if hash == (corona.Hash{}) {
		return false
	}
	h.Content = hash
	if confirms = h.unseen == hash; confirms {
		h.unseen = corona.Hash{}
	}
	return confirms
}

// IsAhead reports whether a content is what polls here have found after the version that is held.
func (h *Holding) IsAhead(content corona.Hash) bool {
	return content != h.Hash && content != (corona.Hash{})
}
