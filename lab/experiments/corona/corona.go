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
var Experiment = wording.Of("corona", lab.Experiment[sizes]{
	Expect: func(s sizes) []lab.Expected { return figures(s).Expected() },
	Memory: func(s sizes) uint64 { return uint64(s.Subscriptions)*400 + 64<<20 }, // of one world
	Run:    run,
})

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

var settings = []setting{{"paper", "digits and random phases", corona.Paper}, {"ours", "sets of any size and slots", corona.Default}}

// fastTarget is what the row "fast" is to reach.
const fastTarget = 30 * time.Second

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
