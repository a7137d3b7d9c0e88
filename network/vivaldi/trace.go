package vivaldi

import (
	"time"

	"tidings/network/engine"
)

// Sampled is traced when a round trip was measured and accepted.
type Sampled struct {
	Peer     engine.Peer
	RTT      time.Duration // as measured
	Filtered time.Duration // the median with earlier ones
	Distance time.Duration // as the coordinates had it before
	Clipped  bool          // the two differed by more than the filter lets through
	Moved    time.Duration // how far the coordinate moved; 0 if it is frozen
}

// Frozen is traced when the coordinate has become stable.
type Frozen struct {
	Coordinate Coordinate
	Updates    int // of the coordinate until then
}

// Thawed is traced when a coordinate that was frozen, or had settled, has become wrong.
type Thawed struct{ Coordinate Coordinate }

// Rejected is traced when a sample is refused.
type Rejected struct {
	Peer engine.Peer
	Why  Reason
}

// Reason is why a sample was refused.
type Reason string

// The reasons.
const (
	Unasked  Reason = "an answer to nothing that was asked, or too late"
	Invalid  Reason = "a coordinate that cannot be"
	NoTime   Reason = "a round trip that cannot be"
	Outlier  Reason = "a round trip that fits the coordinate far worse than others do"
	TooOften Reason = "the peer's turn has not come again"
)
