package corona

import (
	"fmt"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/livenet"
	"tidings/lab/plot"
)

// Live measures the paper's deployment: whole nodes, real connections, real time.
var Live = wording.Of("corona-live", lab.Experiment[liveSizes]{
	Live:   true,
	Expect: func(s liveSizes) []lab.Expected { return liveFigures(s).Expected() },
	Memory: func(s liveSizes) uint64 { return uint64(s.Nodes)*(50<<20) + uint64(s.Subscriptions)*(40<<10) },
	Run:    runLive,
})

// liveSizes are the parameters of Live.
type liveSizes struct {
	Nodes    int `json:"nodes"`
	Killed   int `json:"killed"` // of them; processes of their own
	Joined   int `json:"joined"` // beside them
	Channels int `json:"channels"`
	// that channels are dealt out to, so that one has no more of a node's than the node can prove readers
	Hosts         int           `json:"hosts"`
	Subscriptions int           `json:"subscriptions"` // of Nodes: at most one by channel and node
	Interval      time.Duration `json:"interval_ns"`
	For           time.Duration `json:"for_ns"`       // since the first subscribes
	Subscribe     time.Duration `json:"subscribe_ns"` // of it, in which all subscribe
	Calm          time.Duration `json:"calm_ns"`      // of it, before any feed changes
	Settle        time.Duration `json:"settle_ns"`    // of it, before what is measured
	Speed         float64       `json:"speed"`        // seconds of the recorded histories in a second
	MaxBytes      int           `json:"max_bytes"`    // feeds with longer documents are left out
}

// half is when nodes are killed and others join, back when those that were killed return.
func (s liveSizes) half() time.Duration { return s.For / 2 }
func (s liveSizes) back() time.Duration { return s.For * 3 / 4 }

// follow is in what time those that join subscribe.
func (s liveSizes) follow() time.Duration { return s.For / 8 }

// grace is how long after a fact was seen it may reach each subscriber, whatever happens meanwhile. The run goes on for
// as long at its end.
func (s liveSizes) grace() time.Duration { return 2*s.Interval + mourning }

// mourning is how long nodes need at most until they know that one is dead, and have closed the ring.
const mourning = 15 * time.Second

// paperInterval is the paper's polling interval.
const paperInterval = 30 * time.Minute

// scaled turns a time of the paper's deployment into one here.
func (s liveSizes) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * float64(s.Interval) / float64(paperInterval))
}

// phase is all that happens. Nodes subscribe, and some are killed. Others join and subscribe to the same channels, and
// the killed ones come back.
func (s liveSizes) phase(w *livenet.Workload) livenet.Phase {
	p := livenet.Phase{For: s.For + s.grace(), Events: w.Begin(s.Subscribe)}
	for i := range s.Killed {
		p.Events = append(p.Events, livenet.Event{At: s.half(), Do: livenet.Kill, Node: i},
			livenet.Event{At: s.back(), Do: livenet.Start, Node: i})
	}
	for i := range s.Joined {
		node := s.Nodes + i
		p.Events = append(p.Events, livenet.Event{At: s.half(), Do: livenet.Start, Node: node})
		p.Events = append(p.Events, w.Subscribe(node, w.Follows(i), s.half(), s.follow())...)
	}
	return p
}

// maxLosses is how many losses are described.
const maxLosses = 20

func runLive(run *lab.Run, s liveSizes) error {
	run.Stage("reading feeds", 0.01)
	work, err := newLiveWork(run.Seed(), s)
	run.Must(err)
	run.Remark(work.source)
	run.Stage("starting the nodes", 0.04)
	net, err := livenet.Launch(run.Context(), work.network, livenet.Options{Progress: run.Part})
	run.Must(err)
	run.Stage("polling together", 0.95)
	ends := net.While(func() { run.Must(net.Play(s.phase(&work.network))) })
	j := judgeLive(work, s, net)
	if j.all.Noise > 0 {
		return fmt.Errorf("%d updates came to nodes that have not subscribed to their channels", j.all.Noise)
	}
	liveFigures(s).Give(run, j)
	net.Remark(run, ends)
	for _, l := range j.losses[:min(len(j.losses), maxLosses)] {
		run.Remark(l)
	}
	plotLive(run, j)
	return nil
}

// plotLive plots Figures 9 and 10 of the paper, and how updates travel.
func plotLive(run *lab.Run, j *liveJudge) {
	s, l := j.sizes, j.net.Polls
	windows := min(int(s.For/l.Window), len(l.Windows))
	over := func(value func(w livenet.Window) float64) (points []plot.Point) {
		for i := range windows {
			points = append(points, plot.Point{X: (float64(i) + 0.5) * l.Window.Minutes(), Y: value(l.Windows[i])})
		}
		return points
	}
	draw := func(name string) plot.Plot { return wording.Plots("corona-live", s)(name, s.half(), s.back()) }
	begins := []plot.Reference{plot.Upright("killed, joined", s.half().Minutes()),
		plot.Upright("back", s.back().Minutes())}
	run.Plot(draw("live-detection").
		With(plot.Series{Label: "from gaps between requests", Points: over(livenet.Window.Detection)},
			plot.Series{Label: "of changes", Kind: plot.Dots, Points: j.changesOver(windows)}).
		Beside(begins...).Beside(plot.Level("legacy", s.Interval.Seconds()/2),
		plot.Level("the paper", s.scaled(paperLiveDetection).Seconds())))
	requests := over(func(w livenet.Window) float64 { return float64(w.Requests) / l.Window.Seconds() })
	run.Plot(draw("live-load").
		With(plot.Series{Label: "Tidings", Points: requests}).
		Beside(begins...).Beside(plot.Level("legacy", float64(s.Subscriptions)/s.Interval.Seconds())))
	run.Plot(draw("live-spread").With(
		plot.CDF("since it was detected", j.waits), plot.CDF("the same after half time", j.moved),
		plot.CDF("since the change, at any time", j.late)))
}

// changesOver returns the mean detection time of changes by window, weighted by subscriptions.
func (j *liveJudge) changesOver(windows int) (points []plot.Point) {
	w := j.net.Polls.Window
	for i := range windows {
		if y := j.changesDetection(w*time.Duration(i), w*time.Duration(i+1)); y > 0 {
			points = append(points, plot.Point{X: (float64(i) + 0.5) * w.Minutes(), Y: y})
		}
	}
	return points
}
