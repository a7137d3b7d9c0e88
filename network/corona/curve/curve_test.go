package curve

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// drawChannels draws channels as a network may have them.
func drawChannels(t *rapid.T) []Channel {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Channel {
		return Channel{
			Worth: math.Exp(rapid.Float64Range(0, 9).Draw(t, "worth")),
			Cost:  math.Exp(rapid.Float64Range(0, 5).Draw(t, "cost")),
			Most:  math.Exp(rapid.Float64Range(0, 7).Draw(t, "most")),
		}
	}), 20, 300).Draw(t, "channels")
}

// used returns the load, and the delay, with a multiplier.
func used(all []Channel, x float64) (load, delay float64) {
	for _, c := range all {
		load += c.Cost * c.Pollers(x)
		delay += c.Worth / c.Pollers(x)
	}
	return load, delay
}

// The use of a solution reaches the limit within the blur of the bins. No other way to use as much, with a poller moved
// from one channel to another, has less delay.
func TestSolutionIsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := drawChannels(t)
		least, _ := used(all, 0)
		most, _ := used(all, math.Inf(1))
		limit := least + (most-least)*rapid.Float64Range(0.05, 0.95).Draw(t, "part")
		var s Sum
		for i, c := range all {
			s.AddLoad(c, 0)
			if i%7 == 0 { // part of it as another node sends it
				var other Sum
				other.Add(ptr(s.Curve()))
				s = other
			}
		}
		s.AddFixed(0, limit)
		x := s.Solve(1)
		load, _ := used(all, x)
		if math.Abs(load-limit) > 0.02*(limit+most/50) {
			t.Fatalf("%.2f is used, the limit is %.2f of %.2f to %.2f", load, limit, least, most)
		}
		i, j := rapid.IntRange(0, len(all)-1).Draw(t, "from"), rapid.IntRange(0, len(all)-1).Draw(t, "to")
		a, b := all[i], all[j]
		na, nb := a.Pollers(x), b.Pollers(x)
		moved := rapid.Float64Range(0.01, 0.5).Draw(t, "moved") * na // pollers of a
		na2, nb2 := na-moved, nb+moved*a.Cost/b.Cost
		if i != j && na2 >= 1 && nb2 <= b.Most && a.Worth/na2+b.Worth/nb2 < (a.Worth/na+b.Worth/nb)*(1-1e-9) {
			t.Fatalf("%v would do better with %.2f than %.2f, %v with %.2f than %.2f", a, na2, na, b, nb2, nb)
		}
	})
}

// A limit of delay is met as well, with the least load.
func TestDelayIsMet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := drawChannels(t)
		_, most := used(all, 0)
		_, least := used(all, math.Inf(1))
		limit := least + (most-least)*rapid.Float64Range(0.05, 0.95).Draw(t, "part")
		var s Sum
		for _, c := range all {
			s.AddDelay(c, 0)
		}
		s.AddFixed(0, limit)
		if _, delay := used(all, 1/s.Solve(1)); math.Abs(delay-limit) > 0.02*(limit+most/50) {
			t.Fatalf("the delay is %.2f, the limit %.2f of %.2f to %.2f", delay, limit, least, most)
		}
	})
}

// Where all that can be used may be, all is; where less than the least may be, the least is.
func TestEnds(t *testing.T) {
	var s Sum
	s.AddLoad(Channel{Worth: 7, Cost: 1, Most: 7}, 7)
	s.AddLoad(Channel{Worth: 7, Cost: 1, Most: 7}, 7)
	if x := s.Solve(1); !math.IsInf(x, 1) {
		t.Errorf("the multiplier is %v where all may poll", x)
	}
	if x := s.Solve(0.1); (Channel{Worth: 7, Cost: 1, Most: 7}).Pollers(x) != 1 {
		t.Errorf("the multiplier is %v if less may be used than one poller needs", x)
	}
	var none Sum
	if x := none.Solve(1); !math.IsInf(x, 1) {
		t.Errorf("the multiplier of no channels is %v", x)
	}
}

// What cannot be is refused, and nothing else.
func TestValidate(t *testing.T) {
	good := Curve{Base: 1, Limit: 2, Rises: []Kink{{1, 1, 1}, {5, 1, 1}}, Falls: []Kink{{9, 2, 2}}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for _, bad := range []Curve{
		{Base: -1}, {Base: math.NaN()}, {Limit: math.Inf(1)}, {Rises: []Kink{{5, 1, 1}, {5, 1, 1}}},
		{Falls: []Kink{{bins, 1, 1}}},
		{Rises: []Kink{{1, -1, 1}}}, {Falls: []Kink{{1, 1, float32(math.NaN())}}},
	} {
		if bad.Validate() == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

func ptr[T any](v T) *T { return &v }
