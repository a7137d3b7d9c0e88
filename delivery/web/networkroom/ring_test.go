package networkroom

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tidings/delivery/web/shell"
	"tidings/delivery/web/wording"
	"tidings/view"
)

func TestTurn(t *testing.T) {
	for _, c := range []struct{ place, from, want float64 }{
		{0.3, 0.3, 0}, {0.4, 0.3, 0.1}, {0.2, 0.3, -0.1}, {0.05, 0.95, 0.1}, {0.95, 0.05, -0.1}, {0.8, 0.3, -0.5},
		{0.3, 0.8, -0.5},
	} {
		if got := turn(c.place, c.from); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("from %v to %v it is %v, want %v", c.from, c.place, got, c.want)
		}
	}
}

// What is spread keeps its order, its distance and its bounds, and moves no more than it
// must: a row that fits is left alone.
func TestSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const gap, top, bottom = 19, 30, 400
		wanted := rapid.SliceOfN(rapid.Float64Range(0, 440), 0, 20).Draw(t, "wanted")
		slices.Sort(wanted)
		got := spread(wanted, gap, top, bottom)
		if len(got) != len(wanted) {
			t.Fatalf("%d became %d", len(wanted), len(got))
		}
		fits := true
		for i := range got {
			if got[i] < top-1e-9 || got[i] > bottom+1e-9 || i > 0 && got[i]-got[i-1] < gap-1e-9 {
				t.Fatalf("spread(%v) = %v", wanted, got)
			}
			fits = fits && wanted[i] >= top && wanted[i] <= bottom && (i == 0 || wanted[i]-wanted[i-1] >= gap)
		}
		if !fits {
			return
		}
		for i := range got {
			if math.Abs(got[i]-wanted[i]) > 1e-9 {
				t.Fatalf("%v fits and became %v", wanted, got)
			}
		}
	})
}

// Of two labels that want one place, each gives way by the same.
func TestSpreadIsFair(t *testing.T) {
	if got := spread([]float64{100, 100, 300}, 20, 0, 400); !slices.Equal(got, []float64{90, 110, 300}) {
		t.Errorf("got %v", got)
	}
}

// For any positions of the neighbours, no label lies on another, on the name of this node or on the circle. The labels
// of one side come in the order of their nodes.
func TestLabelsNeverOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		self := rapid.Float64Range(0, 0.999).Draw(t, "self")
		var near []dot
		for _, d := range rapid.SliceOfN(rapid.Float64Range(-0.4999, 0.4999), 0, 2*maxLabels+4).Draw(t, "turns") {
			place := self + d
			near = append(near, dotAt(view.Peer{Position: place - math.Floor(place)}, self))
		}
		slices.SortFunc(near, func(a, b dot) int {
			return int(math.Copysign(1, turn(a.Position, self)-turn(b.Position, self)))
		})
		setLabels(near, self)
		count, last := map[bool]int{}, map[bool]coord{true: 1000, false: -1000}
		for _, d := range near {
			l := d.Label
			if l == nil {
				continue
			}
			count[l.Left]++
			if l.Left != (angleOf(d.Position, self) < 0) {
				t.Fatalf("the label of a node at %v is on the wrong side", d.Position)
			}
			// Below this node we come up towards it, above it we go down.
			if gap := l.Y - last[l.Left]; l.Left && -gap < labelGap-0.2 || !l.Left && gap < labelGap-0.2 {
				t.Fatalf("labels at heights %v and %v", last[l.Left], l.Y)
			}
			last[l.Left] = l.Y
			if far := math.Hypot(float64(l.X-ringCentre), float64(l.Y-ringCentre)); math.Abs(far-labelRadius) > 0.2 {
				t.Fatalf("a label is %v from the centre, want %v", far, labelRadius)
			}
			if l.Y < 40 && math.Abs(float64(l.X-ringCentre)) < 68 {
				t.Fatalf("the label at %v, %v lies on this node's name", l.X, l.Y)
			}
		}
		if count[true] > maxLabels || count[false] > maxLabels {
			t.Fatalf("%v labels", count)
		}
	})
}

// A leader begins beside its node and ends at its label.
func TestLeaders(t *testing.T) {
	n, peers := sampleNetwork(60)
	for _, d := range placed(n, peers).Ring.Near {
		points := strings.FieldsFunc(d.Label.Leader, func(r rune) bool { return r == 'M' || r == 'L' })
		at := func(i int) (x, y float64) {
			a, b, _ := strings.Cut(points[i], " ")
			return must(strconv.ParseFloat(a, 64)), must(strconv.ParseFloat(b, 64))
		}
		x, y := at(0)
		if far := math.Hypot(x-float64(d.X), y-float64(d.Y)); math.Abs(far-dotMargin) > 0.2 {
			t.Errorf("the leader of %s begins %v from it", d.ID, far)
		}
		if x, y := at(len(points) - 1); math.Hypot(x-float64(d.Label.X), y-float64(d.Label.Y)) > 0.2 {
			t.Errorf("the leader of %s ends at %v, %v, not at its label", d.ID, x, y)
		}
	}
}

