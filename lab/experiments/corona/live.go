package corona

import (
	"fmt"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/livenet"
)

// Live measures the paper's deployment: whole nodes, real connections, real time.
var Live = lab.Experiment[liveSizes]{
	Name:   "corona-live",
	Title:  "Corona with whole nodes: how soon changes arrive, for how many polls",
	Source: "Ramasubramanian, Peterson and Sirer, NSDI 2006, section 5.2: Figures 9 and 10",
	About: "Whole nodes, each with its store, scheduler and interfaces, form a ring over libp2p on loopback. An origin replays recorded feeds, or where these " +
		"are not at hand made-up ones that change as they did, each from a moment drawn for the channel, and keeps account of every request; feeds begin to change " +
		"after the parameter calm. Nodes subscribe at a uniform rate; popularity follows Zipf's law with exponent 0.5, but no channel has more readers than there " +
		"are nodes. Time is sped up: the paper's polling interval of 30 minutes passes in the parameter interval, and its 6 hours in as many intervals. Each " +
		"node's own stream of updates is read, through its API, and held against what the feeds say: a fact is an item, new or revised, that a feed says once; a " +
		"subscriber that was there before the fact was first seen by anybody must be told of it once. A fact that was gone before anybody checked counts for " +
		"nothing; one that was gone within an interval, and that the origin served once, is counted apart: nobody can confirm what one node alone says. Half way " +
		"some nodes, which are processes of their own, are killed; as many others join, and subscribe. At three quarters those that were killed come back, with " +
		"the data that they had. Detection is the mean time from a random moment to the channel's next poll, weighted by subscriptions, from the gaps between the " +
		"requests that the origin has got; legacy's load is what the same subscribers would cause.",

	Live: true,
	Tiny: liveSizes{
		Nodes: 4, Killed: 1, Joined: 1, Channels: 30, Subscriptions: 60,
		Interval: 2 * time.Second, For: 28 * time.Second, Subscribe: 2 * time.Second, Calm: 8 * time.Second, Settle: 8 * time.Second,
		Speed: 900, MaxBytes: 16 << 10,
	},
	Quick: liveSizes{
		Nodes: 20, Killed: 2, Joined: 2, Channels: 500, Subscriptions: 4000,
		Interval: 10 * time.Second, For: 5 * time.Minute, Subscribe: 75 * time.Second, Settle: 110 * time.Second,
		Speed: 60, MaxBytes: 40 << 10,
	},
	Paper: liveSizes{
		Nodes: 60, Killed: 6, Joined: 6, Channels: 7500, Subscriptions: 150_000,
		Interval: 30 * time.Second, For: 30 * time.Minute, Subscribe: 11 * time.Minute, Settle: 13 * time.Minute,
		Speed: 12, MaxBytes: 40 << 10,
	},

	Words:  wording.CoronaLive,
	Expect: func(s liveSizes) []lab.Expected { return liveFigures(s).Expected() },
	Memory: func(s liveSizes) uint64 { return uint64(s.Nodes)*(50<<20) + uint64(s.Subscriptions)*(40<<10) },
	Run:    runLive,
}

// liveSizes are the parameters of Live.
type liveSizes struct {
	Nodes         int           `json:"nodes"`
	Killed        int           `json:"killed"` // of them; processes of their own
	Joined        int           `json:"joined"` // beside them
	Channels      int           `json:"channels"`
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

// grace is how long after a fact was seen it may take until each subscriber is told, whatever happens meanwhile; the run goes on for so long at its end.
func (s liveSizes) grace() time.Duration { return 2*s.Interval + mourning }

// mourning is how long nodes take at most until they know that one is dead, and have closed the ring.
const mourning = 15 * time.Second

// paperInterval is the paper's polling interval.
const paperInterval = 30 * time.Minute

// scaled turns a time of the paper's deployment into one here.
func (s liveSizes) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * float64(s.Interval) / float64(paperInterval))
}

// phase is all that happens: nodes subscribe, some are killed, others join and subscribe to what those did, and those that were killed come back.
func (s liveSizes) phase(w *livenet.Workload) livenet.Phase {
	p := livenet.Phase{For: s.For + s.grace(), Events: w.Begin(s.Subscribe)}
	for i := range s.Killed {
		p.Events = append(p.Events, livenet.Event{At: s.half(), Do: livenet.Kill, Node: i}, livenet.Event{At: s.back(), Do: livenet.Start, Node: i})
	}
	for i := range s.Joined {
		node := s.Nodes + i
		p.Events = append(p.Events, livenet.Event{At: s.half(), Do: livenet.Start, Node: node})
		p.Events = append(p.Events, w.Subscribe(node, w.Follows(i), s.half(), s.follow())...)
	}
	return p
}

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
	plotLive(run, j)
	return nil
}
