package machine

import (
	"encoding/binary"

	"tidings/network/engine"
)

// Channel is a channel as pollers and owners know it.
type Channel struct {
	ID  engine.ID
	URL string // canonical
}

// Genuine reports whether the URL is the channel's. A node that names another one would direct the network's requests
// elsewhere.
func (c Channel) Genuine() bool { return engine.IDOf([]byte(c.URL)) == c.ID }

// Hash identifies a content: contents of a channel with the same hash are the same to its readers. The maker of
// contents defines the hash; see Library.
type Hash [32]byte

// Start returns the first 64 bits of the hash.
func (h Hash) Start() uint64 { return binary.BigEndian.Uint64(h[:]) }
