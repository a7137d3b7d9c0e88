package feedtree

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/livenet"
	"tidings/lab/stats"
)

// Live measures pushes by whole nodes over real connections.
var Live = wording.Of("feedtree-live", lab.Experiment[pushSizes]{
	Live:   true,
	Expect: func(s pushSizes) []lab.Expected { return pushFigures(s).Expected() },
	Memory: func(s pushSizes) uint64 { return uint64(s.Nodes+1) * (50 << 20) },
	Run:    runPushes,
})

type pushSizes struct {
	// in one process; the first publishes, all others read the steady feed
	Nodes     int           `json:"nodes"`
	Readers   int           `json:"readers"`       // of them, of the feeds that are edited
	Edits     int           `json:"edits"`         // of the watched file
	EditEvery time.Duration `json:"edit_every_ns"` // between two
	Rate      int           `json:"rate"`          // entries a second
	Steady    time.Duration `json:"steady_ns"`     // how long they are published, twice
	Bytes     int           `json:"bytes"`         // of an entry as it travels, about
	Kills     int           `json:"kills"`         // of the other publisher
}

// entries is how many entries are published in a steady time.
func (s pushSizes) entries() int { return int(s.Steady.Seconds() * float64(s.Rate)) }

// The nodes and channels of a network of pushSizes. All other nodes are readers.
const (
	pushVictim    = 0 // a process of its own
	pushPublisher = 1

	pushWatched = 0 // a feed with a watched file
	pushEntries = 1 // one that is never edited
	pushKilled  = 2 // that of the victim
)

func (s pushSizes) readers(count int) (all []int) {
	for i := range count {
		all = append(all, pushPublisher+1+i)
	}
	return all
}

// workload is the network. Nobody polls of his own accord while the experiment runs: what comes is pushed.
func (s pushSizes) workload(seed uint64) livenet.Workload {
	few := s.readers(s.Readers)
	return livenet.Workload{
		Seed: seed, Processes: 1, Nodes: s.Nodes, Interval: time.Hour,
		Channels: []livenet.Channel{
			pushWatched: {Name: "watched", Kind: livenet.Published, Publisher: pushPublisher, Watched: true,
				Readers: few},
			pushEntries: {Name: "entries", Kind: livenet.Published, Publisher: pushPublisher,
				Readers: s.readers(s.Nodes - 1)},
			pushKilled: {Name: "killed", Kind: livenet.Published, Publisher: pushVictim, Watched: true, Readers: few},
		},
	}
}

func runPushes(run *lab.Run, s pushSizes) error {
	run.Stage("starting the nodes", 0.1)
	net, err := livenet.Launch(run.Context(), s.workload(run.Seed()), livenet.Options{})
	run.Must(err)
	p := &pushes{run: run, sizes: s, net: net}
	run.Must(net.While(p.all))
	p.tally = net.Tally(livenet.Rules{First: true})
	if p.tally.Noise > 0 {
		return fmt.Errorf("%d updates came to nodes that have not subscribed to their channels", p.tally.Noise)
	}
	pushFigures(s).Give(run, p)
	net.Remark(run, nil)
	p.plot()
	return nil
}

func (p *pushes) all() {
	p.follow()
	for _, part := range []struct {
		name  string
		share float64
		do    func()
	}{
		{"editing a watched file", 0.3, p.edit},
		{"publishing entries", 0.2, p.steadily},
		{"publishing entries to nobody's ears", 0.2, p.publishUnheard},
		{"killing a publisher", 0.2, p.kill},
	} {
		p.run.Stage(part.name, part.share)
		part.do()
	}
}

// judged reports whether a run is so large that its times and costs can be expected.
func (s pushSizes) judged() bool { return s.Nodes >= 50 && s.Readers >= 40 }

func pushFigures(s pushSizes) lab.Figures[*pushes] {
	var f lab.Figures[*pushes]
	quantile := func(name string, q float64, within lab.Bounds, of func(p *pushes) []float64) {
		f.Judge(name+"_seconds", "s", within, func(p *pushes) float64 { return stats.QuantileOf(of(p), q) })
	}
	last, each := func(p *pushes) []float64 { return p.last }, func(p *pushes) []float64 { return p.edits }
	steady, signed := func(p *pushes) []float64 { return p.steady }, func(p *pushes) []float64 { return p.signed }
	quantile("edits.last_p50", 0.5, lab.Bounds{}, last)
	quantile("edits.last_p99", 0.99, lab.AtMost(0.150), last)
	quantile("edits.last_most", 1, lab.Bounds{}, last)
	quantile("edits.each_p50", 0.5, lab.Bounds{}, each)
	quantile("edits.each_p99", 0.99, lab.Bounds{}, each)
	quantile("edits.noticed_p50", 0.5, lab.Bounds{}, func(p *pushes) []float64 { return p.noticed })
	quantile("steady.p50", 0.5, lab.AtMost(0.005), steady)
	quantile("steady.p99", 0.99, lab.AtMost(0.040), steady)
	quantile("steady.most", 1, lab.Bounds{}, steady)
	quantile("steady.signed_p50", 0.5, lab.Bounds{}, signed)
	quantile("steady.signed_p99", 0.99, lab.Bounds{}, signed)
	f.Report("cost.entry_bytes", "B", func(p *pushes) float64 { return p.costs.entry })
	f.Judge("cost.sent_of_payload", "", lab.AtMost(1.2), func(p *pushes) float64 { return p.costs.sent })
	f.Judge("cost.cpu_seconds", "s", lab.AtMost(150e-6), func(p *pushes) float64 { return p.costs.cpu })
	f.Report("cost.rest_cpu_seconds", "s", func(p *pushes) float64 { return p.costs.rest })
	f.Report("killed.back_most_seconds", "s", func(p *pushes) float64 { return p.slowest })
	f.Judge("killed.items", "", lab.Exactly(float64(livenet.OldStories+3*s.Kills)),
		func(p *pushes) float64 { return float64(p.items) })
	f.Judge("killed.gaps", "", lab.Exactly(0), func(p *pushes) float64 { return float64(p.gaps) })
	f.Judge("due", "", lab.AtLeast(1), func(p *pushes) float64 { return float64(p.tally.Due) })
	f.Judge("lost", "", lab.Exactly(0), func(p *pushes) float64 { return float64(p.tally.Lost) })
	f.Judge("twice", "", lab.Exactly(0), func(p *pushes) float64 { return float64(p.tally.Twice) })
	f.Judge("unsigned", "", lab.Exactly(0), func(p *pushes) float64 { return float64(p.tally.Unsigned) })
	f.Judge("node_errors", "", lab.Exactly(0), func(p *pushes) float64 { return float64(p.net.Failures().Count) })
	return f.OfMachine().Aside(func(e lab.Expected) bool {
		kind, _, _ := strings.Cut(e.Name, ".")
		return !s.judged() && slices.Contains([]string{"edits", "steady", "cost", "node_errors"}, kind)
	})
}
