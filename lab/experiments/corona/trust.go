package corona

import (
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/plot"
	"tidings/lab/stats"
	"tidings/network/corona"
	"tidings/network/honeycomb"
)

// Trust measures which readers are deceived by nodes that lie, and what protection from that costs.
var Trust = wording.Of("trust", lab.Experiment[trustSizes]{
	Expect: func(s trustSizes) []lab.Expected { return trustFigures(s).Expected() },
	Memory: func(s trustSizes) uint64 { return uint64(s.Subscriptions)*400 + 64<<20 },
	Run:    runTrust,
})

// trustSizes are the parameters of Trust.
type trustSizes struct {
	Nodes         int           `json:"nodes"`
	Channels      int           `json:"channels"`
	Subscriptions int           `json:"subscriptions"`
	Homes         int           `json:"homes"`     // nodes that the readers of a channel are at
	Upkeep        int           `json:"upkeep"`    // by how many times less often than by default Pastry probes
	For           time.Duration `json:"for_ns"`    // since all subscribed
	Settle        time.Duration `json:"settle_ns"` // of it, before what is measured
	Attacked      int           `json:"attacked"`  // channels of which something is invented, for each kind of liars
}

// table returns the sizes of a world as of those of the table.
func (s trustSizes) table() sizes {
	return sizes{
		Nodes: s.Nodes, Channels: s.Channels, Subscriptions: s.Subscriptions, Homes: s.Homes, Upkeep: s.Upkeep,
		For: s.For, Settle: s.Settle,
		Probes: 1, Hosts: max(1, s.Channels/channelsOfHost),
	}
}

// liars are one kind of liars.
type liars struct {
	name    string
	share   float64 // of all nodes, which help each other; 0: one alone
	finders bool    // they report an invented content to the primary; else they are primaries, and make a version of it
}

var kindsOfLiars = []liars{
	{"one_finder", 0, true}, {"one_primary", 0, false}, {"liars1", 0.01, false}, {"liars5", 0.05, false},
	{"liars20", 0.20, false},
}

// trusted is what a world gave.
type trusted struct {
	*measured
	deceived map[string]float64 // by kind of liars: the share of readers to which an invention was shown
	caused   map[string]float64 // requests that an invention causes, for each node that reads the channel
	ground   float64            // in the world of its name: requests that a host gets, over its readers
}

// The names of the worlds: with witnesses, without, and one with keys made beside a host's.
const (
	witnessed = ""
	unproved  = "without."
	ground    = "ground9."
)

func runTrust(run *lab.Run, s trustSizes) error {
	worlds := []string{witnessed, unproved}
	r := make(map[string]*trusted)
	var parts lab.Parts
	work := newWorkload(run.Seed(), s.table())
	for _, name := range worlds {
		r[name] = lab.AddPart(&parts, func(part *lab.Run) trusted {
			config := corona.Default()
			config.HostCeiling = 1 << 30
			config.MaxHostReaders = 1 << 20 // each node stands for hundreds of readers
			if name == unproved {
				config.Witnesses = 0
			}
			return newTrustWorld(part, work, s, config).measure()
		})
	}
	r[ground] = lab.AddPart(&parts, func(part *lab.Run) trusted { return trusted{ground: measureGround(part)} })
	run.Parts(parts)
	trustFigures(s).Give(run, r)
	plotTrust(run, s, r)
	return nil
}

// trustFigures are what is expected. A lie that no node can tell alone deceives no reader. If one node in twenty lies,
// hardly a reader is deceived. The cost is a round trip and a poll, and no requests, as turns are skipped for those
// that witnesses make.
func trustFigures(s trustSizes) (f lab.Figures[map[string]*trusted]) {
	full := func(b lab.Bounds) lab.Bounds {
		if s.Nodes < 200 {
			return lab.Bounds{}
		}
		return b
	}
	report := func(name, unit string, within lab.Bounds, of func(r map[string]*trusted) float64) {
		f.Judge(name, unit, within, of)
	}
	delay := func(name string) func(r map[string]*trusted) float64 {
		return func(r map[string]*trusted) float64 { return r[name].spreadWithin(50) }
	}
	polls := func(name string) func(r map[string]*trusted) float64 {
		return func(r map[string]*trusted) float64 { return r[name].perChannel() }
	}
	ratio := func(of func(name string) func(map[string]*trusted) float64) func(r map[string]*trusted) float64 {
		return func(r map[string]*trusted) float64 { return stats.Share(of(witnessed)(r), of(unproved)(r)) }
	}
	report("delay_ratio_median", "of without", full(lab.AtMost(1.5)), ratio(delay))
	report("requests_ratio", "of without", full(lab.AtMost(1.03)), ratio(polls))
	for _, name := range []string{witnessed, unproved} {
		report(name+"delay_median_seconds", "s", lab.Bounds{}, delay(name))
		report(name+"delay_p99_seconds", "s", lab.Bounds{},
			func(r map[string]*trusted) float64 { return r[name].spreadWithin(99) })
		report(name+"detection_seconds", "s", lab.Bounds{},
			func(r map[string]*trusted) float64 { return r[name].detection() })
		report(name+"polls", "", lab.Bounds{}, polls(name))
		reached := lab.Bounds{}
		if name == witnessed {
			reached = lab.AtLeast(0.99)
		}
		report(name+"reached_all", "", full(reached),
			func(r map[string]*trusted) float64 { return r[name].reachedAll() })
		for _, l := range kindsOfLiars {
			within := lab.Bounds{}
			switch {
			case name == witnessed && l.share == 0:
				within = lab.Exactly(0)
			case name == witnessed && l.share <= 0.05:
				within = full(lab.AtMost(0.01))
			}
			report(name+l.name+".deceived_share", "", within,
				func(r map[string]*trusted) float64 { return r[name].deceived[l.name] })
			report(name+l.name+".requests_a_reader", "", lab.Bounds{},
				func(r map[string]*trusted) float64 { return r[name].caused[l.name] })
		}
	}
	report(ground+"host_requests_over_readers", "", lab.AtMost(1),
		func(r map[string]*trusted) float64 { return r[ground].ground })
	return f
}

// newTrustWorld returns a world with all nodes down. They sign and observe budgets of hosts as live nodes do.
func newTrustWorld(run *lab.Run, work *workload, s trustSizes, config corona.Config) *trustWorld {
	w := &trustWorld{row: newRow(run, work, s.table(), config, honeycomb.Policy{}), attacked: s.Attacked}
	w.signs = true
	w.trust = w
	w.requests = make(map[string]int)
	return w
}

func plotTrust(run *lab.Run, s trustSizes, r map[string]*trusted) {
	delay := wording.Plots("trust", s)("delay")
	run.Plot(delay.With(plot.CDF("with witnesses", stats.Thinned(r[witnessed].spreads)),
		plot.CDF("without", stats.Thinned(r[unproved].spreads))))
}
