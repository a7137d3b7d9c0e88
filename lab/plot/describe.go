package plot

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxNamed is how many bars a description names one by one.
const maxNamed = 8

// Describe says in sentences what is seen in the plot, for people that do not see it. It says where each series begins
// and ends, and how far it goes up and down between.
func (p Plot) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. Across: %s; upwards: %s.", p.Title, p.X.title(), p.Y.title())
	for _, s := range p.Series {
		if len(s.Points) > 0 {
			fmt.Fprintf(&b, " %s: %s.", s.Label, p.seen(s))
		}
	}
	for _, r := range p.Said {
		fmt.Fprintf(&b, " A dashed line: %s.", r.Label)
	}
	return b.String()
}

func (p Plot) seen(s Series) string {
	points := s.Points
	switch {
	case s.Kind == Bars && len(points) <= maxNamed:
		parts := make([]string, len(points))
		for i, at := range points {
			parts[i] = fmt.Sprintf("%s at %s", spoken(at.Y), spoken(at.X))
		}
		return strings.Join(parts, ", ")
	case s.Kind == Steps && p.Y.Share:
		return fmt.Sprintf("half are at most %s, 99 %% at most %s, the last %s", spoken(reached(points, 0.5)),
			spoken(reached(points, 0.99)), spoken(points[len(points)-1].X))
	}
	byY := func(a, b Point) int {
		switch {
		case a.Y < b.Y:
			return -1
		case a.Y > b.Y:
			return 1
		}
		return 0
	}
	least, most := slices.MinFunc(points, byY), slices.MaxFunc(points, byY)
	if s.Kind == Dots {
		return fmt.Sprintf("%d points between %s and %s", len(points), spoken(least.Y), spoken(most.Y))
	}
	first, last := points[0], points[len(points)-1]
	text := fmt.Sprintf("from %s at %s to %s at %s", spoken(first.Y), spoken(first.X), spoken(last.Y), spoken(last.X))
	if most.Y > max(first.Y, last.Y) {
		text += fmt.Sprintf(", at most %s at %s", spoken(most.Y), spoken(most.X))
	}
	if least.Y < min(first.Y, last.Y) {
		text += fmt.Sprintf(", at least %s at %s", spoken(least.Y), spoken(least.X))
	}
	return text
}

// reached returns where a distribution comes to a share.
func reached(points []Point, share float64) float64 {
	for _, at := range points {
		if at.Y >= share {
			return at.X
		}
	}
	return points[len(points)-1].X
}

// spoken writes x to three digits, without an exponent where it can be read so.
func spoken(x float64) string {
	size := math.Abs(x)
	if size < 1e-4 || size >= 1e15 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(size)))
	return strconv.FormatFloat(math.Round(x*scale)/scale, 'f', -1, 64)
}