func TestRing(t *testing.T) {
	for _, c := range []struct {
		nodes       int
		near, known int
		said        string
		span        bool
	}{{1, 0, 0, "", false}, {2, 1, 0, "2", false}, {6, 5, 0, "6", false}, {17, 16, 0, "17", false},
		{60, 16, 43, "about 60", true}, {100_000, 16, 16, "about 100,000", true}} {
		n, peers := sampleNetwork(c.nodes)
		r := placed(n, peers).Ring
		said := r.Nodes
		if r.Guess {
			said = "about " + said
		}
		if len(r.Near) != c.near || len(r.Known) != c.known || said != c.said || (r.Reach != "") != c.span ||
			len(r.Ticks) != 16 {
			t.Errorf("of %d nodes %d and %d are drawn, %q, span %q", c.nodes, len(r.Near), len(r.Known), said, r.Reach)
		}
		for _, d := range append(r.Near, r.Known...) {
			if far := math.Hypot(float64(d.X-ringCentre), float64(d.Y-ringCentre)); math.Abs(far-ringRadius) > 0.2 {
				t.Errorf("%s is %v from the centre", d.ID, far)
			}
			if (d.Line != "") != d.Connected {
				t.Errorf("%s is connected: %v, and its line is %q", d.ID, d.Connected, d.Line)
			}
		}
	}
}

// Neighbours are counted away from this node, and it stands among them.
func TestSteps(t *testing.T) {
	n, peers := sampleNetwork(60)
	var steps []int
	for _, row := range placed(n, peers).Near {
		if row.Self != (row.Steps == 0) || row.Self != (row.ID == n.ID) {
			t.Errorf("%d steps away is %s", row.Steps, row.ID)
		}
		steps = append(steps, row.Steps)
	}
	if want := []int{-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(steps, want) {
		t.Errorf("steps %v", steps)
	}
}

// However many nodes are known, and however often one is listed, a bounded number is drawn.
func TestDrawnNodesAreBounded(t *testing.T) {
	n, peers := sampleNetwork(100)
	first := peers[20]
	for i := range 1000 {
		first.ID = strconv.Itoa(i / 2)
		peers = append(peers, first)
	}
	p := placed(n, peers)
	if len(p.Ring.Near)+len(p.Ring.Known) != maxPeers || p.More != 99+500-maxPeers {
		t.Errorf("%d and %d drawn, %d more", len(p.Ring.Near), len(p.Ring.Known), p.More)
	}
}

var bandColour = regexp.MustCompile(`--r(\d): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)`)

// The colours of round trips stand out from the paper, and from each other for every eye:
// with the usual three cones, and with each one of them missing.
func TestBandsAreToldApart(t *testing.T) {
	css := string(shell.Assets["style.css"].Body)
	found := bandColour.FindAllStringSubmatch(css, -1)
	if len(found) != len(bands(wording.Words{}))-1 {
		t.Fatalf("%d colours for %d bands", len(found), len(bands(wording.Words{}))-1)
	}
	for theme, paper := range []string{"fdfcfa", "17191b"} {
		if !strings.Contains(css, paper) {
			t.Fatalf("the paper is not #%s", paper)
		}
		for i, a := range found {
			if c := contrast(linear(a[2+theme]), linear(paper)); c < 3 {
				t.Errorf("#%s has a contrast of %.1f on #%s", a[2+theme], c, paper)
			}
			for _, b := range found[i+1:] {
				for eye, matrix := range eyes {
					if d := apart(matrix.see(linear(a[2+theme])), matrix.see(linear(b[2+theme]))); d < 15 {
						t.Errorf("for %s #%s and #%s are %.0f apart", eye, a[2+theme], b[2+theme], d)
					}
				}
			}
		}
	}
}

type colour [3]float64 // linear red, green, blue

type eye [3]colour

// eyes are the simulations of Machado, Oliveira and Fernandes, "A Physiologically-based
// Model for Simulation of Color Vision Deficiency" (2009), at full severity.
var eyes = map[string]eye{
	"trichromats":  {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopes":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopes": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopes":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func (e eye) see(c colour) (seen colour) {
	for i, row := range e {
		seen[i] = max(0, min(1, row[0]*c[0]+row[1]*c[1]+row[2]*c[2]))
	}
	return seen
}

func linear(hex string) (c colour) {
	for i := range c {
		v := float64(must(strconv.ParseUint(hex[2*i:2*i+2], 16, 8))) / 255
		if c[i] = v / 12.92; v > 0.04045 {
			c[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return c
}

func (c colour) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// contrast is that of WCAG 2.
func contrast(a, b colour) float64 {
	l, m := a.luminance(), b.luminance()
	return (max(l, m) + 0.05) / (min(l, m) + 0.05)
}

// apart is the distance of two colours in CIELAB (1976), in which 2.3 is just noticeable.
func apart(a, b colour) float64 {
	lab := func(c colour) (l colour) {
		f := func(v float64) float64 {
			if v > 0.008856 {
				return math.Cbrt(v)
			}
			return 7.787*v + 16.0/116
		}
		x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505)
		y := f(c.luminance())
		z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
		return colour{116*y - 16, 500 * (x - y), 200 * (y - z)}
	}
	p, q := lab(a), lab(b)
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}
