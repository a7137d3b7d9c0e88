package experiments

import (
	"fmt"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/network/scribe"
)

// Scribe measures the trees of network/scribe.
var Scribe = lab.Experiment[scribeSizes]{
	Name:  "scribe",
	Title: "Scribe: delay, stress, state, and delivery in trouble",
	Source: "Castro, Druschel, Kermarrec and Rowstron, JSAC 2002: a delay about twice that of multicast by " +
		"routers, and load that is spread over all nodes",
	About: "Nodes stand at the sites of 294 PlanetLab hosts, with the round trips that were measured between them. " +
		"The ring has a minute to settle, at the scale paper half an hour. " +
		"Groups of sizes by Zipf's law (exponent 1.25, as in the paper) grow their trees. In each a random member " +
		"publishes an event of 1,000 bytes, and a minute later, when it knows the roots, a second one, which is " +
		"measured. Its delays from the root on are held against those of direct sends from there, which are what " +
		"multicast by routers would have: RAD is the ratio of the means in a group, RMD of the maxima. From a " +
		"publisher elsewhere the way to the root comes to it. The matrix knows " +
		"no routers, so stress is counted by pairs of sites. The same is done with no bound to a node's " +
		"children, that is without the bottleneck remover, and with trees that are rooted at their publishers. Then, in smaller worlds, an event a second is " +
		"published while 5 % of the messages are lost and a fifth of the nodes has crashed at once, while a " +
		"quarter of the nodes is replaced an hour, while both happens, and, without loss, while a tenth of the nodes " +
		"hands no event on, whoever they are; half of these hide it by wrong counts. An event is due to each member that is up when it is " +
		"published and stays up; the publisher is not counted.",

	Tiny:  scribeSizes{Nodes: 60, Settle: time.Minute, Groups: 8, Least: 3, TroubleNodes: 40, TroubleGroups: 4, TroubleFor: time.Minute},
	Quick: scribeSizes{Nodes: 1000, Settle: time.Minute, Groups: 150, Least: 11, TroubleNodes: 300, TroubleGroups: 20, TroubleFor: 10 * time.Minute},
	Paper: scribeSizes{Nodes: 10_000, Settle: 30 * time.Minute, Groups: 1500, Least: 11, TroubleNodes: 1000, TroubleGroups: 100, TroubleFor: time.Hour},

	Words:  wording.Scribe,
	Expect: expectScribe,
	Memory: func(s scribeSizes) uint64 { return uint64(s.Nodes) * 100_000 },
	Run:    runScribe,
}

// scribeSizes are the parameters of Scribe.
type scribeSizes struct {
	Nodes  int           `json:"nodes"`     // of the worlds without faults
	Settle time.Duration `json:"settle_ns"` // there, before groups form: routing tables find nearer nodes in the course of time
	Groups int           `json:"groups"`
	Least  int           `json:"least"` // members of a group; the paper's smallest have 11

	TroubleNodes  int           `json:"trouble_nodes"` // of each world with faults
	TroubleGroups int           `json:"trouble_groups"`
	TroubleFor    time.Duration `json:"trouble_for_ns"`
}

// scribeRow is a world without faults.
type scribeRow struct {
	name         string
	words        string
	maxChildren  int
	atPublishers bool // trees are rooted there
}

// scribeRows are with and without the bottleneck remover, and with trees rooted at publishers.
var scribeRows = []scribeRow{
	{"bounded", "at most 16 children in a group", scribe.Default().MaxChildren, false},
	{"unbounded", "no bound to children", 1 << 20, false},
	{"own", "rooted at the publisher", scribe.Default().MaxChildren, true},
}

// The names of figures, after that of a row.
const (
	scribeShare   = ".delivered"
	scribeRAD     = ".rad_mean"
	scribeRMD     = ".rmd_mean"
	scribeRADMost = ".rad_p90"
	scribeRMDMost = ".rmd_p90"
	scribeRADAll  = ".rad_mean_from_publisher"
	scribeRMDAll  = ".rmd_mean_from_publisher"
	scribeCopies  = ".copies_per_delivery"
	scribeNode    = ".busiest_node_of_direct"
	scribePair    = ".busiest_pair_of_direct"
	scribePairs   = ".mean_pair_of_direct"
	scribeWidest  = ".most_children_in_a_group"
	scribeEntries = ".children_of_a_node_mean"
	scribeEntry99 = ".children_of_a_node_p99"
	scribeMost    = ".children_of_a_node_most"
	scribeGroups  = ".groups_of_a_node_mean"
)

