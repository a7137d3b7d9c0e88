package version

import (
	"time"

	"tidings/network"
)

// Config is what the machine uses of Corona's.
type Config struct {
	Owners                int           // of a channel
	Interval, Maintenance time.Duration // of polling, and of assignments
	Believe               bool          // reports are true: for simulations in which nobody lies
	Witnesses             int           // that have to have seen a content; see Corona's

	// Router carries versions to channels with more than DirectUpTo subscribers, where the node was given it by Use.
	Router     network.RouterName
	DirectUpTo int
}
