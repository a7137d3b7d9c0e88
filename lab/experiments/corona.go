package experiments

import (
	"slices"
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/network/corona"
	"tidings/network/honeycomb"
)

// Corona measures the table and the figures of the paper's simulation.
var Corona = lab.Experiment[coronaSizes]{
	Name:   "corona",
	Title:  "Corona: how soon changes are found, for how many polls",
	Source: "Ramasubramanian, Peterson and Sirer, NSDI 2006, section 5.1: Table 2 and Figures 3 to 8",
	About: "Nodes form a ring and all subscribe at one moment, to channels whose popularity follows Zipf's law with " +
		"exponent 0.5; the readers of a channel are at a few nodes, as many as the parameter homes says, or more where owners would " +
		"not count so many for one. A tenth of the channels changes within an hour (ten minutes at least), half of them " +
		"once a week, the others between; within both ranges the logarithms of the mean times are uniform, and changes are a " +
		"Poisson process. Owners are not told these times but estimate them from the changes found. Every document has 16 KiB, so that " +
		"load is the same in bytes and in polls. Nodes poll by the protocol itself, with the paper's settings (wedges by digits, random phases, " +
		"sizes computed from N) and with ours (bits, slots, sizes counted); in legacy each reader polls by itself. " +
		"Every poll is counted, from the schedules in force. Detection time is the time from random moments, some in each " +
		"polling interval of each channel, to the channel's next poll, weighted by subscriptions: so that channels that hardly change " +
		"count as they do in the paper. Beside it stand the same of real changes, and what the gaps between all polls of the " +
		"last interval come to. Measured is what comes after two maintenance intervals. " +
		"In the table's worlds no node fails: there Pastry probes and exchanges rows less often than by default, by as many times as the " +
		"parameter upkeep says, and has as much longer to form the ring; subscriptions are renewed, and contacts asked for their aggregates, " +
		"half as often. In all worlds nodes remember 1,024 routed messages, fewer than by default. " +
		"The paper's 53 s for Lite is what its formula gives, 51.6 s, which takes polls to be even; with its settings, and " +
		"phases that are random as in its protocol, about 78 s are to be expected, and that is the bound here. " +
		"In another part, smaller, no host gets more polls than its readers would send by themselves: nodes sign, and poll by certificates of " +
		"the hosts' owners. Channels are on a quarter as many hosts, whose sizes follow Zipf's law with exponent 1, drawn apart from their " +
		"popularity; the ceiling of a host is so high that it does not bind. The same world is measured without that (free). " +
		"In the last part, smaller too, a tenth of the nodes crashes at one moment, a quarter is replaced an hour as in Overnet, or nodes come and " +
		"go as Tor's relays did.",

	Tiny: coronaSizes{
		Nodes: 16, Channels: 60, Subscriptions: 360, Homes: 4, Upkeep: 2, Hosts: 1,
		For: 90 * time.Minute, Settle: time.Hour, Probes: 4, Rows: []string{"lite"},
		TroubleNodes: 16, TroubleChannels: 40, TroubleFor: 40 * time.Minute,
		PoliteNodes: 16, PoliteChannels: 40,
	},
	Quick: coronaSizes{
		Nodes: 200, Channels: 2500, Subscriptions: 125_000, Homes: 8, Upkeep: 6, Hosts: 1,
		For: 150 * time.Minute, Settle: 2 * time.Hour, Probes: 4, Rows: tableRows,
		TroubleNodes: 128, TroubleChannels: 1500, TroubleFor: 4 * time.Hour,
		PoliteNodes: 200, PoliteChannels: 1000,
	},
	Paper: coronaSizes{
		Nodes: 1024, Channels: 100_000, Subscriptions: 5_000_000, Homes: 4, Upkeep: 6, Hosts: 1,
		For: 6 * time.Hour, Settle: 2 * time.Hour, Probes: 1, Rows: tableRows,
		TroubleNodes: 512, TroubleChannels: 10_000, TroubleFor: 4 * time.Hour,
		PoliteNodes: 512, PoliteChannels: 5000,
	},

	Words:  wording.Corona,
	Expect: expectCorona,
	Memory: func(s coronaSizes) uint64 { return uint64(s.Subscriptions)*400 + 64<<20 }, // of one world
	Run:    runCorona,
}

