package deliver

import (
	"tidings/network"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// The machine's trace events are values with plain fields.
type (
	// Carried reports that from now on this router carries versions of a channel to this node, a subscriber.
	Carried struct {
		Channel engine.ID
		Router  network.RouterName
	}
	// Delivered reports that the library has a new version of a channel that this node subscribes to. News: its content
	// is new as well.
	Delivered struct {
		Channel engine.ID
		Version uint64
		Hash    update.Hash
		FoundBy engine.ID
		News    bool
	}
	// Missed reports that this node has learned of a version that it lacks, and requests it.
	Missed struct {
		Channel engine.ID
		Version uint64
	}
	// Unsent reports that a subscriber has not acknowledged an update that was sent directSends times.
	Unsent struct {
		Channel engine.ID
		Version uint64
		To      engine.Peer
	}
)
