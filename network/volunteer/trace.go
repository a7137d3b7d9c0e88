package volunteer

import "tidings/network/engine"

// Volunteered says that a node polls a channel in its turn. Heard is how many others have reported polls within the
// last interval.
type Volunteered struct {
	Channel engine.ID
	Heard   int
	Zeal    float64
}

// First says that a node was the first to report a content.
type First struct {
	Channel engine.ID
	Hash    Hash
}

// Heard says that a node received a report of a poll, by a finder of which it has an opinion.
type Heard struct {
	Channel engine.ID
	Hash    Hash
	Finder  engine.ID
	Opinion Opinion
}

// Took says that a node stored what another has found.
type Took struct {
	Channel engine.ID
	Hash    Hash
	Finder  engine.ID
}

// Lacks says that a node received a report of a content that it does not have, and cannot or will not get from the
// sender: it polls in its next turn.
type Lacks struct {
	Channel engine.ID
	Hash    Hash
	Finder  engine.ID
}

// Refused says that a report is not signed by the node that it names, or has an impossible time.
type Refused struct {
	Channel engine.ID
	Finder  engine.ID
}

// LimitHit says that a bound of Config was reached.
type LimitHit struct {
	What  string
	Limit int
}
