package lab

import (
	"errors"
	"math"
)

// Expected is a figure as it should be.
type Expected struct {
	// Name says what is measured, with its size: "mean hops, 10,000 nodes". Programs know
	// the figure by it.
	Name string

	// Unit is "s", "hops", "events/s", "B" and so on; empty for shares and pure numbers.
	Unit string

	// Paper is what the source measured or, where it gives a formula, says; nil: nothing.
	Paper *float64

	// Tolerance is how far a figure may be from Paper and still count as the same. It judges nothing: Within may
	// require more than the paper has, or less. None: the two are only shown side by side.
	Tolerance Bounds

	// Reason says why the figure differs from Paper. It is shown where the figure is outside of Tolerance.
	Reason string

	// Within is what passes. Every figure that is judged has bounds: one that cannot fail
	// shows nothing.
	Within Bounds

	// Aside reports the figure without judging it, and without bounds. It says as much of the machine as of the
	// experiment, and another figure is judged in its place.
	Aside bool

	// OfMachine marks what differs from machine to machine and from run to run: wall
	// time, memory.
	OfMachine bool

	// Worst applies the bounds to every seed instead of the seeds' mean. The figure is then the value nearest to
	// breaking them.
	Worst bool
}

// Bounds is a range with both ends included. The zero Bounds are none at all.
type Bounds struct {
	least, most float64
	given       bool
}

// AtLeast returns the bounds from x upwards.
func AtLeast(x float64) Bounds { return Between(x, math.Inf(1)) }

// AtMost returns the bounds up to x.
func AtMost(x float64) Bounds { return Between(math.Inf(-1), x) }

// Between returns the bounds from a to b.
func Between(a, b float64) Bounds { return Bounds{a, b, true} }

// Near returns the bounds that lie a share of x around it.
func Near(x, share float64) Bounds { return Between(x-math.Abs(x)*share, x+math.Abs(x)*share) }

// Exactly returns the bounds that x alone keeps.
func Exactly(x float64) Bounds { return Between(x, x) }

// Hold reports whether x lies within b.
func (b Bounds) Hold(x float64) bool { return x >= b.least && x <= b.most }

func (e Expected) validate() error {
	b := e.Within
	switch {
	case e.Name == "":
		return errors.New("it has no name")
	case e.Tolerance.given && (e.Paper == nil || !e.Tolerance.Hold(*e.Paper)):
		return errors.New("its tolerance is around no value of the paper")
	case e.Reason != "" && !e.Tolerance.given:
		return errors.New("it has a reason to differ, and no tolerance")
	case e.Aside && (b.given || e.Worst):
		return errors.New("it is reported aside, and has bounds")
	case e.Aside:
		return nil
	case !b.given || math.IsInf(b.least, -1) && math.IsInf(b.most, 1):
		return errors.New("it has no bounds")
	case math.IsNaN(b.least) || math.IsNaN(b.most) || b.least > b.most:
		return errors.New("its bounds hold for nothing")
	}
	return nil
}

// worst returns which of values is nearest to breaking the bounds, or breaks them most.
func (b Bounds) worst(values []float64) float64 {
	room := func(x float64) float64 { return min(x-b.least, b.most-x) }
	worst := values[0]
	for _, x := range values[1:] {
		if room(x) < room(worst) {
			worst = x
		}
	}
	return worst
}
