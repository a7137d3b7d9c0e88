package corona

import (
	"tidings/network/corona/machine"
	"tidings/network/corona/plan"
	"tidings/network/corona/version"
	"tidings/network/corona/version/update"
)

// The types that all machines share.
type (
	Channel  = machine.Channel
	Hash     = machine.Hash
	Ring     = machine.Ring
	LimitHit = machine.LimitHit
)

// Library, PollResult and TreeMember are what the versions of channels need.
type (
	Library    = version.Library
	PollResult = update.PollResult
	TreeMember = version.TreeMember
)

// Poller polls channels, in their turn and out of it. It reports by Node.Polled each poll that found a change, and each
// that was requested.
type Poller interface {
	plan.Poller
	version.Poller
}

// Task says when a channel is polled.
type Task = plan.Task
