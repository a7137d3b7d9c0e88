package experiments

import (
	"errors"
	"io/fs"
	"time"

	"tidings/lab"
	"tidings/lab/dataset"
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
		trace, err := torTrace(run.Seed(), left)
		if err != nil {
			return nil, err
		}
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

// strayed is how far load and detection stray from what they were just before a time, and how long
// after it both are back for good within a tenth of that.
type strayed struct {
	load, detection float64 // the most, as a share of before
	back            time.Duration
}

func (f *coronaFigures) strayed(from time.Duration) (s strayed) {
	first := int(from / f.window())
	load, wait := 0., weighted{}
	for i := first - windowsInInterval; i < first; i++ {
		load += f.load[i] / windowsInInterval
		wait.add(f.probed[i].mean(), 1)
	}
	for i := first; i < len(f.load); i++ {
		l, d := f.load[i]/load, f.probed[i].mean()/wait.mean()
		s.load, s.detection = max(s.load, l), max(s.detection, d)
		if l > 1.1 || d > 1.1 {
			s.back = time.Duration(i+1-first) * f.window()
		}
	}
	return s
}

func giveTrouble(run *lab.Run, s coronaSizes, name string, f *coronaFigures) {
	strayed := f.strayed(s.Settle)
	run.Figure(name+".load_most", strayed.load)
	run.Figure(name+".detection_most", strayed.detection)
	run.Figure(name+".back_minutes", strayed.back.Minutes())
}

func expectTrouble(s coronaSizes, name string) []lab.Expected {
	back := lab.Expected{Name: name + ".back_minutes", Unit: "min", Aside: true}
	if name == crash {
		back.Aside, back.Within = false, lab.AtMost(2*corona.Default().Maintenance.Minutes())
	}
	return []lab.Expected{
		{Name: name + ".load_most", Unit: "of before", Within: lab.AtMost(1.25)},
		{Name: name + ".detection_most", Unit: "of before", Within: lab.AtMost(3)},
		back,
	}
}

// omitTrouble tells that recorded churn is not here, if that is what err says.
func omitTrouble(run *lab.Run, name string, err error) error {
	if !errors.Is(err, dataset.ErrMissing) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, figure := range []string{".load_most", ".detection_most", ".back_minutes"} {
		run.Omit(name+figure, "the recorded data are not here (set "+dataset.EnvDir+")")
	}
	return nil
}
