package experiments

import (
	"tidings/lab"
	"tidings/network/scribe"
)

// expectScribe returns what is expected. Of the paper's figures those are here that do not depend on its
// network of routers: the delay.
func expectScribe(s scribeSizes) (all []lab.Expected) {
	for _, row := range scribeRows {
		all = append(all, s.expectRow(row)...)
	}
	for _, t := range scribeTroubles {
		all = append(all, s.expectTrouble(t)...)
	}
	return all
}

// full reports whether the worlds are large enough for the figures to mean something.
func (s scribeSizes) full() bool { return s.Nodes >= 1000 }

func (s scribeSizes) expectRow(row scribeRow) (all []lab.Expected) {
	judged := func(name, unit string, paper *float64, within lab.Bounds) {
		e := lab.Expected{Name: row.name + name, Unit: unit, Paper: paper, Within: within}
		if !s.full() {
			e.Aside, e.Within = true, lab.Bounds{}
		}
		all = append(all, e)
	}
	aside := func(name, unit string) {
		all = append(all, lab.Expected{Name: row.name + name, Unit: unit, Aside: true})
	}
	all = append(all, lab.Expected{Name: row.name + scribeShare, Within: lab.Exactly(1), Worst: true})
	judged(scribeRAD, "of direct", new(2.0), lab.AtMost(2.5))
	judged(scribeRMD, "of direct", new(2.0), lab.AtMost(2.5))
	aside(scribeRADMost, "of direct")
	aside(scribeRMDMost, "of direct")
	aside(scribeRADAll, "of direct")
	aside(scribeRMDAll, "of direct")
	judged(scribeCopies, "", nil, lab.AtMost(1.5))
	judged(scribeNode, "of direct", nil, lab.AtMost(1))
	judged(scribePair, "of direct", nil, lab.AtMost(1))
	aside(scribePairs, "of direct")
	if row.maxChildren == scribe.Default().MaxChildren {
		all = append(all, lab.Expected{Name: row.name + scribeWidest, Within: lab.AtMost(float64(row.maxChildren)), Worst: true})
	} else {
		aside(scribeWidest, "")
	}
	aside(scribeEntries, "")
	aside(scribeEntry99, "")
	aside(scribeMost, "")
	aside(scribeGroups, "")
	return all
}

// expectTrouble returns what is expected in trouble. All events have to come. What is lost on a link is
// asked for after a second or two, so nearly all come in five; whoever is cut off by a crash hears of it
// after five seconds, and is taken in again within a few tries. Who is given nothing by a node that
// swallows finds out at the latest when it compares, which is once a minute; it then looks for another
// parent, so that events come soon again.
func (s scribeSizes) expectTrouble(t scribeTrouble) (all []lab.Expected) {
	bounds := map[string]lab.Bounds{
		scribeSoon: lab.AtLeast(0.98), scribeLately: lab.AtLeast(0.99), scribeMinute: lab.AtLeast(0.995),
		scribeRepaired: lab.AtMost(15), scribeRepairs: lab.AtMost(60),
	}
	if t.swallow > 0 {
		delete(bounds, scribeSoon)
	}
	give := func(name, unit string) {
		e := lab.Expected{Name: t.name + name, Unit: unit}
		if e.Within = bounds[name]; !s.full() || e.Within == (lab.Bounds{}) {
			e.Aside, e.Within = true, lab.Bounds{}
		}
		all = append(all, e)
	}
	give(scribeSoon, "")
	give(scribeLately, "")
	give(scribeMinute, "")
	all = append(all, lab.Expected{Name: t.name + scribeEnd, Within: lab.Exactly(1), Worst: true})
	give(scribeMedian, "s")
	give(scribe99, "s")
	give(scribeLast, "s")
	give(scribeSent, "")
	if t.repairs() {
		give(scribeRepaired, "s")
		give(scribeRepairs, "s")
	}
	return all
}
