package experiments

import (
	"fmt"
	"math"
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/network/astrolabe"
)

// Astrolabe measures how soon zones know what a member says, and how they form and mend.
var Astrolabe = lab.Experiment[astrolabeSizes]{
	Name:  "astrolabe",
	Title: "Astrolabe: what one member says is known to all in a number of rounds that grows with the logarithm of their number",
	Source: "Van Renesse, Birman and Vogels, ACM TOCS 21(2), 2003, section 6: the rounds of gossip until all members know of an update grow with the logarithm of " +
		"their number, with messages lost and members failing too; Vogels, Re, van Renesse and Birman, 2002: within tens of seconds",
	About: "Nodes run Astrolabe alone, with messages that take from 5 to 100 ms. In the frozen networks all is at rest: leaf zones of 32 members, in tables of at most 64 rows. One member after the " +
		"other, drawn by chance, sets a bit of an attribute that zones sum up, and all nodes are watched until they see it in their copies of the root's table. A round is the time " +
		"between two comparisons of a node, 10 s. In push news is passed on as it is by default, without loss; in loss1 and loss5 1 % and 5 % of all messages are lost; in compare no row is sent that " +
		"was not asked for in a comparison, as in the paper, where there is nothing but gossip. Joined are networks in which nodes start one after the other, 20 a second, and know three of those before them: " +
		"they agree when all copies of a table say the same, and the root's table counts each member once. What a network costs then is measured two minutes afterwards, for two minutes. " +
		"In a network at rest all representatives of a leaf zone crash at once: others are named when all copies of its row name only nodes that are up. " +
		"Then a member that represents nothing crashes: it is forgotten when its row is in no copy of its zone's table. Under churn a tenth of the nodes is replaced by others " +
		"within ten minutes; its error is by what share the members counted in the root's table, at a node drawn by chance every ten seconds, differ from the nodes that are up.",

	Tiny:  astrolabeSizes{Frozen: []int{100, 300}, Changes: 1, Joined: []int{20}, Troubled: 70},
	Quick: astrolabeSizes{Frozen: []int{100, 1000, 10_000}, Changes: 1, Joined: []int{200, 1000}, Troubled: 500},
	Paper: astrolabeSizes{Frozen: []int{100, 1000, 10_000, 100_000}, Changes: 5, Joined: []int{200, 1000, 5000}, Troubled: 5000},

	Words:  wording.Astrolabe,
	Expect: expectAstrolabe,
	Memory: func(s astrolabeSizes) uint64 { return uint64(slices.Max(s.Frozen))*12_000 + 256<<20 },
	Run:    runAstrolabe,
}

// astrolabeSizes are the parameters of Astrolabe.
type astrolabeSizes struct {
	Frozen   []int `json:"frozen"`   // nodes of the networks at rest
	Changes  int   `json:"changes"`  // that are watched in each
	Joined   []int `json:"joined"`   // nodes of the networks that form by joining
	Troubled int   `json:"troubled"` // nodes of those in which nodes fail
}

// astrolabeWay is how news travels in a frozen network.
type astrolabeWay struct {
	name, label string
	loss        float64 // share of the messages
	compareOnly bool    // rows are sent only in answer to comparisons

	// most is how many rounds it may take until all know, for each doubling of the number of nodes.
	most float64
}

var astrolabeWays = []astrolabeWay{
	{name: "push", label: "as shipped", most: 0.5},
	{name: "loss1", label: "1 % loss", loss: 0.01, most: 1},
	{name: "loss5", label: "5 % loss", loss: 0.05, most: 1},
	{name: "compare", label: "comparisons alone", compareOnly: true, most: 2},
}

// astrolabeShares are until which shares of the nodes know.
var astrolabeShares = []struct {
	name  string
	share float64
}{{"p50", 0.5}, {"p99", 0.99}, {"all", 1}}

func astrolabeKey(way string, nodes int) string { return fmt.Sprintf("%s.n%d", way, nodes) }

// The names of figures.
const (
	astroPerDoubling = ".all_rounds_over_log2_nodes"
	astroUnaware     = ".unaware"
	astroAgree       = ".agree_seconds"
	astroZones       = ".leaf_zones"
	astroSmallest    = ".smallest_leaf_zone"
	astroLargest     = ".largest_leaf_zone"
	astroMessages    = ".rest_messages_per_second"
	astroBytes       = ".rest_bytes_per_second"
)

func expectAstrolabe(s astrolabeSizes) (all []lab.Expected) {
	aside := func(name, unit string) { all = append(all, lab.Expected{Name: name, Unit: unit, Aside: true}) }
	judge := func(name, unit string, within lab.Bounds) {
		all = append(all, lab.Expected{Name: name, Unit: unit, Within: within, Worst: true})
	}
	for _, n := range s.Frozen {
		for _, way := range astrolabeWays {
			key := astrolabeKey(way.name, n)
			for _, q := range astrolabeShares {
				aside(key+"."+q.name+"_seconds", "s")
				aside(key+"."+q.name+"_rounds", "rounds")
			}
			judge(key+astroPerDoubling, "rounds", lab.AtMost(way.most))
			judge(key+astroUnaware, "nodes", lab.Exactly(0))
		}
	}
	for _, n := range s.Joined {
		key := astrolabeKey("joined", n)
		judge(key+astroAgree, "s", lab.AtMost(15*60))
		aside(key+astroZones, "")
		aside(key+astroSmallest, "members")
		judge(key+astroLargest, "members", lab.AtMost(float64(astrolabe.Default().Full)))
		aside(key+astroMessages, "messages/s")
		judge(key+astroBytes, "B/s", lab.AtMost(400))
	}
	judge("representatives.named_seconds", "s", lab.AtMost(60))
	judge("member.forgotten_seconds", "s", lab.AtMost((astrolabe.Default().Lifetime + 30*time.Second).Seconds()))
	aside("churn.replaced", "nodes")
	judge("churn.count_error", "", lab.AtMost(0.1))
	judge("churn.agree_seconds", "s", lab.AtMost(20*60))
	return all
}

func runAstrolabe(run *lab.Run, s astrolabeSizes) error {
	spread := make([][]float64, len(s.Frozen)*len(astrolabeWays)) // seconds until a node knew, of each network, ascending
	of := func(size, way int) *[]float64 { return &spread[size*len(astrolabeWays)+way] }
	joined := make([]astrolabeJoined, len(s.Joined))
	var parts []func(*lab.Run) error
	for i, n := range s.Frozen {
		for k, way := range astrolabeWays {
			parts = append(parts, func(part *lab.Run) (err error) {
				*of(i, k), err = measureFrozen(part, n, s.Changes, way)
				return err
			})
		}
	}
	for i, n := range s.Joined {
		parts = append(parts, func(part *lab.Run) (err error) {
			joined[i], err = measureJoined(part, n)
			return err
		})
	}
	parts = append(parts,
		func(part *lab.Run) error { return measureFailed(part, s.Troubled) },
		func(part *lab.Run) error { return measureAstrolabeChurn(part, s.Troubled) })
	run.Stage("networks", 1)
	if err := run.Each(len(parts), func(part *lab.Run, i int) error { return parts[i](part) }); err != nil {
		return err
	}
	round := astrolabe.Default().Interval.Seconds()
	for i, n := range s.Frozen {
		for k, way := range astrolabeWays {
			seconds, key := *of(i, k), astrolabeKey(way.name, n)
			for _, q := range astrolabeShares {
				run.Figure(key+"."+q.name+"_seconds", quantile(seconds, q.share))
				run.Figure(key+"."+q.name+"_rounds", quantile(seconds, q.share)/round)
			}
			run.Figure(key+astroPerDoubling, quantile(seconds, 1)/round/math.Log2(float64(n)))
			run.Figure(key+astroUnaware, float64(n*s.Changes-len(seconds)))
		}
	}
	for i, n := range s.Joined {
		j, key := &joined[i], astrolabeKey("joined", n)
		run.Figure(key+astroAgree, j.agree)
		run.Figure(key+astroZones, float64(len(j.zones)))
		run.Figure(key+astroSmallest, float64(slices.Min(j.zones)))
		run.Figure(key+astroLargest, float64(slices.Max(j.zones)))
		run.Figure(key+astroMessages, j.messages)
		run.Figure(key+astroBytes, j.bytes)
	}
	plotAstrolabe(run, s, func(size, way int) []float64 { return *of(size, way) })
	return nil
}
