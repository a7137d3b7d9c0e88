package lab

import "fmt"

// Figures are the figures of an experiment, in the order of its table, each with its function of R: what a run
// measured.
type Figures[R any] []*Measured[R]

// Measured is an expected figure, and how it comes of what a run measured.
type Measured[R any] struct {
	Expected
	of func(r R) float64
}

// Judge adds a figure with bounds. Without bounds it is reported and not judged.
func (f *Figures[R]) Judge(name, unit string, within Bounds, of func(r R) float64) *Measured[R] {
	m := &Measured[R]{Expected{Name: name, Unit: unit, Within: within, Aside: within == Bounds{}}, of}
	*f = append(*f, m)
	return m
}

// Report adds a figure that is reported and not judged.
func (f *Figures[R]) Report(name, unit string, of func(r R) float64) *Measured[R] {
	return f.Judge(name, unit, Bounds{}, of)
}

// Promise adds a figure with bounds that hold for every seed.
func (f *Figures[R]) Promise(name, unit string, within Bounds, of func(r R) float64) *Measured[R] {
	m := f.Judge(name, unit, within, of)
	m.Worst = true
	return m
}

// Part adds figures of a part of what a run measured, under names that begin alike.
func Part[R, S any](f *Figures[R], name string, of func(r R) S, figures Figures[S]) {
	for _, m := range figures {
		e := m.Expected
		e.Name = name + e.Name
		*f = append(*f, &Measured[R]{e, func(r R) float64 { return m.of(of(r)) }})
	}
}

// Says notes what the source says.
func (m *Measured[R]) Says(x float64) *Measured[R] {
	m.Paper = &x
	return m
}

// Differs notes the source's value, within which bounds a figure counts as the same, and why ours is outside of them
// where it is.
func (m *Measured[R]) Differs(x float64, tolerance Bounds, reason string) *Measured[R] {
	m.Tolerance, m.Reason = tolerance, reason
	return m.Says(x)
}

// Bound judges a figure by bounds, or, if there are none, reports it aside.
func (m *Measured[R]) Bound(within Bounds) *Measured[R] {
	m.Within, m.Aside = within, within == Bounds{}
	return m
}

// Aside reports the figures that is selects without judging them: a run may be too small for them to mean something.
func (f Figures[R]) Aside(is func(e Expected) bool) Figures[R] {
	for _, m := range f {
		if is(m.Expected) {
			m.Expected = Expected{Name: m.Name, Unit: m.Unit, Paper: m.Paper, OfMachine: m.OfMachine, Aside: true}
		}
	}
	return f
}

// OfMachine marks all figures as the machine's, as those of live runs are.
func (f Figures[R]) OfMachine() Figures[R] {
	for _, m := range f {
		m.Expected.OfMachine = true
	}
	return f
}

// Expected returns what is expected of the figures.
func (f Figures[R]) Expected() (all []Expected) {
	for _, m := range f {
		all = append(all, m.Expected)
	}
	return all
}

// Give hands the figures of a run over.
func (f Figures[R]) Give(run *Run, r R) {
	for _, m := range f {
		run.Figure(m.Name, m.of(r))
	}
}

// Sized names a figure of a world with n nodes: "mean hops, 10,000 nodes".
func Sized(what string, n int) string { return fmt.Sprintf("%s, %s nodes", what, Count(n)) }

// NodesKey names a figure, or what is measured, of a world with n nodes for programs: "push.n10000".
func NodesKey(what string, n int) string { return fmt.Sprintf("%s.n%d", what, n) }

// Count writes n with commas.
func Count(n int) string { return Quantity(float64(n), "") }
