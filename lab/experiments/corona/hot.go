package corona

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
	"tidings/lab/stats"
	"tidings/network"
)

// Hot measures how the updates of one channel come to everybody, where all nodes subscribe to it.
var Hot = wording.Of("hot", lab.Experiment[hotSizes]{
	Expect: func(s hotSizes) []lab.Expected { return hotFigures(s).Expected() },
	Memory: func(s hotSizes) uint64 { return uint64(s.Nodes)*110_000 + 64<<20 },
	Run:    runHot,
})

// hotSizes are the parameters of Hot.
type hotSizes struct {
	Nodes          int `json:"nodes"` // all subscribe
	Updates        int `json:"updates"`
	Crashed        int `json:"crashed"`         // nodes, after the updates
	CrashedUpdates int `json:"crashed_updates"` // that come then
	// by how many times less often than by default Pastry probes, and Corona asks for aggregates
	Upkeep int           `json:"upkeep"`
	Settle time.Duration `json:"settle_ns"` // after all have subscribed: Corona chooses the pollers
	// between changes, whatever becomes of them; 0: 10 to 20 s after all have the one before
	Apart time.Duration `json:"apart_ns"`

	// The worlds in which trees are compared with a primary that sends to all.
	ComparedNodes   int `json:"compared_nodes"`
	ComparedUpdates int `json:"compared_updates"`
}

// The names of Hot's worlds.
const (
	hotName     = "hot"
	hotCrash    = "crash" // the first one, after nodes have crashed
	hotByDirect = "direct"
	hotByScribe = "scribe"
)

// compared returns the sizes of the worlds in which routers are compared.
func (s hotSizes) compared() hotSizes {
	s.Nodes, s.Updates, s.Crashed, s.CrashedUpdates = s.ComparedNodes, s.ComparedUpdates, 0, 0
	return s
}

func runHot(run *lab.Run, s hotSizes) error {
	worlds := []struct {
		name   string
		router network.RouterName
		sizes  hotSizes
	}{{hotName, network.Scribe, s}, {hotByDirect, network.Direct, s.compared()},
		{hotByScribe, network.Scribe, s.compared()}}
	measured := make([]*hotWorld, len(worlds))
	run.Each(len(worlds), func(part *lab.Run, i int) {
		measured[i] = newHotWorld(part, worlds[i].sizes, worlds[i].router)
		measured[i].measure()
		part.Ran(measured[i].World)
	})
	r := map[string]*hotMeasured{hotCrash: measured[0].figures(measured[0].crashed)}
	for i, w := range worlds {
		r[w.name] = measured[i].figures(measured[i].calm)
	}
	hotFigures(s).Give(run, r)
	plotHot(run, s, r)
	return nil
}

// hotFigures are those of what was measured, by names of worlds. The aims are those for a channel of 100,000
// subscribers. 99 of 100 have an update two seconds after it got its number, and all after ten, as a message that was
// lost on the way is sent or requested again. A primary sends at most one message for each of its children in a tree,
// each contact that polls, and several other owners.
func hotFigures(s hotSizes) (f lab.Figures[map[string]*hotMeasured]) {
	for _, name := range []string{hotName, hotByDirect, hotByScribe, hotCrash} {
		give := func(figure, unit string, aim lab.Bounds, of func(m *hotMeasured) float64) {
			if name != hotName || !s.full() {
				aim = lab.Bounds{}
			}
			f.Judge(name+figure, unit, aim, func(r map[string]*hotMeasured) float64 { return of(r[name]) })
		}
		give(".reach_median_seconds", "s", lab.Bounds{},
			func(m *hotMeasured) float64 { return stats.Quantile(m.reach, 0.5) })
		give(".reach_p99_seconds", "s", lab.AtMost(2),
			func(m *hotMeasured) float64 { return stats.Quantile(m.reach, 0.99) })
		give(".reach_last_seconds", "s", lab.AtMost(10),
			func(m *hotMeasured) float64 { return stats.Quantile(m.reach, 1) })
		give(".change_p99_seconds", "s", lab.Bounds{},
			func(m *hotMeasured) float64 { return stats.Quantile(m.change, 0.99) })
		give(".expected_seconds", "s", lab.Bounds{}, func(m *hotMeasured) float64 { return m.expected })
		give(".numbered_mean_seconds", "s", lab.Bounds{}, func(m *hotMeasured) float64 { return m.elapsed })
		f.Judge(name+".behind_last_seconds", "s", behindAim(s),
			func(r map[string]*hotMeasured) float64 { return r[name].behind })
		f.Promise(name+".lost", "", lab.Exactly(0),
			func(r map[string]*hotMeasured) float64 { return float64(r[name].lost) })
		if name == hotCrash {
			continue
		}
		give(".primary_messages", "messages", lab.AtMost(40), func(m *hotMeasured) float64 { return m.primary })
		give(".messages_of_busiest_node", "messages", lab.AtMost(50),
			func(m *hotMeasured) float64 { return slices.Max(m.messages) })
		give(".copies_per_delivery", "", lab.Bounds{}, (*hotMeasured).copies)
		give(".pollers", "", lab.Bounds{}, func(m *hotMeasured) float64 { return float64(m.pollers) })
	}
	return f
}

// behindAim bounds how long after a change a node may have neither it nor a later one. It is an aim where changes do
// not wait for each other.
func behindAim(s hotSizes) lab.Bounds {
	if s.Apart == 0 {
		return lab.Bounds{}
	}
	return lab.AtMost(60)
}

// full reports whether the world is so large that the aims mean something.
func (s hotSizes) full() bool { return s.Nodes >= 1000 }

// plotHot plots how soon subscribers have an update, and what each node sends for it.
func plotHot(run *lab.Run, s hotSizes, r map[string]*hotMeasured) {
	draw, all, compared := wording.Plots("hot", s), lab.Count(s.Nodes), lab.Count(s.ComparedNodes)
	reach, messages := draw("reach"), draw("messages")
	for _, w := range []struct{ label, name string }{
		{all + " nodes, trees", hotName}, {compared + " nodes, trees", hotByScribe},
		{compared + " nodes, direct", hotByDirect},
	} {
		reach = reach.With(plot.CDF(w.label, stats.Thinned(r[w.name].reach)))
		messages = messages.With(plot.Ranked(w.label, r[w.name].messages))
	}
	run.Plot(reach.With(plot.CDF(all+" nodes, trees, after a crash", stats.Thinned(r[hotCrash].reach))))
	run.Plot(messages)
}
