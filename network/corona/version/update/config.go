package update

import (
	"time"

	"tidings/network"
)

// Config is the part of Corona's configuration that the packages beside this one use.
type Config struct {
	Owners                int           // of a channel
	Interval, Maintenance time.Duration // of polls, and of assignments
	Believe               bool          // accept reports unchecked: for simulations in which no node lies
	Witnesses             int           // how many must have seen a content; see Corona's

	// Router carries versions to channels with more than DirectUpTo subscribers, if Use was called for it.
	Router     network.RouterName
	DirectUpTo int
}
