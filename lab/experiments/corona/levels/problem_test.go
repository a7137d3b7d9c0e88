package levels

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestAddRefuses(t *testing.T) {
	two := []float64{1, 2}
	for what, test := range map[string]struct {
		choice Choice
		want   error
	}{
		"no levels":           {Choice{Alike: 1}, ErrLevels},
		"costs without loads": {Choice{Alike: 1, Costs: two, Loads: two[:1]}, ErrLevels},
		"a negative level":    {Choice{Alike: 1, Least: -1, Costs: two, Loads: two}, ErrLevels},
		"level 32":            {Choice{Alike: 1, Least: 31, Costs: two, Loads: two}, ErrLevels},
		"no channels":         {Choice{Costs: two, Loads: two}, ErrAlike},
		"too many channels":   {Choice{Alike: MaxAlike + 1, Costs: two, Loads: two}, ErrAlike},
		"a negative cost":     {Choice{Alike: 1, Costs: []float64{1, -1}, Loads: two}, ErrAmount},
		"a load of NaN":       {Choice{Alike: 1, Costs: two, Loads: []float64{math.NaN(), 1}}, ErrAmount},
		"an infinite load":    {Choice{Alike: 1, Costs: two, Loads: []float64{1, math.Inf(1)}}, ErrAmount},
		"a cost that is tiny": {Choice{Alike: 1, Costs: []float64{1e-101, 1}, Loads: two}, ErrAmount},
	} {
		var p Problem
		if _, err := p.Add(test.choice); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", what, err, test.want)
		}
		if p.Len() != 0 || len(p.costs) != 0 {
			t.Errorf("%s: something of it was added", what)
		}
	}
}

// At the bounds of Add nothing overflows, vanishes or becomes NaN.
func TestAmountsAtTheirBounds(t *testing.T) {
	var p Problem
	for _, c := range []Choice{
		{Alike: MaxAlike, Costs: []float64{MinAmount, MaxAmount}, Loads: []float64{MaxAmount, MinAmount}},
		{Alike: MaxAlike, Costs: []float64{0, MinAmount}, Loads: []float64{MaxAmount, 0}},
		{Alike: 1, Costs: []float64{MaxAmount, math.Nextafter(MaxAmount, 0)}, Loads: []float64{0, MinAmount}},
		{Alike: 1, Costs: []float64{MinAmount, math.Nextafter(MinAmount, 1)}, Loads: []float64{MaxAmount, 0}},
	} {
		if _, err := p.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	for _, limit := range []float64{0, MinAmount, 1, MaxAmount / 2, MaxAmount, 1e116, math.MaxFloat64} {
		s := p.Solve(limit)
		for _, x := range []float64{s.Within.Cost, s.Within.Load, s.Beyond.Cost, s.Beyond.Load} {
			if !(x >= 0 && x <= math.MaxFloat64) {
				t.Errorf("limit %g: %+v", limit, s)
			}
		}
		if s.Feasible && s.Within.Load > limit {
			t.Errorf("limit %g: load %g", limit, s.Within.Load)
		}
	}
}

// What is chosen where there is not much to choose.
func TestSmallProblems(t *testing.T) {
	for what, test := range map[string]struct {
		choice Choice
		limit  float64
		level  int
	}{
		"one level":                  {Choice{Alike: 1, Least: 7, Costs: []float64{3}, Loads: []float64{2}}, 5, 7},
		"equal levels: the greatest": {Choice{Alike: 1, Costs: []float64{3, 3, 3}, Loads: []float64{2, 2, 2}}, 5, 2},
		"equal twins on the hull":    {Choice{Alike: 1, Costs: []float64{1, 1, 3}, Loads: []float64{4, 4, 2}}, 5, 1},
		"no cost to save":            {Choice{Alike: 1, Costs: []float64{0, 0}, Loads: []float64{4, 2}}, 5, 1},
		"cost to save for nothing":   {Choice{Alike: 1, Costs: []float64{1, 3}, Loads: []float64{2, 2}}, 2, 0},
		"above the hull, never chosen": {Choice{Alike: 1, Costs: []float64{0, 9, 10}, Loads: []float64{10, 5, 0}}, 9,
			2},
		"on the hull's edge":         {Choice{Alike: 1, Costs: []float64{0, 5, 10}, Loads: []float64{10, 5, 0}}, 9, 1},
		"limit reached exactly":      {Choice{Alike: 1, Costs: []float64{0, 5, 10}, Loads: []float64{10, 5, 0}}, 10, 0},
		"least load reached exactly": {Choice{Alike: 1, Costs: []float64{0, 5}, Loads: []float64{10, 5}}, 5, 1},
		"load rises with the level":  {Choice{Alike: 1, Costs: []float64{8, 4, 2}, Loads: []float64{1, 2, 3}}, 2.5, 1},
		"nothing keeps the limit":    {Choice{Alike: 1, Costs: []float64{0, 5}, Loads: []float64{10, 5}}, 4, 1},
		"a limit of NaN": {Choice{Alike: 1, Costs: []float64{0, 5}, Loads: []float64{10, 5}},
			math.NaN(), 1},
		"no limit": {Choice{Alike: 1, Costs: []float64{0, 5}, Loads: []float64{10, 5}}, math.Inf(1), 0},
	} {
		p := problem(t, []Choice{test.choice})
		if s := p.Solve(test.limit); s.Level(0) != test.level {
			t.Errorf("%s: level %d, want %d", what, s.Level(0), test.level)
		}
	}
}

func TestNoChannels(t *testing.T) {
	var p Problem
	if s := p.Solve(0); !s.Feasible || s.Within != (Totals{}) || s.Step.Channel != -1 {
		t.Errorf("without channels: %+v", s)
	}
	if s := p.Solve(-1); s.Feasible {
		t.Error("no load is below -1")
	}
}

func TestResetForgetsChannels(t *testing.T) {
	var p Problem
	limit := fillRandom(t, &p, 1000, 11)
	want := p.Solve(limit)
	for range 2 { // fillRandom resets
		if again := fillRandom(t, &p, 1000, 11); again != limit {
			t.Fatalf("the limit became %v, was %v", again, limit)
		}
		got := p.Solve(limit)
		if got.Within != want.Within || got.Step != want.Step || !slices.Equal(got.levels, want.levels) {
			t.Fatalf("after Reset: %+v, before: %+v", got, want)
		}
	}
}

// Solving needs memory for the levels and some buckets, and Add none once there is room.
func TestNoMemoryForEachChannel(t *testing.T) {
	var p Problem
	limit := fillRandom(t, &p, 20_000, 11)
	if n := testing.AllocsPerRun(3, func() { p.Solve(limit) }); n > 16 {
		t.Errorf("solving for 20,000 channels allocates %v times", n)
	}
	if n := testing.AllocsPerRun(3, func() { fillRandom(t, &p, 20_000, 11) }); n > 16 {
		t.Errorf("adding 20,000 channels again allocates %v times", n)
	}
	p = Problem{}
	p.Grow(20_000, 11)
	room := [...]int{cap(p.costs), cap(p.ends)}
	fillRandom(t, &p, 20_000, 11)
	if room != [...]int{cap(p.costs), cap(p.ends)} {
		t.Error("Grow did not make room")
	}
}
