package levels

import (
	"fmt"
	"math"
	"testing"
	"time"

	"tidings/network/honeycomb"

	"pgregory.net/rapid"
)

// near reports whether two numbers are equal but for rounding and the 24 bits of weights.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(math.Abs(a), math.Abs(b)) }

// The formulas of Table 1, for two channels, one of them changing often, with levels set by hand:
// what a solution says it costs and loads is what they say.
func TestPlanFollowsTable1(t *testing.T) {
	channels := []honeycomb.Factors{
		{Subscribers: 30, Size: 4000, Update: time.Hour}, {Subscribers: 500, Size: 100_000, Update: 48 * time.Hour},
	}
	pollers := []float64{16, 4}
	const tau = 1800.
	levels := []int{2, 4}
	delay := func(weight func(u float64) float64) (sum float64) { // Σ q·w·b^l/N
		for i, c := range channels {
			sum += float64(c.Subscribers) * weight(c.Update.Seconds()) / pollers[i]
		}
		return sum
	}
	load := 4000*16. + 100_000*4.
	due := 30*4000. + 500*100_000.
	one := func(float64) float64 { return 1 }
	for _, test := range []struct {
		policy honeycomb.Policy
		want   Totals
		limit  float64
	}{
		{honeycomb.Policy{}, Totals{delay(one), load}, due},
		{honeycomb.Policy{Goal: honeycomb.Fast, Target: 2 * time.Minute},
			Totals{load, tau / 2 * delay(one)}, 120 * 530},
		{honeycomb.Policy{Goal: honeycomb.Fair}, Totals{delay(func(u float64) float64 { return tau / (2 * u) }), load},
			due},
		{honeycomb.Policy{Goal: honeycomb.FairSqrt},
			Totals{delay(func(u float64) float64 { return math.Sqrt(tau) / math.Sqrt(u) }), load},
			due},
		{honeycomb.Policy{Goal: honeycomb.FairLog},
			Totals{delay(func(u float64) float64 { return math.Log(tau) / math.Log(u) }), load},
			due},
		{honeycomb.Policy{Goal: honeycomb.Legacy}, Totals{530, due}, due},
	} {
		m := Default()
		m.Policy = test.policy
		w := m.Nominal(64, 7)
		p := NewPlan(m)
		for i, c := range channels {
			if index := p.Channel(c, &w, levels[i], levels[i]); index != i {
				t.Fatalf("channel %d has index %d", i, index)
			}
		}
		s := p.Solve()
		if !near(p.Limit(), test.limit) || !near(s.Within.Cost, test.want.Cost) ||
			!near(s.Within.Load, test.want.Load) {
			t.Errorf("%v: %+v at limit %v, want %+v at %v", test.policy, s.Within, p.Limit(), test.want, test.limit)
		}
		if s.Level(0) != 2 || s.Level(1) != 4 {
			t.Errorf("%v: levels %d and %d", test.policy, s.Level(0), s.Level(1))
		}
	}
}

// plans returns a valid model of each policy, in bytes and in polls.
func plans() (all []Model) {
	for _, base := range []Model{Default(), Paper()} {
		for g := range honeycomb.Legacy + 1 {
			m := base
			m.Policy.Goal = g
			if g == honeycomb.Fast {
				m.Policy.Target = 30 * time.Second
			}
			all = append(all, m)
		}
	}
	return all
}

// Whatever factors owners have and peers claim, a plan has a solution that keeps its limit or says
// that it cannot, in numbers that are finite.
func TestPlanOfAnyFactors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(plans()).Draw(t, "model")
		m.Phases = Phases(rapid.IntRange(0, 1).Draw(t, "phases"))
		counts := rapid.SliceOfN(rapid.Uint32(), 1, MaxLevels).Draw(t, "counts")
		w := m.Counted(counts)
		p := NewPlan(m)
		own := rapid.IntRange(0, 10).Draw(t, "own")
		var least, greatest []int
		for range own {
			l := rapid.IntRange(0, w.Levels()-1).Draw(t, "least")
			g := rapid.IntRange(l, w.Levels()-1).Draw(t, "greatest")
			least, greatest = append(least, l), append(greatest, g)
			p.Channel(drawFactors(t), &w, l, g)
		}
		a, _ := drawAggregate(t, m)
		p.Aggregate(&a, &w)
		s := p.Solve()
		for _, x := range []float64{s.Within.Cost, s.Within.Load, s.Beyond.Cost, s.Beyond.Load, p.Limit()} {
			if !(x >= 0 && x < math.MaxFloat64) {
				t.Fatalf("limit %v, %+v", p.Limit(), s)
			}
		}
		if s.Feasible && m.Policy.Goal != honeycomb.Legacy && s.Within.Load > p.Limit() {
			t.Fatalf("load %v above the limit %v", s.Within.Load, p.Limit())
		}
		for i := range own {
			if s.Level(i) < least[i] || s.Level(i) > greatest[i] {
				t.Fatalf("channel %d is at level %d, not %d to %d", i, s.Level(i), least[i], greatest[i])
			}
		}
	})
}

