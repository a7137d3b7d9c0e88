package machine

import (
	"encoding/binary"

	"tidings/network/engine"
)

// Channel is what pollers and owners know of a channel.
type Channel struct {
	ID  engine.ID
	URL string // canonical
}

// Genuine reports whether the URL is the channel's: whoever names another would have the network ask an origin for something else.
func (c Channel) Genuine() bool { return engine.IDOf([]byte(c.URL)) == c.ID }

// Hash names a content: two contents of a channel with the same hash are the same to its readers. Whoever makes contents makes the hash; see Library.
type Hash [32]byte

// Start returns the first 64 bits of the hash.
func (h Hash) Start() uint64 { return binary.BigEndian.Uint64(h[:]) }
