package version

import (
	"time"

	"tidings/network"
	"tidings/network/engine"
)

// The machine's trace events are values with plain fields.
type (
	// Found reports that a poll by this node has found a content that is new to it, and the primary is notified.
	Found struct {
		Channel engine.ID
		Hash    Hash
	}
	// Numbered reports that this node has made a version of a content that it or another node found. From now on
	// subscribers are owed it.
	Numbered struct {
		Channel engine.ID
		Version uint64
		Hash    Hash
		FoundBy engine.ID
		Took    time.Duration // since this node learned of it
	}
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
		Hash    Hash
		FoundBy engine.ID
		News    bool
	}
	// Dropped reports that this node made no version of a reported content.
	Dropped struct {
		Channel engine.ID
		Hash    Hash
		Finder  engine.ID
		Why     Why
	}
	// FalseReport reports that no other node could confirm a node's report, Times times lately; see maxFalseReports.
	FalseReport struct {
		Channel, Node engine.ID
		Times         int
	}
	// Suspected reports that the network does not seem to poll a channel for this node, which should poll itself. With
	// Trusted, the network does so again.
	Suspected struct {
		Channel engine.ID
		Why     Suspicion
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
	// Limited reports that this node, as primary, has learned what an origin asks for.
	Limited struct {
		Channel        engine.ID
		Wait, Interval time.Duration
	}
)
