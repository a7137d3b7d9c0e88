package experiments

import (
	"time"

	"tidings/lab"
	"tidings/lab/experiments/wording"
	"tidings/network/corona"
	"tidings/network/honeycomb"
)

// Volunteer measures FeedTree's volunteers against Corona's plan, on one workload.
var Volunteer = lab.Experiment[volunteerSizes]{
	Name:   "volunteer",
	Title:  "Volunteers against Corona: how soon changes are found, for how many polls",
	Source: "Sandler, Mislove, Post and Druschel, IPTPS 2005, section 5 (no figures there); Ramasubramanian, Peterson and Sirer, NSDI 2006, section 5.1 (the workload)",
	About: "Nodes form a ring and follow channels, each reader at a node of its own. Popularity, and how often channels change, are as in the experiment corona. " +
		"In the rows volunteer, whoever follows a channel volunteers to poll it, and tells the others by a tree of Scribe: of each channel as " +
		"many polls an interval are enough as it has readers on average (as-many), or as many as by default (eight). In the row corona the nodes poll by Corona's plan (Lite). " +
		"Legacy is each reader polling by itself. Detection time is the mean time from random moments to the channel's next poll, weighted by readers; " +
		"measured is what comes after a third of the time. Rows differ in load; work is detection time times polls, which halves " +
		"where the same polls are spread twice as well.",

	Tiny:  volunteerSizes{Nodes: 16, Channels: 20, Subscriptions: 160, For: 90 * time.Minute},
	Quick: volunteerSizes{Nodes: 60, Channels: 120, Subscriptions: 2400, For: 3 * time.Hour},
	Paper: volunteerSizes{Nodes: 400, Channels: 2000, Subscriptions: 80_000, For: 6 * time.Hour},

	Words:  wording.Volunteer,
	Expect: expectVolunteer,
	Memory: func(s volunteerSizes) uint64 { return uint64(s.Subscriptions)*3000 + 128<<20 },
	Run:    runVolunteer,
}

// volunteerSizes are the parameters of Volunteer.
type volunteerSizes struct {
	Nodes         int           `json:"nodes"`
	Channels      int           `json:"channels"`
	Subscriptions int           `json:"subscriptions"`
	For           time.Duration `json:"for_ns"`
}

// corona returns the sizes of a row of the experiment corona on the same workload.
func (s volunteerSizes) corona() coronaSizes {
	return coronaSizes{
		Nodes: s.Nodes, Channels: s.Channels, Subscriptions: s.Subscriptions, Homes: s.Nodes, Upkeep: 2, Hosts: 1,
		For: s.For, Settle: s.For / 3, Probes: 4,
	}
}

// volunteerRows are the rows, but for legacy and Corona.
var volunteerRows = []string{"as-many", "eight"}

func expectVolunteer(volunteerSizes) (all []lab.Expected) {
	for _, row := range append([]string{"legacy", "corona"}, volunteerRows...) {
		all = append(all,
			lab.Expected{Name: row + ".detection_seconds", Unit: "s", Aside: true},
			lab.Expected{Name: row + ".polls", Aside: true})
	}
	for _, row := range volunteerRows {
		all = append(all,
			lab.Expected{Name: row + ".told_median_seconds", Unit: "s", Within: lab.AtMost(5)},
			lab.Expected{Name: row + ".lacking", Within: lab.Exactly(0), Worst: true})
	}
	return append(all,
		lab.Expected{Name: "detection_over_corona", Aside: true},
		lab.Expected{Name: "work_over_corona", Within: lab.AtLeast(1)},
		lab.Expected{Name: "polls_over_legacy", Within: lab.AtMost(1.1)})
}

func runVolunteer(run *lab.Run, s volunteerSizes) error {
	sizes := s.corona()
	work := newCoronaWork(run.Seed(), sizes)
	rows := make(map[string]*coronaFigures)
	parts := []func(*lab.Run) error{func(run *lab.Run) error {
		settings := corona.Default()
		f, err := newCoronaRow(run, work, sizes, settings, honeycomb.Policy{Goal: honeycomb.Lite}).measure()
		rows["corona"] = f
		return err
	}}
	towns := make([]*volunteerTown, len(volunteerRows))
	for i, row := range volunteerRows {
		parts = append(parts, func(run *lab.Run) (err error) {
			towns[i], err = measureVolunteers(run, work, sizes, row)
			return err
		})
	}
	if err := run.Each(len(parts), func(part *lab.Run, i int) error { return parts[i](part) }); err != nil {
		return err
	}
	rows["legacy"] = legacy(work, sizes)
	for i, row := range volunteerRows {
		rows[row] = towns[i].coronaFigures
		run.Figure(row+".told_median_seconds", towns[i].toldMedian())
		run.Figure(row+".lacking", float64(towns[i].lacking()))
	}
	for _, row := range append([]string{"legacy", "corona"}, volunteerRows...) {
		run.Figure(row+".detection_seconds", rows[row].detection())
		run.Figure(row+".polls", rows[row].perChannel())
	}
	run.Figure("detection_over_corona", rows["as-many"].detection()/rows["corona"].detection())
	effort := func(row string) float64 { return rows[row].detection() * rows[row].perChannel() }
	run.Figure("work_over_corona", effort("as-many")/effort("corona"))
	run.Figure("polls_over_legacy", rows["as-many"].perChannel()/rows["legacy"].perChannel())
	return nil
}
