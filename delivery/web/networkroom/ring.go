package networkroom

import (
	"fmt"
	"math"
	"strings"

	"tidings/delivery/web/wording"

	"tidings/view"
)

// The drawing of the ring is a circle on which every node has its place, clockwise by ID. It is turned so that this
// node is at the top. Measures are in the drawing's own unit, which is a CSS pixel if there is room.
const (
	ringWidth  = 440.0
	ringHeight = 408.0
	ringCentre = 220.0 // from the left and from above
	ringRadius = 170.0
	tickRadius = ringRadius - 15 // of the digits inside
	dotMargin  = 8.0             // from a node's place to where its leader begins
)

// ring is what the drawing is made of. Neighbours come in their order around the ring.
type ring struct {
	Width, Height  coord
	Centre, Radius coord
	Top            coord  // where this node is, below the upper edge
	Nodes          string // how many, "" if this node is alone
	Guess          bool   // and no more than about so many
	Self           string // this node's ID
	Reach          string // path over the part of the ring that the leaf set spans
	Ticks          []tick
	Near, Known    []dot
}

// coord is a length in the drawing.
type coord float64

func (c coord) String() string { return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(c)), ".0") }

// tick is where the IDs begin that have a certain first digit.
type tick struct {
	Digit                    string
	X1, Y1, X2, Y2, AtX, AtY coord
}

// dot is a node on the ring.
type dot struct {
	view.Peer
	X, Y  coord
	Turn  string // from this node, for the script, which steps from node to node
	Line  string // path from this node, "" if they are not connected
	Label *label
}

// turn returns the distance from one place on the ring to another. It is in turns from -0.5 up to 0.5, clockwise
// positive.
func turn(place, from float64) float64 {
	d := place - from
	return d - math.Floor(d+0.5)
}

// polar returns the point at an angle, clockwise from the top in radians, and a distance
// from the centre.
func polar(angle, radius float64) (x, y coord) {
	return coord(ringCentre + radius*math.Sin(angle)), coord(ringCentre - radius*math.Cos(angle))
}

func angleOf(position, self float64) float64 { return 2 * math.Pi * turn(position, self) }

func drawRing(n view.Network, near, known []peerRow) ring {
	r := ring{Width: ringWidth, Height: ringHeight, Centre: ringCentre, Radius: ringRadius,
		Top: ringCentre - ringRadius, Self: n.ID}
	if len(near) > 0 {
		r.Nodes, r.Guess = wording.Nodes(n)
		r.Reach = spanPath(n, near)
	}
	for digit := range 16 {
		r.Ticks = append(r.Ticks, tickAt(digit, n.Position))
	}
	for _, p := range known {
		r.Known = append(r.Known, dotAt(p.Peer, n.Position))
	}
	for _, p := range near {
		r.Near = append(r.Near, dotAt(p.Peer, n.Position))
	}
	setLabels(r.Near, n.Position)
	return r
}

func tickAt(digit int, self float64) tick {
	angle := angleOf(float64(digit)/16, self)
	t := tick{Digit: fmt.Sprintf("%x", digit)}
	t.X1, t.Y1 = polar(angle, ringRadius-4)
	t.X2, t.Y2 = polar(angle, ringRadius+4)
	t.AtX, t.AtY = polar(angle, tickRadius)
	return t
}

func dotAt(p view.Peer, self float64) dot {
	angle := angleOf(p.Position, self)
	d := dot{Peer: p, Turn: fmt.Sprintf("%.6f", turn(p.Position, self))}
	d.X, d.Y = polar(angle, ringRadius)
	if p.Connected {
		d.Line = linePath(angle)
	}
	return d
}

// linePath returns the path from this node to the one at an angle: an arc that bends
// inwards, the farther away the deeper, until opposite nodes are joined by a straight line.
func linePath(angle float64) string {
	bend := min(0.4, 0.9*math.Abs(angle))
	x0, y0 := polar(0, ringRadius)
	xc, yc := polar(angle/2, ringRadius*math.Cos(angle/2)*(1-bend))
	x, y := polar(angle, ringRadius)
	return fmt.Sprintf("M%v %vQ%v %v %v %v", x0, y0, xc, yc, x, y)
}

// spanPath returns the part of the circle from the farthest neighbour below to the
// farthest above; "" if the neighbours are all the nodes there are.
func spanPath(n view.Network, near []peerRow) string {
	if n.Nodes <= len(near)+1 {
		return ""
	}
	from, to := 0.0, 0.0
	for _, p := range near {
		angle := angleOf(p.Position, n.Position)
		from, to = min(from, angle), max(to, angle)
	}
	x1, y1 := polar(from, ringRadius)
	x2, y2 := polar(to, ringRadius)
	large := 0
	if to-from > math.Pi {
		large = 1
	}
	return fmt.Sprintf("M%v %vA%v %v 0 %d 1 %v %v", x1, y1, coord(ringRadius), coord(ringRadius), large, x2, y2)
}

// band is a class of round trips that are drawn alike.
type band struct{ Class, Name string }

// bands returns the classes from near to far, with what is not measured last.
func bands(w wording.Words) []band {
	return []band{{"r0", w.Text("below 20 ms")}, {"r1", "20–80 ms"}, {"r2", "80–200 ms"},
		{"r3", w.Text("200 ms or more")}, {"rx", w.Text("not measured")}}
}

// bandOf returns the class of a round trip of so many milliseconds.
func bandOf(ms float64) string {
	switch {
	case ms <= 0:
		return "rx"
	case ms < 20:
		return "r0"
	case ms < 80:
		return "r1"
	case ms < 200:
		return "r2"
	}
	return "r3"
}
