package version

import (
	"time"

	"tidings/network/corona/version/believe"
	"tidings/network/corona/version/update"
	"tidings/network/table"
)

// What the parts promise, which tests of the whole hold them to.
const (
	extraPatience    = 5 * time.Second
	firstPollWithin  = time.Second
	attestAge        = 24 * time.Hour
	maxPendingVerify = 4
	verifyPatience   = time.Minute
	leastPolls       = 4
	mostPolls        = 12
	pollEvery        = time.Minute
	equivocatorAge   = believe.EquivocatorAge
	maxFalseReports  = table.MaxOffences
)

var (
	Place            = believe.Place
	AttestationWords = update.AttestationWords
)
