package plot

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis      Axis
		low, high float64
		want      string
	}{
		{Axis{}, 0, 1, "0 0.2 0.4 0.6 0.8 1.0"},
		{Axis{}, 0, 7, "0 1 2 3 4 5 6 7"},
		{Axis{}, -0.15, 0.2, "−0.15 −0.10 −0.05 0 0.05 0.10 0.15 0.20"},
		{Axis{}, 0, 1000, "0 200 400 600 800 1000"},
		{Axis{}, 0, 20_000, "0 5k 10k 15k 20k"},
		{Axis{}, 0, 4_500_000, "0 1M 2M 3M 4M"},
		{Axis{Log: true}, 1, 20_000, "1 10 100 1k 10k"},
		{Axis{Log: true}, 8, 1100, "10 100 1000"},
		{Axis{Log: true}, 100_000, 2_000_000, "100k 200k 500k 1M 2M"},
		{Axis{Log: true}, 0.001, 0.5, "0.001 0.01 0.1"},
		{Axis{Log: true}, 2.1, 4.5, "2.5 3.0 3.5 4.0 4.5"},
	} {
		var labels []string
		for _, tick := range c.axis.ticks(span{c.low, c.high, stepFor(c.high - c.low)}) {
			if tick.label != "" {
				labels = append(labels, tick.label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%v to %v: got %q, want %q", c.low, c.high, got, c.want)
		}
	}
}

func TestAnyAxisHasLegibleTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := math.Pow(10, rapid.Float64Range(-9, 9).Draw(t, "low"))
		high := low * math.Pow(10, rapid.Float64Range(0.001, 9).Draw(t, "decades"))
		axis := Axis{Log: rapid.Bool().Draw(t, "log")}
		s := widen(axis, low, high, rapid.Bool().Draw(t, "zero"))
		if s.low > low*(1+1e-6) || s.high < high*(1-1e-6) {
			t.Fatalf("%v to %v shows only %v", low, high, s)
		}
		labels := 0
		for _, tick := range axis.ticks(s) {
			if tick.label != "" {
				labels++
			}
		}
		if labels > 12 || labels < 2 {
			t.Fatalf("%v has %d labels", s, labels)
		}
	})
}

func TestCDF(t *testing.T) {
	s := CDF("x", []float64{3, 1, 3, 2})
	if want := []Point{{X: 1, Y: .25}, {X: 2, Y: .5}, {X: 3, Y: 1}}; !slices.Equal(s.Points, want) {
		t.Errorf("got %v, want %v", s.Points, want)
	}
}

func TestThinKeepsTheEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := make([]Point, rapid.IntRange(0, 50_000).Draw(t, "points"))
		for i := range points {
			points[i].X = float64(i)
		}
		kept := thin(points, rapid.Bool().Draw(t, "log"))
		if len(kept) > maxDrawn+1 || len(kept) < min(len(points), maxDrawn/4) {
			t.Fatalf("%d of %d points are kept", len(kept), len(points))
		}
		if !slices.IsSortedFunc(kept, byX) || len(points) > 0 &&
			(kept[0] != points[0] || kept[len(kept)-1] != points[len(points)-1]) {
			t.Fatal("the order or the ends are lost")
		}
	})
}

// extremes is an interval that is easy to check.
func extremes(values []float64) (middle, low, high float64) {
	for _, v := range values {
		middle += v / float64(len(values))
	}
	return middle, slices.Min(values), slices.Max(values)
}

func TestMerge(t *testing.T) {
	run := func(lines, bars []Point, samples ...float64) Plot {
		return Plot{Name: "p", Series: []Series{{Label: "l", Points: lines}, {Label: "b", Kind: Bars, Points: bars},
			CDF("c", samples)}}
	}
	merged, err := Merge([]Plot{
		run([]Point{{X: 1, Y: 2}, {X: 2, Y: 5}}, []Point{{X: 0, Y: 4}}, 1, 2),
		run([]Point{{X: 1, Y: 4}}, []Point{{X: 0, Y: 4}, {X: 1, Y: 6}}, 2, 4),
	}, extremes)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]Point{
		{{1, 3, 2, 4}, {2, 5, 0, 0}},
		{{0, 4, 0, 0}, {1, 3, 0, 6}},
		{{1, .25, 0, 0}, {2, .75, 0, 0}, {4, 1, 0, 0}},
	} {
		if got := merged.Series[i].Points; !slices.Equal(got, want) {
			t.Errorf("series %d: got %v, want %v", i, got, want)
		}
	}
	other := run(nil, nil)
	other.Series[0].Label = "another"
	if _, err := Merge([]Plot{run(nil, nil), other}, extremes); err == nil {
		t.Error("plots of different series were merged")
	}
}

func TestValidateRefuses(t *testing.T) {
	good := gallery()[0]
	for name, spoil := range map[string]func(*Plot){
		"a name that is no file's":  func(p *Plot) { p.Name = "../x" },
		"no title":                  func(p *Plot) { p.Title = "" },
		"an axis without label":     func(p *Plot) { p.Y.Label = "" },
		"a sign the font lacks":     func(p *Plot) { p.X.Label = "⌈log N⌉" },
		"nothing measured":          func(p *Plot) { p.Series = nil },
		"too many series":           func(p *Plot) { p.Series = make([]Series, MaxSeries+1) },
		"a point at infinity":       func(p *Plot) { p.Series[0].Points[0].Y = math.Inf(1) },
		"a point that is no number": func(p *Plot) { p.Series[0].Points[0].X = math.NaN() },
	} {
		p := good
		p.Series = slices.Clone(p.Series)
		p.Series[0].Points = slices.Clone(p.Series[0].Points)
		spoil(&p)
		if _, err := p.SVG(); err == nil {
			t.Errorf("%s passed", name)
		}
	}
}