// The slack cluster uses its load of the budget and brings its own: as if its channels had been added with a single
// level each (section 4).
func TestSlackAdjustsTheLimit(t *testing.T) {
	for _, m := range plans() {
		w := m.Nominal(256, m.Levels(256))
		single := m.Counted([]uint32{3})
		with, without := NewPlan(m), NewPlan(m)
		var slack Cluster
		for i := range uint32(20) {
			f := honeycomb.Factors{Subscribers: 1 + i, Size: 1000 * (1 + i%4), Update: time.Duration(1+i) * time.Hour}
			with.Channel(f, &w, 0, w.Levels()-1)
			without.Channel(f, &w, 0, w.Levels()-1)
		}
		for i := range uint32(9) {
			f := honeycomb.Factors{Subscribers: 1 + 3*i, Size: 2000, Update: time.Hour}
			slack.Add(m.Cluster(f, 3))
			without.Channel(f, &single, 0, 0)
		}
		with.Slack(slack)
		got, want := with.Solve(), without.Solve()
		if !near(with.Limit(), without.Limit()) || !near(got.Within.Load, want.Within.Load) ||
			!near(got.Within.Cost, want.Within.Cost) {
			t.Errorf("%v: with slack %+v, limit %v; with channels %+v, limit %v",
				m.Policy, got.Within, with.Limit(), want.Within, without.Limit())
		}
	}
}

// What is in an aggregate is in the plan, no matter how it is spread: channels, loads, weights and the
// slack cluster.
func TestPlanOfAnAggregate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Default()
		w := m.Expected(100, 8)
		var a Aggregate
		var load, cost, due float64
		channels, last := 0., w.Levels()-1
		for range rapid.IntRange(1, 200).Draw(t, "channels") {
			f := honeycomb.Factors{Subscribers: rapid.Uint32Range(1, 40).Draw(t, "subscribers"), Size: 5000}
			c := m.Cluster(f, 7)
			if rapid.IntRange(0, 9).Draw(t, "slack") == 0 {
				a.AddSlack(c)
				load, cost = load+5000*7, cost+float64(f.Subscribers)/7
			} else {
				a.Add(3, c)
				load, cost = load+5000*w.Pollers(last), cost+float64(f.Subscribers)*w.delays[last]
				channels++
			}
			due += 5000 * float64(f.Subscribers)
		}
		p := NewPlan(m)
		p.Aggregate(&a, &w)
		if n := p.problem.Len(); n > a.Parts()+1 {
			t.Errorf("%d channels in the plan, %d parts", n, a.Parts())
		}
		got := 0.
		for _, alike := range p.problem.alike {
			got += alike
		}
		if a.Slack.Channels > 0 {
			got-- // all of them together
		}
		least := p.problem.Solve(-1).Within // the greatest levels
		if got != channels || !near(p.Limit(), due) || !near(least.Load, load) || math.Abs(least.Cost/cost-1) > .05 {
			t.Fatalf("%v channels, %+v, limit %v; want %v, load %v, cost about %v, limit %v",
				got, least, p.Limit(), channels, load, cost, due)
		}
	})
}

// A target that the whole network cannot meet is said to be one, and least levels hold.
func TestFastBeyondWhatIsPossible(t *testing.T) {
	m := Default()
	m.Policy = honeycomb.Policy{Goal: honeycomb.Fast, Target: time.Second}
	w := m.Nominal(64, 7) // 14 s with all of them
	p := NewPlan(m)
	p.Channel(honeycomb.Factors{Subscribers: 10}, &w, 0, 6)
	p.Channel(honeycomb.Factors{Subscribers: 10}, &w, 3, 6)
	if s := p.Solve(); s.Feasible || s.Level(0) != 0 || s.Level(1) != 3 {
		t.Errorf("feasible: %v, levels %d, %d", s.Feasible, s.Level(0), s.Level(1))
	}
}

// A channel that nobody subscribes to is polled by its owner alone, under every policy.
func TestNoSubscribers(t *testing.T) {
	for _, m := range plans() {
		w := m.Nominal(64, m.Levels(64))
		p := NewPlan(m)
		p.Channel(honeycomb.Factors{Subscribers: 100}, &w, 0, w.Levels()-1)
		p.Channel(honeycomb.Factors{}, &w, 0, w.Levels()-1)
		if s := p.Solve(); s.Level(1) != w.Levels()-1 {
			t.Errorf("%v: level %d", m.Policy, s.Level(1))
		}
	}
}

func TestPlanPanicsOnBrokenInvariants(t *testing.T) {
	w := Default().Nominal(64, 7)
	for what, f := range map[string]func(){
		"an invalid model":      func() { NewPlan(Model{}) },
		"a negative level":      func() { NewPlan(Default()).Channel(honeycomb.Factors{}, &w, -1, 3) },
		"levels in reverse":     func() { NewPlan(Default()).Channel(honeycomb.Factors{}, &w, 3, 2) },
		"more levels than have": func() { NewPlan(Default()).Channel(honeycomb.Factors{}, &w, 0, 7) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			f()
		}()
	}
}

func ExamplePlan() {
	m := Default()
	m.Polls = true
	w := m.Counted([]uint32{64, 30, 17, 8, 3, 1}) // nodes that share 0, 1, … bits with the channels
	p := NewPlan(m)
	popular := p.Channel(honeycomb.Factors{Subscribers: 90}, &w, 0, 5)
	quiet := p.Channel(honeycomb.Factors{Subscribers: 2}, &w, 0, 5)
	s := p.Solve()
	fmt.Println("popular:", w.Pollers(s.Level(popular)), "pollers")
	fmt.Println("quiet:", w.Pollers(s.Level(quiet)), "pollers")
	fmt.Printf("%v of %v polls an interval\n", s.Within.Load, p.Limit())
	// Output:
	// popular: 64 pollers
	// quiet: 17 pollers
	// 81 of 92 polls an interval
}
