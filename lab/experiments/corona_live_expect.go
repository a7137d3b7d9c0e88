package experiments

import (
	"math"
	"time"

	"tidings/lab"
)

// The paper's deployment: Figures 9 and 10.
const (
	paperLiveDetection = 45 * time.Second
	paperLiveLoad      = 4500. / 5000
)

// mostLiveLoad is the load that may be, as a share of legacy's: beside the polls of the plan, which are no more than
// legacy's, subscribers that do not poll poll once in 48 intervals in case the network has missed something, and
// a primary polls what others have found.
const mostLiveLoad = 1.03

// legacyPolls is how often the subscribers of a channel would poll it by themselves in an interval.
func (s liveSizes) legacyPolls() float64 { return float64(s.Subscriptions) / float64(s.Channels) }

// ideal is the mean detection time if a channel could have any number of pollers, even more than nodes: the least for
// the load that may be, which a number of pollers reaches that is proportional to the root of the subscriptions.
func (s liveSizes) ideal() time.Duration {
	roots, sum := 0., 0.
	for _, q := range popularity(s) {
		roots, sum = roots+math.Sqrt(float64(q)), sum+float64(q)
	}
	return time.Duration(float64(s.Interval) / 2 * roots * roots / (sum * sum))
}

// mostDetection is how long detection may take: as in the paper, where there are as many nodes and channels; with
// fewer, there are fewer wedges to choose from, and the aim is what is possible, and a third more.
func (s liveSizes) mostDetection() time.Duration {
	if s.Nodes >= 60 {
		return s.scaled(paperLiveDetection)
	}
	return s.ideal() * 4 / 3
}

// full reports whether a run is so long that its figures can be expected.
func (s liveSizes) full() bool { return s.Nodes >= 20 }

func expectLive(s liveSizes) []lab.Expected {
	most := s.mostDetection().Seconds()
	all := []lab.Expected{
		{Name: "live.detection_seconds", Unit: "s", Paper: new(s.scaled(paperLiveDetection).Seconds()), Within: lab.AtMost(most)},
		{Name: "live.polls", Paper: new(paperLiveLoad * s.legacyPolls()), Within: lab.AtMost(mostLiveLoad * s.legacyPolls())},
		{Name: "live.load", Paper: new(paperLiveLoad), Within: lab.AtMost(mostLiveLoad)},
		{Name: "live.changes_detection_seconds", Unit: "s", Aside: true},
		{Name: "live.changes", Aside: true},
		{Name: "live.gone", Aside: true},
		{Name: "live.spread_median_seconds", Unit: "s", Within: lab.AtMost(1)},
		{Name: "live.spread_p99_seconds", Unit: "s", Within: lab.AtMost(s.Interval.Seconds())},
		{Name: "live.trouble_spread_p99_seconds", Unit: "s", Within: lab.AtMost(s.grace().Seconds())},
		{Name: "live.due", Within: lab.AtLeast(1)},
		{Name: "live.lost", Within: lab.Exactly(0)},
		{Name: "live.twice", Within: lab.Exactly(0)},
		{Name: "live.found_by_others", Within: lab.AtLeast(0.5)},
		{Name: "live.trouble_detection_seconds", Unit: "s", Within: lab.AtMost(2 * most)},
		{Name: "live.trouble_load", Within: lab.AtMost(1.1)},
		{Name: "live.trouble_due", Within: lab.AtLeast(1)},
		{Name: "live.trouble_lost", Within: lab.Exactly(0)},
		{Name: "live.unproven_due", Aside: true},
		{Name: "live.unproven_lost", Aside: true},
		{Name: "live.joined_told", Within: lab.AtLeast(1)},
		{Name: "live.returned_caught_up", Within: lab.AtLeast(1)},
		{Name: "live.node_errors", Within: lab.Exactly(0)},
		{Name: "live.failed_requests", Within: lab.Exactly(0)},
	}
	for i := range all {
		e := &all[i]
		e.OfMachine = true
		if judgedAnyway := e.Name == "live.lost" || e.Name == "live.twice" || e.Name == "live.due"; !s.full() && !judgedAnyway {
			e.Aside, e.Within = true, lab.Bounds{}
		}
	}
	return all
}
