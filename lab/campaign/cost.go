package campaign

import "time"

// What a run may cost. A world that would cost more by the estimate has shorter phases, and polls more often so that what is
// waited for is shorter; one that does all the same is not judged to its end, and its log says so.
const (
	maxEvents      = 40_000_000 // about two minutes of processor time
	eventsANode    = 60         // a node's, in a minute, about
	aimedAt        = maxEvents / 2
	leastPhaseStay = 2 * time.Minute
)

// bound shortens what would take too long.
func (w *World) bound() {
	for w.estimate() > aimedAt && w.Interval.D() > 5*time.Minute {
		w.Interval /= 2
		w.Calm = w.Interval
	}
	w.Interval = max(w.Interval, Seconds(5*time.Minute))
	for w.estimate() > aimedAt && w.Storm.D() > leastPhaseStay {
		w.Storm = max(w.Storm/2, Seconds(leastPhaseStay))
	}
}

// estimate returns about how many events a run has.
func (w *World) estimate() float64 {
	minutes := (w.before() + w.Storm.D() + quietLasts + w.recovery() + w.Calm.D() + w.arrival()).Minutes()
	return minutes * float64(w.Nodes) * eventsANode
}
