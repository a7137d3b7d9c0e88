package astrolabe

import (
	"math"
	"slices"

	"tidings/network/astrolabe/attr"
)

// bearing is where a node lies in the plane of coordinates, and what its row announces of that.
type bearing struct {
	coordinates Coordinates // nil: that is not known
	announced   attr.Row    // nil: nothing yet
}

// position returns the attributes that say where the node lies, in microseconds and rounded to milliseconds; nil: that
// is not known.
func (b *bearing) position() attr.Row {
	if b.coordinates == nil {
		return nil
	}
	c := b.coordinates.Coordinate()
	if c.IsZero() || c.Validate(len(c.Vector)) != nil {
		return nil
	}
	place := attr.Row{{Name: "h", Value: attr.Float(1000 * math.Round(float64(c.Height)/1000))}}
	for i, name := range dimensions[:min(len(c.Vector), len(dimensions))] {
		place = append(place,
			attr.Attribute{Name: name, Value: attr.Float(1000 * math.Round(float64(c.Vector[i])/1000))})
	}
	return place
}

// near is by how much, in microseconds, each number of a place may be off before the node announces the new one.
const near = 10_000

// announce returns the position that the node's row announces: the former one, as long as that is about right.
// Coordinates never come quite to rest, and a row with a changed content has to be sent whole.
func (b *bearing) announce() attr.Row {
	here := b.position()
	if here != nil && (b.announced == nil || slices.ContainsFunc(here,
		func(a attr.Attribute) bool { return math.Abs(a.Value.Real-b.announced.Get(a.Name).Real) > near })) {
		b.announced = here
	}
	return b.announced
}

// dimensions are the attributes of a place in the plane of coordinates, beside h, its height above it.
var dimensions = []string{"x", "y", "z"}

// apart returns how far two places are apart, in microseconds; places that are not known are far.
func apart(a, b attr.Row) float64 {
	h, ok := b.Get("h").Number()
	if !ok {
		return math.Inf(1)
	}
	sum := 0.0
	for _, name := range dimensions {
		x, _ := a.Get(name).Number()
		y, _ := b.Get(name).Number()
		sum += (x - y) * (x - y)
	}
	own, _ := a.Get("h").Number()
	return math.Sqrt(sum) + own + h
}
