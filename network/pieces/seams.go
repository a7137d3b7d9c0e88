package pieces

import "tidings/network/engine"

// Ring is what pieces ask of Pastry; see there.
type Ring interface {
	Active() bool
	Route(key engine.ID, payload engine.Message)
	Owners(key engine.ID, k int) (owners []engine.Peer, sure bool)
	// Known returns every node that this one knows and believes alive, by ID.
	Known() []engine.Peer
}

// BlockStore is where a node keeps content, through restarts. Its methods return at once; what they call
// back they call in the loop, after they have returned. What it gives to the node is as it was put
// there.
type BlockStore interface {
	// Open reads what is kept of a content: the manifest, and which pieces. Nil: nothing is.
	Open(ref Ref, opened func(manifest []byte, bits Bits))
	// Begin keeps a manifest, before any piece of the content. It is not ok if there is no room for the
	// whole.
	Begin(ref Ref, manifest []byte, begun func(ok bool))
	// Put keeps a piece. kept reports whether it is on the disk.
	Put(ref Ref, index int, piece []byte, kept func(ok bool))
	// Get reads a piece; nil: it is not there.
	Get(ref Ref, index int, got func(piece []byte))
}
