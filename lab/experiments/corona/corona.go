// Package corona measures how nodes poll together by network/corona: in the paper's simulation and deployment, one
// channel to which all subscribe, and beside FeedTree's volunteers.
package corona

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/corona/levels"
	"tidings/lab/experiments/wording"
	"tidings/network/corona"
	"tidings/network/honeycomb"
)

// Experiment measures the table and the figures of the paper's simulation.
var Experiment = wording.Of("corona", lab.Experiment[sizes]{
	Expect: func(s sizes) []lab.Expected { return figures(s).Expected() },
	Memory: sizes.memory,
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
	Worlds        []string      `json:"worlds"`    // that are measured: settings, troubles, polite and free
	Rows          []string      `json:"rows"`      // of the table: "lite"
	// quantiles of documents' lengths, in bytes, as evenly apart as there are of them, where these vary
	Lengths []int `json:"lengths"`

	// The worlds in which nodes come and go; it begins after Settle.
	TroubleNodes    int           `json:"trouble_nodes"`
	TroubleChannels int           `json:"trouble_channels"`
	TroubleFor      time.Duration `json:"trouble_for_ns"`

	// The worlds in which hosts are seen to.
	PoliteNodes    int `json:"polite_nodes"`
	PoliteChannels int `json:"polite_channels"`
}

// memory returns what one world needs, with room for garbage: one of the table, or one in which nodes sign.
func (s sizes) memory() uint64 {
	return max(uint64(s.Subscriptions)*380+uint64(s.Nodes)*250_000+110<<20,
		uint64(s.PoliteNodes)*uint64(s.PoliteChannels)*1_500+64<<20)
}

// setting is one way to poll together.
type setting struct {
	name   string
	words  string
	config func() corona.Config
	random bool // nodes poll at random phases, not in slots
	lite   bool // it is measured with Lite alone
	sized  bool // documents have the lengths of sizes.Lengths
}

var settings = []setting{
	{name: "paper", words: "digits and random phases", config: paper, random: true},
	{name: "paper-even", words: "digits and even phases", config: paper, lite: true},
	{name: "ours", words: "sets of any size and slots", config: corona.Default},
	{name: "sized", words: "documents of different lengths", config: corona.Default, lite: true, sized: true},
}

// paper returns the paper's settings: wedges by digits, of expected sizes, and load in polls.
func paper() corona.Config {
	c := corona.Default()
	c.Optimizer, c.LoadInPolls = levels.New, true
	return c
}

// papers reports whether a setting is the paper's.
func (s setting) papers() bool { return s.config().Optimizer != nil }

// fastTarget is what the row "fast" is to reach.
const fastTarget = 30 * time.Second

// has reports whether a world is to be measured; for settings, by their names, whether those of their rows are.
func (s sizes) has(world string) bool { return slices.Contains(s.Worlds, world) }

// some returns which of some worlds are to be measured.
func (s sizes) some(worlds ...string) []string {
	return slices.DeleteFunc(worlds, func(world string) bool { return !s.has(world) })
}

// policies returns the policies of a setting's rows.
func (s sizes) policies(of setting) (all []honeycomb.Policy) {
	if !s.has(of.name) {
		return nil
	}
	for _, goal := range []honeycomb.Goal{honeycomb.Lite, honeycomb.Fast, honeycomb.Fair, honeycomb.FairSqrt,
		honeycomb.FairLog} {
		if !slices.Contains(s.Rows, goal.String()) || of.lite && goal != honeycomb.Lite {
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

// roomy is the most subscriptions of a world of the table that runs beside another. Two larger worlds would leave each
// other so little memory for garbage, within what Experiment states, that collecting it would need more time than all
// else.
const roomy = 1 << 20

// results are what the worlds of a run gave, by their names.
type results map[string]*measured

func run(run *lab.Run, s sizes) error {
	even, varied, r := newWorkload(run.Seed(), s), newWorkload(run.Seed(), s), make(results)
	varied.vary(s.Lengths)
	var parts lab.Parts
	for _, setting := range settings {
		work := even
		if setting.sized {
			work = varied
		}
		for _, p := range s.policies(setting) {
			r[setting.name+"."+p.Goal.String()] = lab.AddPart(&parts, func(part *lab.Run) measured {
				row := newRow(part, work, s, setting.config(), p)
				row.begun, row.random = setting.sized, setting.random
				return *row.measure()
			})
		}
	}
	table := len(parts)
	if len(s.some("paper", "ours")) > 0 {
		r["paper.legacy"] = lab.AddPart(&parts, func(*lab.Run) measured { return *legacy(even, s) })
		r["ours.legacy"] = r["paper.legacy"] // which is the same for both settings
	}
	if s.has("sized") {
		r["sized.legacy"] = lab.AddPart(&parts, func(*lab.Run) measured { return *legacy(varied, s) })
	}
	for _, name := range s.some(crash, overnet, torChurn) {
		r[name] = lab.AddPart(&parts, func(part *lab.Run) measured { return *troubled(part, s, name) })
	}
	for _, name := range s.some(polite, free) {
		r[name] = lab.AddPart(&parts, func(part *lab.Run) measured { return *measurePolite(part, s, name) })
	}
	if s.Subscriptions > roomy {
		share := 1 / float64(len(parts))
		for i := range table {
			run.Stage("the table", share)
			run.Parts(parts[i : i+1])
		}
		parts = parts[table:]
		run.Stage("the other worlds", share*float64(len(parts)))
	}
	run.Parts(parts)
	figures(s).Give(run, r)
	plotTable(run, s, r)
	plotTroubles(run, s, r)
	return nil
}
