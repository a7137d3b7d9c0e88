// Package plot draws the figures of experiments: as data in, SVG and PNG out.
//
// Figures look like those of a good paper: axes with labels and units, and fonts that stay legible at a column's width.
// People with any kind of colour vision can tell the colours apart (Okabe and Ito 2008), and markers differ as well.
// What a paper or theory says is drawn as a dashed line with its label. A drawing is a function of the data alone.
package plot

import (
	"fmt"
	"math"
)

// Plot is one figure.
type Plot struct {
	Name    string // part of the file's name: small letters, digits and hyphens
	Title   string // one line
	Caption string // what was done, with sizes; for a report, not drawn
	X, Y    Axis
	Series  []Series    // at most MaxSeries
	Said    []Reference // what a paper or theory says

	// OfMachine means that wall time or memory shows in it, so that it differs from run
	// to run.
	OfMachine bool
}

// With returns the plot with more series.
func (p Plot) With(series ...Series) Plot {
	p.Series = append(p.Series, series...)
	return p
}

// Beside returns the plot with more of what a paper or theory says.
func (p Plot) Beside(said ...Reference) Plot {
	p.Said = append(p.Said, said...)
	return p
}

// MaxSeries is how many series one plot can have that look different.
const MaxSeries = 7

// Axis is one direction of a plot.
type Axis struct {
	Label string // "time since the change"
	Unit  string // "s"; empty for pure numbers
	Log   bool   // points at or below zero are left out
	Share bool   // from 0 to 1, whatever error bars say
}

// title returns the axis's label with its unit.
func (a Axis) title() string {
	if a.Unit == "" {
		return a.Label
	}
	return fmt.Sprintf("%s (%s)", a.Label, a.Unit)
}

// Kind is how a series is drawn.
type Kind uint8

// The kinds of series.
const (
	Lines Kind = iota // points joined by straight lines, for time series and tendencies
	Steps             // level from each point to the next, for distributions
	Dots              // points alone, for scatter and ranks
	Bars              // from the bottom, side by side with those of other series
)

// Series is what was measured of one scheme.
type Series struct {
	Label  string
	Kind   Kind
	Points []Point // ascending by X, but for Dots

	// Samples are what a distribution is made of, where the series is one (see CDF).
	// Those of several runs are pooled.
	Samples []float64
}

// Point is one measurement. Low and High are the ends of its error bar, or of the band that bars become on a long line;
// both zero: none.
type Point struct{ X, Y, Low, High float64 }

func (p Point) hasBar() bool { return p.Low != 0 || p.High != 0 }

// Reference is a line that is not measured here.
type Reference struct {
	Label  string
	Points []Point // joined; one that lies at an infinite X or Y spans the plot
}

// Level returns a reference at one height, over the whole width.
func Level(label string, y float64) Reference {
	return Reference{label, []Point{{X: math.Inf(-1), Y: y}, {X: math.Inf(1), Y: y}}}
}

// Upright returns a reference at one X, over the whole height.
func Upright(label string, x float64) Reference {
	return Reference{label, []Point{{X: x, Y: math.Inf(-1)}, {X: x, Y: math.Inf(1)}}}
}

// Curve returns a reference through points.
func Curve(label string, points ...Point) Reference { return Reference{label, points} }

// Validate reports what cannot be drawn.
func (p Plot) Validate() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("plot %q: %s", p.Name, fmt.Sprintf(format, args...))
	}
	if !isName(p.Name) {
		return fail("the name is not of small letters, digits and hyphens")
	}
	if p.Title == "" || p.X.Label == "" || p.Y.Label == "" {
		return fail("the title or an axis's label is missing")
	}
	if len(p.Series) == 0 || len(p.Series) > MaxSeries {
		return fail("%d series where 1 to %d can be told apart", len(p.Series), MaxSeries)
	}
	for _, words := range p.words() {
		if r := unknownTo(regular, words); r != 0 {
			return fail("the font has no %q, which is in %q", r, words)
		}
	}
	for _, s := range p.Series {
		for _, at := range s.Points {
			if !finite(at.X) || !finite(at.Y) || !finite(at.Low) || !finite(at.High) {
				return fail("series %q has a point that is no number", s.Label)
			}
		}
	}
	return nil
}

// words returns all texts that are drawn.
func (p Plot) words() []string {
	all := []string{p.Title, p.X.title(), p.Y.title()}
	for _, s := range p.Series {
		all = append(all, s.Label)
	}
	for _, r := range p.Said {
		all = append(all, r.Label)
	}
	return all
}

func isName(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return s != ""
}

func finite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }
