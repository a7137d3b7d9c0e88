// Package corona measures how nodes poll together by network/corona: in the paper's simulation and deployment, one channel to which all
// subscribe, and beside FeedTree's volunteers.
package corona

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/network/corona"
	"tidings/network/honeycomb"
)

// Experiment measures the table and the figures of the paper's simulation.
var Experiment = lab.Experiment[sizes]{
	Name:   "corona",
	Title:  "Corona: how soon changes are found, for how many polls",
	Source: "Ramasubramanian, Peterson and Sirer, NSDI 2006, section 5.1: Table 2 and Figures 3 to 8",
	About: "Nodes form a ring and all subscribe at one moment, to channels whose popularity follows Zipf's law with exponent 0.5; the readers of a channel are " +
		"at a few nodes, as many as the parameter homes says, or more where owners would not count so many for one. A tenth of the channels changes within an hour " +
		"(ten minutes at least), half of them once a week, the others between; within both ranges the logarithms of the mean times are uniform, and changes are a " +
		"Poisson process. Owners are not told these times but estimate them from the changes found. Every document has 16 KiB, so that load is the same in bytes " +
		"and in polls. Nodes poll by the protocol itself, with the paper's settings (wedges by digits, random phases, sizes computed from N) and with ours (bits, " +
		"slots, sizes counted); in legacy each reader polls by itself. Every poll is counted, from the schedules in force. Detection time is the time from random " +
		"moments, some in each polling interval of each channel, to the channel's next poll, weighted by subscriptions: so that channels that hardly change count " +
		"as they do in the paper. Beside it stand the same of real changes, and what the gaps between all polls of the last interval come to. Measured is what " +
		"comes after two maintenance intervals. In the table's worlds no node fails: there Pastry probes and exchanges rows less often than by default, by as many " +
		"times as the parameter upkeep says, and has as much longer to form the ring; subscriptions are renewed, and contacts asked for their aggregates, half as " +
		"often. In all worlds nodes remember 1,024 routed messages, fewer than by default. The paper's 53 s for Lite is what its formula gives, 51.6 s, which " +
		"takes polls to be even; with its settings, and phases that are random as in its protocol, about 78 s are to be expected, and that is the bound here. In " +
		"another part, smaller, no host gets more polls than its readers would send by themselves: nodes sign, and poll by certificates of the hosts' owners. " +
		"Channels are on a quarter as many hosts, whose sizes follow Zipf's law with exponent 1, drawn apart from their popularity; the ceiling of a host is so " +
		"high that it does not bind. The same world is measured without that (free). In the last part, smaller too, a tenth of the nodes crashes at one moment, a " +
		"quarter is replaced an hour as in Overnet, or nodes come and go as Tor's relays did.",

	Tiny: sizes{
		Nodes: 16, Channels: 60, Subscriptions: 360, Homes: 4, Upkeep: 2, Hosts: 1,
		For: 90 * time.Minute, Settle: time.Hour, Probes: 4, Rows: []string{"lite"},
		TroubleNodes: 16, TroubleChannels: 40, TroubleFor: 40 * time.Minute,
		PoliteNodes: 16, PoliteChannels: 40,
	},
	Quick: sizes{
		Nodes: 200, Channels: 2500, Subscriptions: 125_000, Homes: 8, Upkeep: 6, Hosts: 1,
		For: 150 * time.Minute, Settle: 2 * time.Hour, Probes: 4, Rows: tableRows,
		TroubleNodes: 128, TroubleChannels: 1500, TroubleFor: 4 * time.Hour,
		PoliteNodes: 200, PoliteChannels: 1000,
	},
	Paper: sizes{
		Nodes: 1024, Channels: 100_000, Subscriptions: 5_000_000, Homes: 4, Upkeep: 6, Hosts: 1,
		For: 6 * time.Hour, Settle: 2 * time.Hour, Probes: 1, Rows: tableRows,
		TroubleNodes: 512, TroubleChannels: 10_000, TroubleFor: 4 * time.Hour,
		PoliteNodes: 512, PoliteChannels: 5000,
	},

	Words:  wording.Corona,
	Expect: func(s sizes) []lab.Expected { return figures(s).Expected() },
	Memory: func(s sizes) uint64 { return uint64(s.Subscriptions)*400 + 64<<20 }, // of one world
	Run:    run,
}

// sizes are the parameters of Experiment.
type sizes struct {
	Nodes         int           `json:"nodes"`
	Channels      int           `json:"channels"`
	Subscriptions int           `json:"subscriptions"`
	Homes         int           `json:"homes"`     // nodes that the readers of a channel are at
	Upkeep        int           `json:"upkeep"`    // by how many times less often than by default Pastry probes
	For           time.Duration `json:"for_ns"`    // since all subscribed
	Settle        time.Duration `json:"settle_ns"` // of it, before what is measured
	Probes        int           `json:"probes"`    // by channel and polling interval
	Hosts         int           `json:"hosts"`     // that the channels are on
	Rows          []string      `json:"rows"`      // of the table: "lite"

	// The worlds in which nodes come and go; it begins after Settle.
	TroubleNodes    int           `json:"trouble_nodes"`
	TroubleChannels int           `json:"trouble_channels"`
	TroubleFor      time.Duration `json:"trouble_for_ns"`

	// The worlds in which hosts are seen to.
	PoliteNodes    int `json:"polite_nodes"`
	PoliteChannels int `json:"polite_channels"`
}

// setting is one way to poll together.
type setting struct {
	name   string
	words  string
	config func() corona.Config
}

var settings = []setting{{"paper", "digits and random phases", corona.Paper}, {"ours", "bits and slots", corona.Default}}

// fastTarget is what the row "fast" is to reach.
const fastTarget = 30 * time.Second

// tableRows are the rows of the paper's table, but for legacy.
var tableRows = []string{"lite", "fast", "fair", "fair-sqrt", "fair-log"}

// policies returns the policies of the rows.
func (s sizes) policies() (all []honeycomb.Policy) {
	for _, goal := range []honeycomb.Goal{honeycomb.Lite, honeycomb.Fast, honeycomb.Fair, honeycomb.FairSqrt, honeycomb.FairLog} {
		if !slices.Contains(s.Rows, goal.String()) {
			continue
		}
		p := honeycomb.Policy{Goal: goal}
		if goal == honeycomb.Fast {
			p.Target = fastTarget
		}
		all = append(all, p)
	}
	return all
}

// results are what the worlds of a run gave, by their names.
type results map[string]*measured

func run(run *lab.Run, s sizes) error {
	work, r := newWorkload(run.Seed(), s), make(results)
	var parts lab.Parts
	for _, setting := range settings {
		for _, p := range s.policies() {
			r[setting.name+"."+p.Goal.String()] = lab.AddPart(&parts, func(part *lab.Run) measured {
				return *newRow(part, work, s, setting.config(), p).measure()
			})
		}
	}
	r["paper.legacy"] = lab.AddPart(&parts, func(*lab.Run) measured { return *legacy(work, s) })
	r["ours.legacy"] = r["paper.legacy"] // which is the same for both settings
	for _, name := range troubles {
		r[name] = lab.AddPart(&parts, func(part *lab.Run) measured { return *troubled(part, s, name) })
	}
	for _, name := range []string{polite, free} {
		r[name] = lab.AddPart(&parts, func(part *lab.Run) measured { return *measurePolite(part, s, name) })
	}
	run.Parts(parts)
	figures(s).Give(run, r)
	plotTable(run, s, r)
	plotTroubles(run, s, r)
	return nil
}
