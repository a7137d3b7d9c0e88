package corona

import (
	"math"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/testnet"
	"tidings/network/corona"
	"tidings/network/honeycomb"
	"tidings/network/sim/churn"
)

// Trouble is nodes that go, or come and go, once the network has settled. The world has the default settings and Lite,
// and is smaller than that of the table.

// goneAtOnce is the share of the nodes that all crash at one moment.
const goneAtOnce = 0.1

// The names of the troubles.
const (
	crash    = "crash"
	overnet  = "overnet"
	torChurn = "tor"
)

var troubleWords = map[string]string{crash: "10 % crash at once", overnet: "25 % replaced an hour",
	torChurn: "churn of Tor's relays"}

// troubled runs a world through trouble.
func troubled(run *lab.Run, s sizes, name string) *measured {
	s = s.inTrouble()
	r := newRow(run, newWorkload(run.Seed(), s), s, corona.Default(), honeycomb.Policy{})
	leaving, left := churn.Leaving{Gone: r.gone}, s.For-s.Settle
	nodes := r.first
	var driver churn.Model
	switch name {
	case crash:
		nodes = nodes[:int(goneAtOnce*float64(s.Nodes))] // IDs are random
		driver = churn.LeaveStorm{Leaving: leaving}
	case overnet:
		nodes = append(nodes, r.AddNodes(testnet.Newcomers(s.Nodes, left))...)
		driver = churn.Replacement{Hourly: testnet.ReplacedHourly, For: left, Leaving: leaving}
	case torChurn:
		trace := testnet.TorTrace(run.Seed(), left)
		trace.Leaving = leaving
		r.first, driver = trace.Up(nodes), trace
	}
	r.subscribe()
	r.At(r.began+s.Settle, func() { driver.Drive(r.World, nodes) })
	r.live()
	return r.measured
}

// inTrouble returns the sizes of the worlds with trouble. A channel has so few readers on average that they cannot
// afford to have all nodes poll.
func (s sizes) inTrouble() sizes {
	t := s
	t.Upkeep = 1
	t.Nodes, t.Channels, t.Subscriptions, t.For = s.TroubleNodes, s.TroubleChannels,
		min(50, s.TroubleNodes/4)*s.TroubleChannels, s.Settle+s.TroubleFor
	return t
}

// strayed is how far load and detection time stray while nodes go, as shares of their values in the maintenance
// interval before. Both are averaged over a polling interval: a shorter time has too few probes.
type strayed struct {
	load, detection float64       // the most
	mean            float64       // detection, over all the time
	back            time.Duration // after which both are within a tenth of before, for good
}

func (f *measured) strayed(from time.Duration) (s strayed) {
	first, windows := int(from/f.window()), len(f.load)
	before := int(corona.Default().Maintenance / f.window())
	load, detection := f.average(first-before, first)
	_, s.mean = f.average(first, windows)
	s.mean /= detection
	for end := first + windowsInInterval; end <= windows; end++ {
		l, d := f.average(end-windowsInInterval, end)
		s.load, s.detection = max(s.load, l/load), max(s.detection, d/detection)
		if math.Abs(l/load-1) > 0.1 || math.Abs(d/detection-1) > 0.1 {
			s.back = time.Duration(end-first) * f.window()
		}
	}
	return s
}

// average returns polls by window and the mean detection time of some windows.
func (f *measured) average(from, to int) (load, detection float64) {
	wait := weighted{}
	for i := from; i < to; i++ {
		load += f.load[i] / float64(to-from)
		wait.add(f.probed[i].mean(), 1)
	}
	return load, wait.mean()
}
