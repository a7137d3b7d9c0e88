package experiments

import (
	"errors"
	"fmt"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/livenet"
	"tidings/lab/plot"
	"tidings/network"
)

// RappelLive holds whole nodes against simulated ones.
var RappelLive = lab.Experiment[routerLiveSizes]{
	Name:   "rappel-live",
	Title:  "Rappel with whole nodes: as quick as simulated, nothing lost, no noise",
	Source: "Patel, Rivière, Gupta and Kermarrec, Computer Networks 2009, and what the experiment rappel says of it",
	About: "Whole nodes, each with its store, scheduler and interfaces, form a ring over libp2p on loopback. Their " +
		"transport holds each message back for half of a round trip between two sites of PlanetLab. They follow " +
		"feeds, whose subscriptions are made by word of mouth, and poll them together; Rappel's trees carry all " +
		"updates. When all are in their trees, feeds change for a time in which nothing else happens. Then some " +
		"nodes leave half of their trees, some stop, and some are killed: nothing comes from them any more. All of " +
		"those come back with the data that they had. A simulated world then repeats what the nodes did: nodes " +
		"with the same IDs at the same sites start, join, leave, publish and die when those did, in as many runs " +
		"as the parameter twins says. Latency is from when the root publishes an update to when a node in the tree " +
		"has it, live and simulated; lost is what no such node has within two minutes, and what its stream has never " +
		"told. Noise is each update that a tree brings to a node that is neither in it nor its root, nor was in it " +
		"half a minute before, and each that a stream tells of a feed that is not followed; what nodes poll for " +
		"each other is Corona's, and not counted.",

	Live: true,
	Tiny: routerLiveSizes{
		Nodes: 5, Channels: 2, Least: 1, Interval: time.Second, Every: 2 * time.Second,
		Calm: 4 * time.Second, Part: 3 * time.Second, Killed: 1, Stopped: 1, Leaving: 1, Twins: 1,
	},
	Quick: routerLiveSizes{
		Nodes: 60, Channels: 16, Least: 3, Interval: 20 * time.Second, Every: 30 * time.Second, Subscribe: 30 * time.Second,
		Settle: time.Minute, Calm: 3 * time.Minute, Part: time.Minute, Killed: 3, Stopped: 3, Leaving: 6, Twins: 5,
	},
	Paper: routerLiveSizes{
		Nodes: 60, Channels: 40, Least: 3, Interval: 30 * time.Second, Every: time.Minute, Subscribe: time.Minute,
		Settle: 5 * time.Minute, Calm: 15 * time.Minute, Part: 3 * time.Minute, Killed: 6, Stopped: 6, Leaving: 12, Twins: 10,
	},

	Words:  wording.RappelLive,
	Expect: expectRappelLive,
	Memory: func(s routerLiveSizes) uint64 { return uint64(s.Nodes) * (50 << 20) },
	Run:    runRappelLive,
}

// routerLiveSizes are the parameters of RappelLive.
type routerLiveSizes struct {
	Nodes     int           `json:"nodes"`
	Channels  int           `json:"channels"`
	Least     int           `json:"least"` // channels that a node follows at least
	Interval  time.Duration `json:"interval_ns"`
	Every     time.Duration `json:"every_ns"`     // how often each channel changes
	Subscribe time.Duration `json:"subscribe_ns"` // in which all nodes subscribe
	Settle    time.Duration `json:"settle_ns"`    // from when all are in their trees until what is measured
	Calm      time.Duration `json:"calm_ns"`      // with changes, and without trouble
	Part      time.Duration `json:"part_ns"`      // each of the three parts of the time with trouble
	Killed    int           `json:"killed"`
	Stopped   int           `json:"stopped"`
	Leaving   int           `json:"leaving"` // half of what they follow
	Twins     int           `json:"twins"`   // simulated runs
}

// full reports whether a run is so long that its latencies can be expected.
func (s routerLiveSizes) full() bool { return s.Nodes >= 60 }

// likeness is by what share a live latency may differ from the simulated one.
const likeness = 0.15

