package report

import (
	"math"
	"time"
)

// estimate estimates how often a channel changes. It is Cho and Garcia-Molina's estimator for a page that is visited at
// regular intervals ("Estimating frequency of change", ACM TOIT 2003, section 4.2). One visit is a period as long as
// the polling interval. Of n periods let X be those with a change. If changes come at random at a rate r, a period has
// none with probability e^-r. So r is estimated by
//
//	-log((n - X + 0.5) / (n + 0.5))
//
// A burst of changes within one period counts once: it is one occasion to poll for. Before anything is known, n and X
// are those of a quarter of a change in six hours. Older observations count less: half after estimateHalf.
type estimate struct {
	at      time.Duration // time of watched and changed, by Env.Now; 0: not begun
	watched float64       // n
	changed float64       // X
	latest  time.Duration // period of the latest change, counted from 1
}

const (
	priorWatched = 6 * time.Hour
	priorChanges = 0.25
	estimateHalf = 14 * 24 * time.Hour

	maxEstimate = 1e9 // seconds between changes that another owner can report
)

// begin starts to watch the channel, if it is not watched yet.
func (e *estimate) begin(now time.Duration) {
	if e.at == 0 {
		e.at = max(now, 1)
	}
}

// age brings watched and changed up to date.
func (e *estimate) age(now, period time.Duration) {
	e.begin(now)
	if now <= e.at {
		return
	}
	left := math.Exp2(-float64(now-e.at) / float64(estimateHalf))
	// The integral of what is left of each moment since.
	e.watched = e.watched*left + (1-left)*float64(estimateHalf)/math.Ln2/float64(period)
	e.changed *= left
	e.at = now
}

// change counts a change of the channel.
func (e *estimate) change(now, period time.Duration) {
	e.age(now, period)
	if this := now/period + 1; this != e.latest {
		e.latest = this
		e.changed++
	}
}

// rescale changes the length of periods.
func (e *estimate) rescale(now, before, period time.Duration) {
	if e.at == 0 {
		return
	}
	e.age(now, before)
	e.watched *= float64(before) / float64(period)
	e.latest = 0
}

// interval returns the estimated mean time between changes.
func (e *estimate) interval(now, period time.Duration) time.Duration {
	e.age(now, period)
	n := e.watched + float64(priorWatched)/float64(period)
	x := min(e.changed+priorChanges, n)
	rate := -math.Log((n - x + 0.5) / (n + 0.5))
	return time.Duration(min(float64(period)/rate, math.MaxInt64/2))
}

// adopt adopts what another owner has watched, and reports true, if that is more. interval is its estimate from so many
// periods.
func (e *estimate) adopt(watched float64, interval, now, period time.Duration) bool {
	e.age(now, period)
	most := float64(estimateHalf) / math.Ln2 / float64(period)
	n := min(watched, most)
	if n <= e.watched+1 || interval <= 0 {
		return false
	}
	// The inverse of interval.
	all := n + float64(priorWatched)/float64(period)
	x := all + 0.5 - (all+0.5)*math.Exp(-float64(period)/float64(interval))
	e.watched, e.changed = n, max(x-priorChanges, 0)
	return true
}
