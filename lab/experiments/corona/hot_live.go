package corona

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/livenet"
	"tidings/lab/plot"
	"tidings/network"
)

// HotLive has whole nodes follow a channel that changes every few seconds, while nodes die, come back and join.
var HotLive = wording.Of("hot-live", lab.Experiment[hotLiveSizes]{
	Live:   true,
	Expect: func(s hotLiveSizes) []lab.Expected { return hotLiveFigures(s).Expected() },
	Memory: func(s hotLiveSizes) uint64 { return uint64(s.Nodes+s.Joined) * (50 << 20) },
	Run:    runHotLive,
})

// hotLiveSizes are the parameters of HotLive.
type hotLiveSizes struct {
	Nodes    int           `json:"nodes"`
	Killed   int           `json:"killed"` // of them processes of their own, killed in turn; at least 2
	Joined   int           `json:"joined"` // one a Trouble
	Interval time.Duration `json:"interval_ns"`
	Every    time.Duration `json:"every_ns"`   // the feed gains an item
	Trouble  time.Duration `json:"trouble_ns"` // one node is killed, the one killed before comes back, and one joins
	Settle   time.Duration `json:"settle_ns"`  // before the feed changes
	For      time.Duration `json:"for_ns"`     // while it does
	Routers  []string      `json:"routers"`
}

// grace is how long an item may need to reach a node that is up, whatever happens meanwhile.
func (s hotLiveSizes) grace() time.Duration { return 2*s.Interval + mourning }

func hotLiveFigures(s hotLiveSizes) (all lab.Figures[map[string]livenet.Tally]) {
	for _, r := range s.Routers {
		lab.Part(&all, r+".", func(of map[string]livenet.Tally) livenet.Tally { return of[r] }, livenet.TallyFigures())
	}
	return all.OfMachine()
}

func runHotLive(run *lab.Run, s hotLiveSizes) error {
	tallies := make(map[string]livenet.Tally)
	draw := wording.Plots("hot-live", s)("hot-live-late")
	for _, router := range s.Routers {
		run.Stage(router, 1/float64(len(s.Routers)))
		t, err := s.follow(run, router)
		if err != nil {
			return fmt.Errorf("following a hot channel by %s: %w", router, err)
		}
		tallies[router] = t
		draw = draw.With(plot.CDF(router, t.Latencies))
	}
	hotLiveFigures(s).Give(run, tallies)
	run.Plot(draw)
	return nil
}

// follow plays one network.
func (s hotLiveSizes) follow(run *lab.Run, name string) (t livenet.Tally, err error) {
	router, err := network.ParseRouter(name)
	if err != nil {
		return t, err
	}
	channel := livenet.Channel{Name: "hot", Kind: livenet.Edited}
	for i := range s.Nodes {
		channel.Readers = append(channel.Readers, i)
	}
	w := livenet.Workload{
		Seed: run.Seed(), Processes: s.Killed, Nodes: s.Nodes - s.Killed, Joining: s.Joined, Interval: s.Interval,
		Router:   router,
		Channels: []livenet.Channel{channel},
	}
	net, err := livenet.Launch(run.Context(), w, livenet.Options{Progress: run.Part})
	if err != nil {
		return t, err
	}
	ends := net.While(func() {
		if err = net.Play(livenet.Phase{For: s.Settle, Events: w.Begin(0)}); err != nil {
			return
		}
		err = net.Play(livenet.Phase{For: s.For + s.grace(), Events: s.events(&w)})
	})
	if err != nil {
		return t, err
	}
	net.Remark(run, ends)
	return net.Tally(livenet.Rules{Grace: s.grace()}), nil
}

// events returns what happens while the feed changes. Each node's are in their order.
func (s hotLiveSizes) events(w *livenet.Workload) (all []livenet.Event) {
	hot := []int{0}
	for at := time.Duration(0); at < s.For; at += s.Every {
		all = append(all, livenet.Event{At: at, Do: livenet.Edit, Node: livenet.Origin, Channels: hot})
	}
	for i := 0; time.Duration(i)*s.Trouble < s.For; i++ {
		at := time.Duration(i) * s.Trouble
		if i > 0 {
			all = append(all, livenet.Event{At: at, Do: livenet.Start, Node: (i - 1) % s.Killed})
		}
		all = append(all, livenet.Event{At: at, Do: livenet.Kill, Node: i % s.Killed})
		if i < s.Joined {
			node := w.Processes + w.Nodes + i
			all = append(all, livenet.Event{At: at, Do: livenet.Start, Node: node},
				livenet.Event{At: at, Do: livenet.Subscribe, Node: node, Channels: hot})
		}
	}
	slices.SortStableFunc(all, func(a, b livenet.Event) int { return cmp.Compare(a.At, b.At) })
	return all
}
