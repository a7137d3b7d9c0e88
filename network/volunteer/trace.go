package volunteer

import "tidings/network/engine"

// Volunteered says that a node polls a channel in its turn. Heard is how many polls of others it
// heard of within the last interval.
type Volunteered struct {
	Channel engine.ID
	Heard   int
	Zeal    float64
}

// First says that a node was the first to tell of a content.
type First struct {
	Channel engine.ID
	Hash    Hash
}

// Heard says that a node was told of a poll; News that it found what this node did not have.
type Heard struct {
	Channel engine.ID
	Hash    Hash
	Finder  engine.ID
	News    bool
}

// Refused says that something was told that is not signed by whom it names, or whose time
// cannot be.
type Refused struct {
	Channel engine.ID
	Finder  engine.ID
}

// LimitHit says that a bound of Config was reached.
type LimitHit struct {
	What  string
	Limit int
}
