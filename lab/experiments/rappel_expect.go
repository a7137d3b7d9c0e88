package experiments

import (
	"slices"

	"tidings/lab"
)

// rappelFigure is a figure, how it is measured, and what it should be.
type rappelFigure struct {
	lab.Expected
	measure func(r *rappelResults) float64
	rule    bool // it holds at every scale
}

// rappelFigures is all figures of a run, in the order of the table.
type rappelFigures struct{ all []rappelFigure }

// judged adds a figure with bounds.
func (f *rappelFigures) judged(name, unit string, within lab.Bounds, measure func(r *rappelResults) float64) {
	e := lab.Expected{Name: name, Unit: unit, Within: within, Aside: within == (lab.Bounds{})}
	f.all = append(f.all, rappelFigure{Expected: e, measure: measure})
}

// aside adds a figure that is told and not judged.
func (f *rappelFigures) aside(name, unit string, measure func(r *rappelResults) float64) {
	f.judged(name, unit, lab.Bounds{}, measure)
}

// promise adds a figure that has to be x on every seed and at every scale.
func (f *rappelFigures) promise(name string, x float64, measure func(r *rappelResults) float64) {
	f.judged(name, "", lab.Exactly(x), measure)
	f.last().Worst, f.last().rule = true, true
}

func (f *rappelFigures) last() *rappelFigure { return &f.all[len(f.all)-1] }

// paper gives the last figure what the paper has, within which bounds a figure counts as the same, and why ours is outside of them
// where it is.
func (f *rappelFigures) paper(x float64, tolerance lab.Bounds, reason string) {
	f.last().Paper, f.last().Tolerance, f.last().Reason = &x, tolerance, reason
}

// figures returns all figures, by the paper's.
func (s rappelSizes) figures() []rappelFigure {
	var f rappelFigures
	f.promises(s)
	f.figure7()
	f.figure8(s)
	f.figure9()
	f.figure10(s)
	f.figure11(s)
	return f.all
}

// expectRappel returns what is expected. Shares of what is lost, repeated or noise are promises, and hold in the smallest world; all
// else needs worlds that are large enough to mean something.
func expectRappel(s rappelSizes) (all []lab.Expected) {
	for _, f := range s.figures() {
		e := f.Expected
		if !s.full() && !f.rule {
			e.Aside, e.Within, e.Tolerance, e.Reason = true, lab.Bounds{}, lab.Bounds{}, ""
		}
		all = append(all, e)
	}
	return all
}

// give hands the figures over.
func (r *rappelResults) give(run *lab.Run, s rappelSizes) {
	for _, f := range s.figures() {
		run.Figure(f.Name, f.measure(r))
	}
}

// deliveries returns what was delivered in all worlds of a feed or more, and how many updates came twice or where they were not wanted.
func (r *rappelResults) deliveries() (lost, twice, noise int) {
	add := func(d delivery, again, noises int) {
		lost += d.lost
		twice += again
		noise += noises
	}
	for _, h := range []halved{r.half, r.flat, r.measured} {
		add(h.all, h.twice, h.noise)
	}
	for _, t := range []rested{r.still, r.twice} {
		add(t.delivery, t.twice, t.noise)
	}
	for _, c := range slices.Concat([]churnedFeed{r.churned, r.tor}, r.trades[:], r.fanOuts[:]) {
		add(c.all, c.twice, c.noise)
	}
	for _, b := range slices.Concat(r.friends[:], r.recorded[:], r.grown, r.channels) {
		add(b.delivery, b.twice, b.noise)
	}
	for _, c := range r.contests {
		lost += c.ourLost
		noise += c.noise
	}
	return lost, twice, noise
}