// coronaSizes are the parameters of Corona.
type coronaSizes struct {
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

// coronaSetting is one way to poll together.
type coronaSetting struct {
	name   string
	words  string
	config func() corona.Config
}

var coronaSettings = []coronaSetting{{"paper", "digits and random phases", corona.Paper}, {"ours", "bits and slots", corona.Default}}

// fastTarget is what the row "fast" is to reach.
const fastTarget = 30 * time.Second

// tableRows are the rows of the paper's table, but for legacy.
var tableRows = []string{"lite", "fast", "fair", "fair-sqrt", "fair-log"}

// policies returns the policies of the rows.
func (s coronaSizes) policies() (all []honeycomb.Policy) {
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

func runCorona(run *lab.Run, s coronaSizes) error {
	work := newCoronaWork(run.Seed(), s)
	type part func(*lab.Run) error
	var parts []part
	rows, inTrouble := make(map[string]*coronaFigures), make(map[string]*coronaFigures)
	for _, name := range troubles {
		inTrouble[name] = new(coronaFigures)
	}
	add := func(name string, f func(*lab.Run) (*coronaFigures, error)) {
		figures := new(coronaFigures)
		rows[name] = figures
		parts = append(parts, func(run *lab.Run) error {
			f, err := f(run)
			if err == nil {
				*figures = *f
				giveRow(run, name, f)
			}
			return err
		})
	}
	for _, setting := range coronaSettings {
		for _, p := range s.policies() {
			add(setting.name+"."+p.Goal.String(), func(run *lab.Run) (*coronaFigures, error) {
				r := newCoronaRow(run, work, s, setting.config(), p)
				return r.measure()
			})
		}
	}
	parts = append(parts, func(run *lab.Run) error { // for both settings
		f := legacy(work, s)
		for _, setting := range coronaSettings {
			rows[setting.name+".legacy"] = f
			giveRow(run, setting.name+".legacy", f)
		}
		return nil
	})
	for _, name := range troubles {
		parts = append(parts, func(run *lab.Run) error {
			f, err := troubled(run, s, name)
			if err != nil {
				return err
			}
			*inTrouble[name] = *f
			giveTrouble(run, s, name, f)
			return nil
		})
	}
	for _, name := range politeRows {
		parts = append(parts, func(run *lab.Run) error { return measurePolite(run, s, name) })
	}
	if err := run.Each(len(parts), func(part *lab.Run, i int) error { return parts[i](part) }); err != nil {
		return err
	}
	plotCorona(run, s, rows)
	plotTroubles(run, s, inTrouble)
	return nil
}

// measure runs a row.
func (r *coronaRow) measure() (*coronaFigures, error) {
	if err := r.subscribe(); err != nil {
		return nil, err
	}
	if err := r.live(); err != nil {
		return nil, err
	}
	r.run.Ran(r.world)
	return r.coronaFigures, nil
}

// giveRow hands over the figures of a row.
func giveRow(run *lab.Run, name string, f *coronaFigures) {
	run.Figure(name+".detection_seconds", f.detection())
	run.Figure(name+".polls", f.perChannel())
	if isLegacy(name) {
		return
	}
	run.Figure(name+".gaps_detection_seconds", f.gapsDetection())
	run.Figure(name+".changes_detection_seconds", f.changesDetection())
	run.Figure(name+".overshoot_minutes", f.overshoot().Minutes())
	run.Figure(name+".stable_minutes", f.stable().Minutes())
	slices.Sort(f.spreads)
	if n := len(f.spreads); n > 0 {
		run.Figure(name+".last_subscriber_median_seconds", f.spreads[n/2])
		run.Figure(name+".last_subscriber_p99_seconds", f.spreads[n*99/100])
		run.Figure(name+".reached_all", float64(n)/float64(f.versions))
	}
}
