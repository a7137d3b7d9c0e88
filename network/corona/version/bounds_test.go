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
	maxAfter         = 4
	maxLacking       = 8
	attestWait       = 3 * time.Second
	gapGrace         = 3 * time.Second
	confirmWait      = 10 * time.Second
	directSends      = 5
	directAgain      = 2 * time.Second
	directPage       = 64
	directBurst      = 256
	directTick       = 20 * time.Millisecond
	maxReports       = 5
	passedAge        = time.Minute
	maxDismissals    = 3
	maxUnderWay      = 1 << 14
	resendAge        = 2 * time.Minute
	maxReunions      = 4
	verifyPause      = time.Minute
	enough           = 10
	maxRepolls       = 4
	maxStateStamp    = 1<<62 - 1
	joinGrace        = 10 * time.Second
	announceLeast    = 5 * time.Minute
	notifyWait       = 2 * time.Second
	auditWait        = time.Minute
	auditGrace       = 20 * time.Second
	halfHour         = 30 * time.Minute
	equivocatorAge   = believe.EquivocatorAge
	maxFalseReports  = table.MaxOffences
)

var (
	Place            = believe.Place
	AttestationWords = update.AttestationWords
)
