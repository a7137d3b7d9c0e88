package corona

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/stats"
	"tidings/network"
)

// Hot measures how the updates of one channel come to everybody, where all nodes subscribe to it.
var Hot = lab.Experiment[hotSizes]{
	Name:   "hot",
	Title:  "A hot channel: how soon all subscribers have an update, and what that costs its primary",
	Source: "Our own aims; the papers measure no channel with so many subscribers",
	About: "Whole nodes of Corona, with keys and with Scribe's trees as the network's router, all subscribe to one channel, one each millisecond. They begin as " +
		"a ring that is complete: each node knows its neighbours, and for each slot of its routing table the nearest of six nodes drawn by lot, which is no nearer " +
		"than what joins lead to; that spares the joins of Pastry, which other experiments measure. The tree grows by Scribe's joins, and the plan by Corona's own " +
		"messages. They stand at the sites of 294 PlanetLab hosts, with the round trips that were measured between them, and 1 % of the messages is lost from the " +
		"beginning. The origin is a counter, and so is what libraries keep. Then the origin changes, again and again, as soon as all have the change before and " +
		"some seconds more have passed; the polls by Corona's plan find it. Reach is the time from when the primary numbers the version until a subscriber's " +
		"library has it; change is the same from the change at the origin. The primary's messages are all that it sends, of whatever kind, from then until all " +
		"have the version, less what it sends in rest in so much time. Lost is an update that a subscriber that stayed up has not got five minutes later, or half " +
		"an hour where nobody has found it. After that some nodes crash at once and the origin goes on changing: these updates are judged apart. In two smaller " +
		"worlds the same is measured with trees and with a primary that sends everything itself. Settings are those that nodes have by default, but for these: " +
		"primaries believe what others find, as by default they look into six reports in a polling interval (30 minutes) and no more, so as not to poll an origin " +
		"more than its readers would; that saves a request before the number. Pastry probes and exchanges rows, and Corona asks for aggregates, less often, by as " +
		"many times as the parameter upkeep says; Corona's plans are made half as often; Pastry remembers 1,024 routed messages. Trees have their usual upkeep.",

	Tiny:  hotSizes{Nodes: 60, Updates: 4, Crashed: 4, CrashedUpdates: 2, ComparedNodes: 40, ComparedUpdates: 2, Upkeep: 4, Settle: 12 * time.Minute},
	Quick: hotSizes{Nodes: 10_000, Updates: 20, Crashed: 100, CrashedUpdates: 5, ComparedNodes: 300, ComparedUpdates: 10, Upkeep: 6, Settle: 6 * time.Minute},
	Paper: hotSizes{Nodes: 100_000, Updates: 20, Crashed: 1000, CrashedUpdates: 5, ComparedNodes: 10_000, ComparedUpdates: 10, Upkeep: 6, Settle: 6 * time.Minute},

	Words:  wording.Hot,
	Expect: func(s hotSizes) []lab.Expected { return hotFigures(s).Expected() },
	Memory: func(s hotSizes) uint64 { return uint64(s.Nodes)*110_000 + 64<<20 },
	Run:    runHot,
}

// hotSizes are the parameters of Hot.
type hotSizes struct {
	Nodes          int           `json:"nodes"` // all subscribe
	Updates        int           `json:"updates"`
	Crashed        int           `json:"crashed"`         // nodes, after the updates
	CrashedUpdates int           `json:"crashed_updates"` // that come then
	Upkeep         int           `json:"upkeep"`          // by how many times less often than by default Pastry probes, and Corona asks for aggregates
	Settle         time.Duration `json:"settle_ns"`       // after all have subscribed: Corona chooses who polls

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
	}{{hotName, network.Scribe, s}, {hotByDirect, network.Direct, s.compared()}, {hotByScribe, network.Scribe, s.compared()}}
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

// hotFigures are those of what was measured by names of worlds. The aims are those for a channel of 100,000 subscribers: 99 of 100 have an update two seconds
// after it has its number, and all after ten, as a message that was lost on the way is sent again or asked for; a primary sends no more messages than it has
// children in a tree and contacts that poll, and some to other owners.
func hotFigures(s hotSizes) (f lab.Figures[map[string]*hotMeasured]) {
	for _, name := range []string{hotName, hotByDirect, hotByScribe, hotCrash} {
		give := func(figure, unit string, aim lab.Bounds, of func(m *hotMeasured) float64) {
			if name != hotName || !s.full() {
				aim = lab.Bounds{}
			}
			f.Judge(name+figure, unit, aim, func(r map[string]*hotMeasured) float64 { return of(r[name]) })
		}
		give(".reach_median_seconds", "s", lab.Bounds{}, func(m *hotMeasured) float64 { return stats.Quantile(m.reach, 0.5) })
		give(".reach_p99_seconds", "s", lab.AtMost(2), func(m *hotMeasured) float64 { return stats.Quantile(m.reach, 0.99) })
		give(".reach_last_seconds", "s", lab.AtMost(10), func(m *hotMeasured) float64 { return stats.Quantile(m.reach, 1) })
		give(".change_p99_seconds", "s", lab.Bounds{}, func(m *hotMeasured) float64 { return stats.Quantile(m.change, 0.99) })
		f.Promise(name+".lost", "", lab.Exactly(0), func(r map[string]*hotMeasured) float64 { return float64(r[name].lost) })
		if name == hotCrash {
			continue
		}
		give(".primary_messages", "messages", lab.AtMost(40), func(m *hotMeasured) float64 { return m.primary })
		give(".messages_of_busiest_node", "messages", lab.Bounds{}, func(m *hotMeasured) float64 { return slices.Max(m.messages) })
		give(".copies_per_delivery", "", lab.Bounds{}, (*hotMeasured).copies)
		give(".pollers", "", lab.Bounds{}, func(m *hotMeasured) float64 { return float64(m.pollers) })
	}
	return f
}

// full reports whether the world is so large that the aims mean something.
func (s hotSizes) full() bool { return s.Nodes >= 1000 }
