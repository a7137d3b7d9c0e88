package experiments

import (
	"math"
	"time"

	"tidings/lab"
	"tidings/network/corona"
	"tidings/network/honeycomb"
	"tidings/network/sim"
)

// Trouble is nodes that go, or come and go, once the network has settled: in a world with the
// default settings and Lite, smaller than that of the table.

// goneAtOnce is the share of the nodes that all crash at one moment.
const goneAtOnce = 0.1

// The names of the troubles.
const (
	crash    = "crash"
	overnet  = "overnet"
	torChurn = "tor"
)

var (
	troubles     = []string{crash, overnet, torChurn}
	troubleWords = map[string]string{crash: "10 % crash at once", overnet: "25 % replaced an hour", torChurn: "churn of Tor's relays"}
)

// troubled runs a world through trouble.
func troubled(run *lab.Run, s coronaSizes, name string) (*coronaFigures, error) {
	s = s.inTrouble()
	r := newCoronaRow(run, newCoronaWork(run.Seed(), s), s, corona.Default(), honeycomb.Policy{})
	leaving, left := sim.Leaving{Gone: r.gone}, s.For-s.Settle
	nodes := r.first
	var driver sim.Churn
	switch name {
	case crash:
		nodes = nodes[:int(goneAtOnce*float64(s.Nodes))] // IDs are random
		driver = sim.LeaveStorm{Leaving: leaving}
	case overnet:
		nodes = append(nodes, r.place(int(2*replacedHourly*float64(s.Nodes)*left.Hours())+10)...)
		driver = sim.Replacement{Hourly: replacedHourly, For: left, Leaving: leaving}
	case torChurn:
		trace := torTrace(run.Seed(), left)
		trace.Leaving = leaving
		r.first, driver = trace.Up(nodes), trace
	}
	if err := r.subscribe(); err != nil {
		return nil, err
	}
	r.world.At(r.began+s.Settle, func() { driver.Drive(r.world, nodes) })
	if err := r.live(); err != nil {
		return nil, err
	}
	run.Ran(r.world)
	return r.coronaFigures, nil
}

// inTrouble returns the sizes of the worlds with trouble. A channel has so few readers on average
// that they cannot afford to have all nodes poll.
func (s coronaSizes) inTrouble() coronaSizes {
	t := s
	t.Upkeep = 1
	t.Nodes, t.Channels, t.Subscriptions, t.For = s.TroubleNodes, s.TroubleChannels, min(50, s.TroubleNodes/4)*s.TroubleChannels, s.Settle+s.TroubleFor
	return t
}

// strayed is how far load and detection time stray while nodes go, as shares of what they were in
// the maintenance interval before. Both are averaged over a polling interval: a shorter time has
// too few probes.
type strayed struct {
	load, detection float64       // the most
	mean            float64       // detection, over all the time
	back            time.Duration // after which both are within a tenth of before, for good
}

func (f *coronaFigures) strayed(from time.Duration) (s strayed) {
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
func (f *coronaFigures) average(from, to int) (load, detection float64) {
	wait := weighted{}
	for i := from; i < to; i++ {
		load += f.load[i] / float64(to-from)
		wait.add(f.probed[i].mean(), 1)
	}
	return load, wait.mean()
}

// troubleFigures are the figures of a trouble, after its name.
func troubleFigures(name string) []string {
	figures := []string{".load_most", ".detection_most", ".detection_mean"}
	if name == crash {
		figures = append(figures, ".back_minutes")
	}
	return figures
}

func giveTrouble(run *lab.Run, s coronaSizes, name string, f *coronaFigures) {
	strayed := f.strayed(s.Settle)
	values := []float64{strayed.load, strayed.detection, strayed.mean, strayed.back.Minutes()}
	for i, figure := range troubleFigures(name) {
		run.Figure(name+figure, values[i])
	}
}

// expectTrouble returns what is expected of a trouble. There is no figure of the paper's. The load
// must not overshoot, as in the table. A crash leaves a tenth of the slots silent until those
// left have them, which makes a tenth of the gaps twice as long, and detection a fifth later; as
// much again is for nodes below a contact that has gone. As from an empty start, all is to be
// back within two maintenance intervals. Where nodes keep coming and going the same holds all the time.
func expectTrouble(s coronaSizes, name string) (all []lab.Expected) {
	bounds := []lab.Bounds{lab.AtMost(1.1), lab.AtMost(1.4), lab.AtMost(1.2), lab.AtMost(2 * corona.Default().Maintenance.Minutes())}
	units := []string{"of before", "of before", "of before", "min"}
	for i, figure := range troubleFigures(name) {
		e := lab.Expected{Name: name + figure, Unit: units[i], Within: bounds[i]}
		if !s.full() { // a channel more or less at another level is a tenth of the load
			e.Aside, e.Within = true, lab.Bounds{}
		}
		all = append(all, e)
	}
	return all
}
