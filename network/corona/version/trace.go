package version

import (
	"time"

	"tidings/network"
	"tidings/network/engine"
)

// What the machine traces. The structs are values with plain fields.
type (
	// Found says that a poll by this node has found a content that is new to it, and that the primary is told.
	Found struct {
		Channel engine.ID
		Hash    Hash
	}
	// Numbered says that this node has made a version of a content that another has found, or this one. Subscribers are owed it from now on.
	Numbered struct {
		Channel engine.ID
		Version uint64
		Hash    Hash
		FoundBy engine.ID
		Took    time.Duration // since this node heard of it
	}
	// Carried says by which router versions of a channel come to this node, a subscriber, from now on.
	Carried struct {
		Channel engine.ID
		Router  network.RouterName
	}
	// Delivered says that the library has a new version of a channel that this node subscribes to. Its content is new as well if it is News.
	Delivered struct {
		Channel engine.ID
		Version uint64
		Hash    Hash
		FoundBy engine.ID
		News    bool
	}
	// Dropped says that this node made no version of what somebody has found.
	Dropped struct {
		Channel engine.ID
		Hash    Hash
		Finder  engine.ID
		Why     Why
	}
	// FalseReport says that a node stood by a report that nobody else could confirm, Times times lately; see maxFalseReports.
	FalseReport struct {
		Channel, Node engine.ID
		Times         int
	}
	// Refused says that something that another node sent was not taken, because it cannot be true.
	Refused struct {
		Channel engine.ID
		Version uint64
		From    engine.ID
		Why     Why
	}
	// Equivocated says that a node is proved to have given one number to two contents.
	Equivocated struct {
		Channel engine.ID
		Version uint64
		Giver   engine.ID
	}
	// Suspected says that the network does not seem to poll a channel for this node, which had better do so; or, with Trusted, that it does again.
	Suspected struct {
		Channel engine.ID
		Why     Suspicion
	}
	// Contradicted says that the origin shows this node what it showed before a version that others say to have seen there. Shown: this node has shown it.
	Contradicted struct {
		Channel        engine.ID
		Version        uint64
		Hash           Hash
		FoundBy, Giver engine.ID
		Seen           []engine.ID // the witnesses
		Shown          bool
	}
	// Missed says that this node has heard of a version that it lacks, and asks for it.
	Missed struct {
		Channel engine.ID
		Version uint64
	}
	// Unsent says that a subscriber has not acknowledged an update, however often it was sent.
	Unsent struct {
		Channel engine.ID
		Version uint64
		To      engine.Peer
	}
	// Limited says that this node, as primary, has learnt what an origin asks for.
	Limited struct {
		Channel        engine.ID
		Wait, Interval time.Duration
	}
)

// Why is the reason for something that is traced.
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
