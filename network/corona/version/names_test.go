package version

import (
	"tidings/network/corona/version/believe"
	"tidings/network/corona/version/deliver"
	"tidings/network/corona/version/report"
	"tidings/network/corona/version/update"
)

// What tests of the whole need of the parts.
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
	Detected     = report.Detected
	Heard        = report.Heard
	Limit        = report.Limit
	Suspicion    = report.Suspicion
	Suspected    = report.Suspected
	Dropped      = report.Dropped
	Limited      = report.Limited
	FalseReport  = report.FalseReport
	Equivocation = believe.Equivocation
	Ahead        = believe.Ahead
	Equivocated  = believe.Equivocated
	Contradicted = believe.Contradicted
	Commit       = deliver.Commit
	Committed    = deliver.Committed
	Shared       = deliver.Shared
	Got          = deliver.Got
	Routed       = deliver.Routed
	Missing      = deliver.Missing
	Numbered     = report.Numbered
	Delivered    = deliver.Delivered
	Unsent       = deliver.Unsent
	Carried      = deliver.Carried
)

const (
	MaxWait        = report.MaxWait
	VerifiesPerSet = report.VerifiesPerSet
	Spare          = believe.Spare
	Trusted        = report.Trusted
	Silent         = report.Silent
	Denied         = report.Denied
	Noise          = update.Noise
	FalseReporter  = update.FalseReporter
	Unfit          = update.Unfit
	Impossible     = update.Impossible
	Equivocal      = update.Equivocal
	Stranger       = update.Stranger
	Forged         = update.Forged
	Unsound        = update.Unsound
	Unproved       = update.Unproved
	tagBits        = update.TagBits
	clockSkew      = update.ClockSkew
)

var (
	follow = update.Follow
	tagOf  = update.TagOf
)
