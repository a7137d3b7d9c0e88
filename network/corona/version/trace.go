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
	// Refused reports that a message from another node was not accepted, because it cannot be true.
	Refused struct {
		Channel engine.ID
		Version uint64
		From    engine.ID
		Why     Why
	}
	// Equivocated reports that a node is proved to have assigned one number to two contents.
	Equivocated struct {
		Channel engine.ID
		Version uint64
		Giver   engine.ID
	}
	// Suspected reports that the network does not seem to poll a channel for this node, which should poll itself. With
	// Trusted, the network does so again.
	Suspected struct {
		Channel engine.ID
		Why     Suspicion
	}
	// Contradicted reports that the origin shows this node the content before a version that others attest to have
	// seen. Shown: this node has shown the version.
	Contradicted struct {
		Channel        engine.ID
		Version        uint64
		Hash           Hash
		FoundBy, Giver engine.ID
		Seen           []engine.ID // the witnesses
		Shown          bool
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

// Why is the reason in a trace event.
type Why string

// The reasons.
const (
	Known         Why = "the content is that of the latest version"
	Old           Why = "the content is that of an earlier version"
	Noise         Why = "the content differs from request to request"
	FalseReporter Why = "the finder has made false reports before"
	Unconfirmed   Why = "nobody else sees it"
	Replaced      Why = "the origin has changed again since"
	Unfit         Why = "what was sent does not make the content"
	Overtaken     Why = "another owner has given a higher number"
	Unowned       Why = "this node does not own the channel"
	Impossible    Why = "the content cannot have this number"
	Equivocal     Why = "the number belongs to another content"
	Stranger      Why = "it does not come from an owner"
	Forged        Why = "it is not signed as it should be"
	Unsound       Why = "it is not signed by its finder"
	Uncertified   Why = "the host's owners do not let the channel be polled"
)
