package version

import (
	"tidings/network/corona/version/believe"
	"tidings/network/corona/version/update"
)

// The types and functions of the packages below.
type (
	Update       = update.Update
	Seal         = update.Seal
	Attestation  = update.Attestation
	Header       = update.Header
	Verify       = update.Verify
	Verified     = update.Verified
	Refused      = update.Refused
	Why          = update.Why
	PollResult   = update.PollResult
	Equivocation = believe.Equivocation
	Ahead        = believe.Ahead
	Equivocated  = believe.Equivocated
	Contradicted = believe.Contradicted
)

// Values of the types above.
const (
	MaxPayload = update.MaxPayload
	Spare      = believe.Spare

	Known         = update.Known
	Old           = update.Old
	Noise         = update.Noise
	FalseReporter = update.FalseReporter
	Unconfirmed   = update.Unconfirmed
	Replaced      = update.Replaced
	Unfit         = update.Unfit
	Overtaken     = update.Overtaken
	Unowned       = update.Unowned
	Impossible    = update.Impossible
	Equivocal     = update.Equivocal
	Stranger      = update.Stranger
	Forged        = update.Forged
	Unsound       = update.Unsound
	Uncertified   = update.Uncertified

	tagBits    = update.TagBits
	maxCounter = update.MaxCounter
	clockSkew  = update.ClockSkew
)

var (
	numbers = update.Numbers
	follow  = update.Follow
	tagOf   = update.TagOf
	seenAs  = update.SeenAs
)
