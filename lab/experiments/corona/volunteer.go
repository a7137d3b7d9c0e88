package corona

import (
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/lab/stats"
	"tidings/network/corona"
	"tidings/network/honeycomb"
)

// Volunteer measures FeedTree's volunteers against Corona's plan, on one workload.
var Volunteer = wording.Of("volunteer", lab.Experiment[volunteerSizes]{
	Expect: func(s volunteerSizes) []lab.Expected { return volunteerFigures(s).Expected() },
	Memory: func(s volunteerSizes) uint64 { return uint64(s.Subscriptions)*3000 + 128<<20 },
	Run:    runVolunteer,
})

// volunteerSizes are the parameters of Volunteer.
type volunteerSizes struct {
	Nodes         int           `json:"nodes"`
	Channels      int           `json:"channels"`
	Subscriptions int           `json:"subscriptions"`
	For           time.Duration `json:"for_ns"`
}

// corona returns the sizes of a row of the experiment corona on the same workload.
func (s volunteerSizes) corona() sizes {
	return sizes{
		Nodes: s.Nodes, Channels: s.Channels, Subscriptions: s.Subscriptions, Homes: s.Nodes, Upkeep: 2, Hosts: 1,
		For: s.For, Settle: s.For / 3, Probes: 4,
	}
}

// volunteerRows are the rows, but for legacy and Corona.
var volunteerRows = []string{"as-many", "eight"}

// volunteerResults are what the worlds of a run gave, by their names.
type volunteerResults struct {
	rows     map[string]*measured
	testnets map[string]*volunteerTestnet
}

func volunteerFigures(volunteerSizes) (f lab.Figures[*volunteerResults]) {
	for _, row := range append([]string{"legacy", "corona"}, volunteerRows...) {
		f.Report(row+".detection_seconds", "s", func(r *volunteerResults) float64 { return r.rows[row].detection() })
		f.Report(row+".polls", "", func(r *volunteerResults) float64 { return r.rows[row].perChannel() })
	}
	for _, row := range volunteerRows {
		f.Judge(row+".told_median_seconds", "s", lab.AtMost(5),
			func(r *volunteerResults) float64 { return stats.QuantileOf(r.testnets[row].delays, 0.5) })
		f.Promise(row+".lacking", "", lab.Exactly(0),
			func(r *volunteerResults) float64 { return float64(r.testnets[row].lacking()) })
	}
	over := func(name, other string, within lab.Bounds, of func(m *measured) float64) {
		f.Judge(name, "", within,
			func(r *volunteerResults) float64 { return of(r.rows["as-many"]) / of(r.rows[other]) })
	}
	over("detection_over_corona", "corona", lab.Bounds{}, (*measured).detection)
	over("work_over_corona", "corona", lab.AtLeast(1),
		func(m *measured) float64 { return m.detection() * m.perChannel() })
	over("polls_over_legacy", "legacy", lab.AtMost(1.1), (*measured).perChannel)
	return f
}

func runVolunteer(run *lab.Run, s volunteerSizes) error {
	sizes := s.corona()
	work := newWorkload(run.Seed(), sizes)
	r := &volunteerResults{make(map[string]*measured), make(map[string]*volunteerTestnet)}
	var parts lab.Parts
	r.rows["corona"] = lab.AddPart(&parts, func(part *lab.Run) measured {
		return *newRow(part, work, sizes, corona.Default(), honeycomb.Policy{Goal: honeycomb.Lite}).measure()
	})
	for _, row := range volunteerRows {
		r.testnets[row] = lab.AddPart(&parts,
			func(part *lab.Run) volunteerTestnet { return *measureVolunteers(part, work, sizes, row) })
	}
	run.Parts(parts)
	r.rows["legacy"] = legacy(work, sizes)
	for row, t := range r.testnets {
		r.rows[row] = t.measured
	}
	volunteerFigures(s).Give(run, r)
	return nil
}
