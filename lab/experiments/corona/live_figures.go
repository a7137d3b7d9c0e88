package corona

import (
	"math"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/stats"
)

// The paper's deployment: Figures 9 and 10.
const (
	paperLiveDetection = 45 * time.Second
	paperLiveLoad      = 4500. / 5000
)

// mostLiveLoad is the highest load, as a share of legacy's. The plan's polls are at most legacy's. Besides, subscribers
// that do not poll make a backup poll once in 48 intervals, and a primary polls to verify what others have found.
const mostLiveLoad = 1.03

// legacyPolls is how often the subscribers of a channel would poll it by themselves in an interval.
func (s liveSizes) legacyPolls() float64 { return float64(s.Subscriptions) / float64(s.Channels) }

// ideal is the mean detection time if a channel could have any number of pollers, even more than nodes. It is the least
// for legacy's load. It is reached if the number of pollers is proportional to the root of the subscriptions.
func (s liveSizes) ideal() time.Duration {
	roots, sum := 0., 0.
	for _, q := range popularity(s) {
		roots, sum = roots+math.Sqrt(float64(q)), sum+float64(q)
	}
	return time.Duration(float64(s.Interval) / 2 * roots * roots / (sum * sum))
}

// mostDetection is the longest detection time. With as many nodes and channels as in the paper, it is the paper's. With
// fewer there are fewer wedges to choose from, and the aim is the possible time and a third more.
func (s liveSizes) mostDetection() time.Duration {
	if s.Nodes >= 60 {
		return s.scaled(paperLiveDetection)
	}
	return s.ideal() * 4 / 3
}

// full reports whether a run is so long that its figures can be expected.
func (s liveSizes) full() bool { return s.Nodes >= 20 }

func liveFigures(s liveSizes) lab.Figures[*liveJudge] {
	var f lab.Figures[*liveJudge]
	most := s.mostDetection().Seconds()
	f.Judge("live.detection_seconds", "s", lab.AtMost(most),
		func(j *liveJudge) float64 { return j.before().Detection() }).
		Says(s.scaled(paperLiveDetection).Seconds())
	f.Judge("live.polls", "", lab.AtMost(mostLiveLoad*s.legacyPolls()),
		func(j *liveJudge) float64 { return j.load() * s.legacyPolls() }).
		Says(paperLiveLoad * s.legacyPolls())
	f.Judge("live.load", "", lab.AtMost(mostLiveLoad), (*liveJudge).load).Says(paperLiveLoad)
	f.Report("live.changes_detection_seconds", "s",
		func(j *liveJudge) float64 { return j.changesDetection(s.Settle, s.half()) })
	f.Report("live.changes", "", func(j *liveJudge) float64 { return float64(len(j.changes)) })
	f.Report("live.gone", "", func(j *liveJudge) float64 { return float64(j.gone) })
	f.Judge("live.spread_median_seconds", "s", lab.AtMost(1),
		func(j *liveJudge) float64 { return stats.Quantile(j.waits, 0.5) })
	f.Judge("live.spread_p99_seconds", "s", lab.AtMost(s.Interval.Seconds()),
		func(j *liveJudge) float64 { return stats.Quantile(j.waits, 0.99) })
	f.Judge("live.trouble_spread_p99_seconds", "s", lab.AtMost(s.grace().Seconds()),
		func(j *liveJudge) float64 { return stats.Quantile(j.moved, 0.99) })
	f.Judge("live.due", "", lab.AtLeast(1), func(j *liveJudge) float64 { return float64(j.calm.due) })
	f.Judge("live.lost", "", lab.Exactly(0), func(j *liveJudge) float64 { return float64(j.calm.lost) })
	f.Judge("live.twice", "", lab.Exactly(0), func(j *liveJudge) float64 { return float64(j.all.Twice) })
	f.Judge("live.found_by_others", "", lab.AtLeast(0.5), (*liveJudge).foundByOthers)
	f.Judge("live.trouble_detection_seconds", "s", lab.AtMost(2*most),
		func(j *liveJudge) float64 { return j.after().Detection() })
	f.Judge("live.trouble_load", "", lab.AtMost(1.1), (*liveJudge).troubleLoad)
	f.Judge("live.trouble_due", "", lab.AtLeast(1), func(j *liveJudge) float64 { return float64(j.trouble.due) })
	f.Judge("live.trouble_lost", "", lab.Exactly(0), func(j *liveJudge) float64 { return float64(j.trouble.lost) })
	f.Report("live.unproven_due", "", func(j *liveJudge) float64 { return float64(j.unproven.due) })
	f.Report("live.unproven_lost", "", func(j *liveJudge) float64 { return float64(j.unproven.lost) })
	f.Judge("live.joined_told", "", lab.AtLeast(1), func(j *liveJudge) float64 { return float64(j.joined) })
	f.Judge("live.returned_caught_up", "", lab.AtLeast(1), func(j *liveJudge) float64 { return float64(j.caught) })
	f.Judge("live.node_errors", "", lab.Exactly(0),
		func(j *liveJudge) float64 { return float64(j.net.Failures().Count) })
	f.Judge("live.failed_requests", "", lab.Exactly(0),
		func(j *liveJudge) float64 { return float64(j.net.Polls.Failed) })
	always := []string{"live.due", "live.lost", "live.twice"}
	return f.OfMachine().Aside(func(e lab.Expected) bool { return !s.full() && !slices.Contains(always, e.Name) })
}
