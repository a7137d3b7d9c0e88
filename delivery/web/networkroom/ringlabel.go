package networkroom

import (
	"fmt"
	"math"
	"strings"
)

const (
	labelRadius = ringRadius + 34 // of the circle that labels stand along
	labelGap    = 19.0            // between the lines of two labels
	labelTop    = ringCentre - labelRadius + 20
	labelBottom = ringHeight - 4
	maxLabels   = 20 // on one side: as many as fit
)

// label is the text beside a node, and the line that leads to it.
type label struct {
	X, Y   coord
	Left   bool // it ends at X, and begins there otherwise
	Leader string
}

// setLabels sets the labels of neighbours: those below this node on the left side, the others on the right. Each is as
// near to its node as the others leave room.
func setLabels(near []dot, self float64) {
	var left, right []int // from the top down
	for i := range near {
		if angleOf(near[i].Position, self) < 0 {
			left = append([]int{i}, left...)
		} else {
			right = append(right, i)
		}
	}
	for _, side := range [][]int{left, right} {
		side = side[:min(len(side), maxLabels)]
		wanted := make([]float64, len(side))
		for i, at := range side {
			wanted[i] = ringCentre - labelRadius*math.Cos(angleOf(near[at].Position, self))
		}
		for i, y := range spread(wanted, labelGap, labelTop, labelBottom) {
			d := &near[side[i]]
			d.Label = labelAt(angleOf(d.Position, self), y)
		}
	}
}

// labelAt returns the label of the node at an angle, in the line at height y.
func labelAt(angle, y float64) *label {
	l := label{Left: angle < 0}
	at := math.Acos(max(-1, min(1, (ringCentre-y)/labelRadius)))
	if l.Left {
		at = -at
	}
	l.X, l.Y = polar(at, labelRadius)
	l.Leader = spiral(angle, ringRadius+dotMargin, at, labelRadius)
	return &l
}

// spiral returns the path from one angle and distance to another. Spirals never cross if their ends come in the same
// order.
func spiral(angle, radius, toAngle, toRadius float64) string {
	const step = math.Pi / 45
	n := 1 + int(math.Abs(toAngle-angle)/step)
	var path strings.Builder
	for i := range n + 1 {
		part := float64(i) / float64(n)
		x, y := polar(angle+part*(toAngle-angle), radius+part*(toRadius-radius))
		fmt.Fprintf(&path, "%c%v %v", "ML"[min(i, 1)], x, y)
	}
	return path.String()
}

// spread moves rising heights until they are gap apart and within the bounds. It moves them by the least sum of
// squares. There must be room for all.
func spread(wanted []float64, gap, top, bottom float64) []float64 {
	// After i gaps are subtracted from the i-th, "gap apart" is "not falling". The nearest such row results from
	// averaging neighbours that fall (pool adjacent violators).
	type pool struct {
		sum float64
		n   int
	}
	var pools []pool
	for i, y := range wanted {
		p := pool{y - float64(i)*gap, 1}
		for len(pools) > 0 {
			last := pools[len(pools)-1]
			if last.sum*float64(p.n) <= p.sum*float64(last.n) {
				break
			}
			p.sum, p.n = p.sum+last.sum, p.n+last.n
			pools = pools[:len(pools)-1]
		}
		pools = append(pools, p)
	}
	bottom -= float64(len(wanted)-1) * gap
	var placed []float64
	for _, p := range pools {
		for range p.n {
			placed = append(placed, max(top, min(bottom, p.sum/float64(p.n)))+float64(len(placed))*gap)
		}
	}
	return placed
}