// The names of figures, after that of a trouble.
const (
	scribeSoon     = ".delivered_in_5s"
	scribeLately   = ".delivered_in_5s_of_the_last_third"
	scribeMinute   = ".delivered_in_a_minute"
	scribeEnd      = ".delivered"
	scribeMedian   = ".median_seconds"
	scribe99       = ".p99_seconds"
	scribeLast     = ".most_seconds"
	scribeSent     = ".copies_per_delivery"
	scribeRepaired = ".repaired_mean_seconds"
	scribeRepairs  = ".repaired_most_seconds"
)

func runScribe(run *lab.Run, s scribeSizes) error {
	latency := planetLab(run.Seed())
	rests, troubles := make([]woods, len(scribeRows)), make([]endured, len(scribeTroubles))
	var parts []func(part *lab.Run) error
	for i, row := range scribeRows {
		parts = append(parts, func(part *lab.Run) (err error) {
			c := scribe.Default()
			c.MaxChildren = row.maxChildren
			g := newGroves(part, latency, c)
			rests[i], err = g.trees(s, row.atPublishers)
			return g.ran(err)
		})
	}
	for i, t := range scribeTroubles {
		parts = append(parts, func(part *lab.Run) (err error) {
			g := newGroves(part, latency, scribe.Default())
			troubles[i], err = g.inTrouble(t, s)
			return g.ran(err)
		})
	}
	if err := run.Each(len(parts), func(part *lab.Run, i int) error { return parts[i](part) }); err != nil {
		return err
	}
	for i, row := range scribeRows {
		giveWoods(run, row.name, rests[i])
	}
	for _, e := range troubles {
		giveEndured(run, e)
	}
	plotWoods(run, s, rests)
	plotTroublesOfScribe(run, s, troubles)
	return nil
}

// share returns what part a is of b.
func share(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func giveWoods(run *lab.Run, row string, w woods) {
	give := func(name string, value float64) { run.Figure(row+name, value) }
	rad, rmd := slices.Sorted(slices.Values(w.fromRoot.rad)), slices.Sorted(slices.Values(w.fromRoot.rmd))
	entries := slices.Sorted(slices.Values(w.entries))
	give(scribeShare, w.delivery.share(lateAtMost))
	give(scribeRAD, mean(rad))
	give(scribeRMD, mean(rmd))
	give(scribeRADMost, quantile(rad, 0.9))
	give(scribeRMDMost, quantile(rmd, 0.9))
	give(scribeRADAll, mean(w.fromPublisher.rad))
	give(scribeRMDAll, mean(w.fromPublisher.rmd))
	give(scribeCopies, share(float64(w.sent.copies), float64(w.delivery.due)))
	give(scribeNode, share(float64(w.sent.node), float64(w.direct.node)))
	give(scribePair, share(float64(w.sent.pair), float64(w.direct.pair)))
	give(scribePairs, share(w.sent.perPair, w.direct.perPair))
	give(scribeWidest, w.widest)
	give(scribeEntries, mean(entries))
	give(scribeEntry99, quantile(entries, 0.99))
	give(scribeMost, quantile(entries, 1))
	give(scribeGroups, w.groups)
}

func giveEndured(run *lab.Run, e endured) {
	give := func(name string, value float64) { run.Figure(e.name+name, value) }
	give(scribeSoon, e.outcome.share(5*time.Second))
	give(scribeLately, e.of(e.events[len(e.events)*2/3:]).share(5*time.Second))
	give(scribeMinute, e.outcome.share(time.Minute))
	give(scribeEnd, e.outcome.share(lateAtMost))
	give(scribeMedian, e.outcome.within(0.5))
	give(scribe99, e.outcome.within(0.99))
	give(scribeLast, e.outcome.within(1))
	give(scribeSent, e.sent)
	if e.repairs() {
		give(scribeRepaired, mean(e.repaired))
		give(scribeRepairs, slices.Max(e.repaired))
	}
}

// repairs reports whether it makes sense to ask when the trees are whole again.
func (t scribeTrouble) repairs() bool { return t.crash > 0 && t.churn == 0 }

func groupsOf(groups, nodes int) string {
	return fmt.Sprintf("%s groups, %s nodes", count(groups), count(nodes))
}
