package feedtree

import (
	"fmt"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/livenet"
)

// Live measures pushes by whole nodes over real connections.
var Live = wording.Of("feedtree-live", lab.Experiment[pushSizes]{
	Live:   true,
	Expect: func(s pushSizes) []lab.Expected { return pushFigures(s).Expected() },
	Memory: func(s pushSizes) uint64 { return uint64(s.Nodes+1) * (50 << 20) },
	Run:    runPushes,
})

// pushSizes are the parameters of Live.
type pushSizes struct {
	Nodes     int           `json:"nodes"`         // in one process; the first publishes, all others read the steady feed
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

	pushWatched = 0 // a feed whose file is watched
	pushEntries = 1 // one that is never edited
	pushKilled  = 2 // that of the victim
)

// readers returns the first few readers.
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
			pushWatched: {Name: "watched", Kind: livenet.Published, Publisher: pushPublisher, Watched: true, Readers: few},
			pushEntries: {Name: "entries", Kind: livenet.Published, Publisher: pushPublisher, Readers: s.readers(s.Nodes - 1)},
			pushKilled:  {Name: "killed", Kind: livenet.Published, Publisher: pushVictim, Watched: true, Readers: few},
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

// all has everything published, one part after the other.
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
