package report

import (
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// The machine's trace events are values with plain fields.
type (
	// Found reports that a poll by this node has found a content that is new to it, and the primary is notified.
	Found struct {
		Channel engine.ID
		Hash    update.Hash
	}
	// Numbered reports that this node has made a version of a content that it or another node found. From now on
	// subscribers are owed it.
	Numbered struct {
		Channel engine.ID
		Version uint64
		Hash    update.Hash
		FoundBy engine.ID
		Took    time.Duration // since this node learned of it
	}
	// Dropped reports that this node made no version of a reported content.
	Dropped struct {
		Channel engine.ID
		Hash    update.Hash
		Finder  engine.ID
		Why     update.Why
	}
	// FalseReport reports that no other node could confirm a node's report, Times times lately; see table.MaxOffences.
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
	// Limited reports that this node, as primary, has learned what an origin asks for.
	Limited struct {
		Channel        engine.ID
		Wait, Interval time.Duration
	}
)

// Suspicion is why a node does not rely on the owners of a channel.
type Suspicion string

// The suspicions.
const (
	Trusted Suspicion = "" // there is none any more
	Silent  Suspicion = "the owners do not answer"
	Denied  Suspicion = "the owners deny what this node sees"
)
