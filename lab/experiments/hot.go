package experiments

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/network"
)

// Hot measures how the updates of one channel come to everybody, where all nodes subscribe to it.
var Hot = lab.Experiment[hotSizes]{
	Name:   "hot",
	Title:  "A hot channel: how soon all subscribers have an update, and what that costs its primary",
	Source: "Our own aims; the papers measure no channel with so many subscribers",
	About: "Whole nodes of Corona, with keys and with Scribe's trees as the network's router, all subscribe to one channel, one each millisecond. " +
		"They begin as a ring that is complete: each node knows its neighbours, and for each slot of its routing table the nearest of six nodes drawn by lot, " +
		"which is no nearer than what joins lead to; that spares the joins of Pastry, which other experiments measure. The tree grows by Scribe's joins, and the plan by Corona's own messages. " +
		"They stand at the sites of 294 PlanetLab hosts, with the round trips that were measured between them, and 1 % of the messages is lost " +
		"from the beginning. The origin is a counter, and so is what libraries keep. Then the origin changes, again and again, as soon as all have the " +
		"change before and some seconds more have passed; the polls by Corona's plan find it. Reach is the time from when the primary " +
		"numbers the version until a subscriber's library has it; change is the same from the change at the origin. " +
		"The primary's messages are all that it sends, of whatever kind, from then until all have the version, less what it sends in rest in so much time. " +
		"Lost is an update that a subscriber that stayed up has not got five minutes later, or half an hour where nobody has found it. " +
		"After that some nodes crash at once and the origin goes on changing: these updates are judged apart. " +
		"In two smaller worlds the same is measured with trees and with a primary that sends everything itself. " +
		"Settings are those that nodes have by default, but for these: primaries believe what others find, as by default they look into six " +
		"reports in a polling interval (30 minutes) and no more, so as not to poll an origin more than its readers would; that saves a request before the number. Pastry probes and exchanges rows, and Corona asks for aggregates, less often, by as many times as the " +
		"parameter upkeep says; Corona's plans are made half as often; Pastry remembers 1,024 routed messages. Trees have their usual upkeep.",

	Tiny:  hotSizes{Nodes: 60, Updates: 4, Crashed: 4, CrashedUpdates: 2, ComparedNodes: 40, ComparedUpdates: 2, Upkeep: 4, Settle: 12 * time.Minute},
	Quick: hotSizes{Nodes: 10_000, Updates: 20, Crashed: 100, CrashedUpdates: 5, ComparedNodes: 300, ComparedUpdates: 10, Upkeep: 6, Settle: 6 * time.Minute},
	Paper: hotSizes{Nodes: 100_000, Updates: 20, Crashed: 1000, CrashedUpdates: 5, ComparedNodes: 10_000, ComparedUpdates: 10, Upkeep: 6, Settle: 6 * time.Minute},

	Words:  wording.Hot,
	Expect: expectHot,
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

// The names of figures, after that of a world.
const (
	hotMedian   = ".reach_median_seconds"
	hot99       = ".reach_p99_seconds"
	hotLast     = ".reach_last_seconds"
	hotChange99 = ".change_p99_seconds"
	hotPrimary  = ".primary_messages"
	hotMost     = ".messages_of_busiest_node"
	hotCopies   = ".copies_per_delivery"
	hotPollers  = ".pollers"
	hotLost     = ".lost"
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
	measured := make([]hotFigures, len(worlds))
	var crashed hotFigures
	err := run.Each(len(worlds), func(part *lab.Run, i int) error {
		w := newHotWorld(part, worlds[i].sizes, worlds[i].router)
		if err := w.measure(); err != nil {
			return err
		}
		measured[i] = w.figures(w.calm)
		if w.sizes.Crashed > 0 {
			crashed = w.figures(w.crashed)
		}
		part.Ran(w.world)
		return nil
	})
	if err != nil {
		return err
	}
	for i, w := range worlds {
		giveHot(run, w.name, measured[i])
	}
	giveReach(run, hotCrash, crashed)
	plotHot(run, s, measured[0], measured[1], measured[2], crashed)
	return nil
}

func giveHot(run *lab.Run, name string, f hotFigures) {
	giveReach(run, name, f)
	run.Figure(name+hotPrimary, f.primary)
	run.Figure(name+hotMost, slices.Max(f.messages))
	run.Figure(name+hotCopies, share(sum(f.messages), float64(len(f.reach))/float64(max(f.updates, 1))))
	run.Figure(name+hotPollers, float64(f.pollers))
}

// giveReach hands over what is measured after a crash as well.
func giveReach(run *lab.Run, name string, f hotFigures) {
	run.Figure(name+hotMedian, quantile(f.reach, 0.5))
	run.Figure(name+hot99, quantile(f.reach, 0.99))
	run.Figure(name+hotLast, quantile(f.reach, 1))
	run.Figure(name+hotChange99, quantile(f.change, 0.99))
	run.Figure(name+hotLost, float64(f.lost))
}

func sum(values []float64) float64 { return mean(values) * float64(len(values)) }

// expectHot returns what is expected. The aims are those for a channel of 100,000 subscribers: 99 of 100 have an update
// two seconds after it has its number, and all after ten, as a message that was lost on the way is sent again or asked
// for; a primary sends no more messages than it has children in a tree and contacts that poll, and some to other
// owners.
func expectHot(s hotSizes) (all []lab.Expected) {
	for _, name := range []string{hotName, hotByDirect, hotByScribe, hotCrash} {
		bounds := map[string]lab.Bounds{hotLost: lab.Exactly(0)}
		if name == hotName && s.full() {
			bounds[hot99], bounds[hotLast], bounds[hotPrimary] = lab.AtMost(2), lab.AtMost(10), lab.AtMost(40)
		}
		give := func(figure, unit string) {
			e := lab.Expected{Name: name + figure, Unit: unit, Within: bounds[figure]}
			e.Aside, e.Worst = e.Within == lab.Bounds{}, figure == hotLost
			all = append(all, e)
		}
		give(hotMedian, "s")
		give(hot99, "s")
		give(hotLast, "s")
		give(hotChange99, "s")
		give(hotLost, "")
		if name == hotCrash {
			continue
		}
		give(hotPrimary, "messages")
		give(hotMost, "messages")
		give(hotCopies, "")
		give(hotPollers, "")
	}
	return all
}

// full reports whether the world is so large that the aims mean something.
func (s hotSizes) full() bool { return s.Nodes >= 1000 }