func expectRappelLive(s routerLiveSizes) []lab.Expected {
	alike := lab.Near(1, likeness)
	all := []lab.Expected{
		{Name: "live.latency_ratio.median", Unit: "of simulated", Within: alike, Aside: !s.full()},
		{Name: "live.latency_ratio.p95", Unit: "of simulated", Within: alike, Aside: !s.full()},
		{Name: "live.latency_median_seconds", Unit: "s", Aside: true},
		{Name: "live.latency_p95_seconds", Unit: "s", Aside: true},
		{Name: "simulated.latency_median_seconds", Unit: "s", Aside: true},
		{Name: "simulated.latency_p95_seconds", Unit: "s", Aside: true},
		{Name: "live.machine_late_median_seconds", Unit: "s", Aside: true},
		{Name: "live.machine_late_p95_seconds", Unit: "s", Aside: true},
		{Name: "live.trouble_p95_seconds", Unit: "s", Aside: true},
		{Name: "simulated.trouble_p95_seconds", Unit: "s", Aside: true},
		{Name: "live.deliveries", Within: lab.AtLeast(1)},
		{Name: "live.due", Within: lab.AtLeast(1)},
		{Name: "live.lost", Within: lab.Exactly(0)},
		{Name: "live.twice", Within: lab.Exactly(0)},
		{Name: "live.noise", Within: lab.Exactly(0)},
		{Name: "live.returned_due", Within: lab.AtLeast(1)},
		{Name: "live.returned_lost", Within: lab.Exactly(0)},
		{Name: "simulated.lost", Within: lab.Exactly(0)},
		{Name: "simulated.twice", Within: lab.Exactly(0)},
		{Name: "simulated.noise", Within: lab.Exactly(0)},
		{Name: "live.node_errors", Within: lab.Exactly(0)},
	}
	for i := range all {
		all[i].OfMachine = true
		if all[i].Aside {
			all[i].Within = lab.Bounds{}
		}
	}
	return all
}

func runRappelLive(run *lab.Run, s routerLiveSizes) error {
	run.Stage("starting the nodes", 0.1)
	log := new(rappelLog)
	n, err := newRouterNet(run, s, routerSetup{router: network.Rappel}, log)
	if err != nil {
		return err
	}
	parts, err := n.live()
	n.Deafen()
	deeds := log.deeds()
	ends := n.Close()
	if err != nil {
		return errors.Join(err, ends)
	}
	here := judgeRappel(deeds, parts)
	var there rappelVerdict
	run.Stage("simulating the same", 0.1)
	for i := range s.Twins {
		repeated, err := runTwin(run, run.Seed()+uint64(i), n.latency, n.ids, deeds, parts.over)
		if err != nil {
			return err
		}
		there.add(judgeRappel(repeated, parts))
		run.Part(i+1, s.Twins)
	}
	here.give(run, "live")
	there.give(run, "simulated")
	ratio := func(q float64) float64 { return share(quantile(here.calm, q), quantile(there.calm, q)) }
	run.Figure("live.latency_ratio.median", ratio(0.5))
	run.Figure("live.latency_ratio.p95", ratio(0.95))
	run.Figure("live.machine_late_median_seconds", quantile(n.late, 0.5))
	run.Figure("live.machine_late_p95_seconds", quantile(n.late, 0.95))
	n.give(here)
	giveFailures(run, "live.node_errors", n.Failures())
	if ends != nil {
		run.Remark("At the end, " + ends.Error()) // what was measured stands all the same
	}
	run.Plot(plot.Plot{
		Name: "rappel-live-latency", Title: "From the root of a tree to each node in it, live and simulated", OfMachine: true,
		Caption: fmt.Sprintf("%s whole nodes over libp2p, with the round trips of PlanetLab; %s feeds. In trouble, nodes leave, "+
			"stop, are killed and come back.", count(s.Nodes), count(s.Channels)),
		X: plot.Axis{Label: "latency", Unit: "s", Log: true}, Y: plot.Axis{Label: "share of deliveries", Share: true},
		Series: []plot.Series{
			plot.CDF("live", thinned(here.calm)), plot.CDF("simulated", thinned(there.calm)),
			plot.CDF("live, in trouble", thinned(here.trouble)), plot.CDF("simulated, in trouble", thinned(there.trouble)),
		},
	})
	return nil
}

// give hands over what live and simulated worlds have both.
func (v *rappelVerdict) give(run *lab.Run, world string) {
	run.Figure(world+".latency_median_seconds", quantile(v.calm, 0.5))
	run.Figure(world+".latency_p95_seconds", quantile(v.calm, 0.95))
	run.Figure(world+".trouble_p95_seconds", quantile(v.trouble, 0.95))
	if world != "live" {
		run.Figure(world+".lost", float64(v.lost))
		run.Figure(world+".twice", float64(v.twice))
		run.Figure(world+".noise", float64(v.noise))
	}
}

// give hands over what trees have brought and what streams have told.
func (n *routerNet) give(v rappelVerdict) {
	rules := livenet.Rules{Grace: treeGrace, First: true}
	told := n.Tally(rules)
	due, lost := 0, 0
	for i := range n.work.Channels {
		for verdict := range n.Verdicts(i, n.Facts(i), rules) {
			if span := verdict.Node.Up; len(span) > 1 && verdict.From == span[len(span)-1].From {
				due++
				if len(verdict.Told) == 0 {
					lost++
				}
			}
		}
	}
	n.run.Figure("live.deliveries", float64(v.due))
	n.run.Figure("live.due", float64(told.Due))
	n.run.Figure("live.lost", float64(v.lost+told.Lost))
	n.run.Figure("live.twice", float64(v.twice+told.Twice))
	n.run.Figure("live.noise", float64(v.noise+told.Noise))
	n.run.Figure("live.returned_due", float64(due))
	n.run.Figure("live.returned_lost", float64(lost))
}
