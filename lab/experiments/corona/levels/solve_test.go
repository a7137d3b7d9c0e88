package levels

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// problem returns the problem of these channels.
func problem(t rapid.TB, choices []Choice) *Problem {
	p := new(Problem)
	for i, c := range choices {
		if index, err := p.Add(c); err != nil || index != i {
			t.Fatalf("adding %+v: index %d, %v", c, index, err)
		}
	}
	return p
}

// drawChoices draws channels of any shape: convex or not, even with levels at which both cost
// and load are worse. All numbers are small and whole, so that sums are exact and ties are
// common.
func drawChoices(t *rapid.T, most, levels int, alike uint64) []Choice {
	choices := make([]Choice, rapid.IntRange(1, most).Draw(t, "channels"))
	sorted := rapid.Bool().Draw(t, "sorted")
	amount := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(0, 12).Draw(t, "amount")) })
	for i := range choices {
		n := rapid.IntRange(1, levels).Draw(t, "levels")
		c := Choice{
			Alike: rapid.Uint64Range(1, alike).Draw(t, "alike"), Least: rapid.IntRange(0, MaxLevels-n).Draw(t, "least"),
			Costs: rapid.SliceOfN(amount, n, n).Draw(t, "costs"), Loads: rapid.SliceOfN(amount, n, n).Draw(t, "loads"),
		}
		if sorted {
			slices.Sort(c.Costs)
			slices.Sort(c.Loads)
			slices.Reverse(c.Loads)
		}
		choices[i] = c
	}
	return choices
}

// members returns each channel of each cluster by itself.
func members(choices []Choice) (all []Choice) {
	for _, c := range choices {
		n := c.Alike
		c.Alike = 1
		for range n {
			all = append(all, c)
		}
	}
	return all
}

// bruteForce returns the least cost of any choice of levels within the limit, and the least load.
func bruteForce(choices []Choice, limit float64) (cost, leastLoad float64) {
	type totals struct{ cost, load float64 }
	all := map[totals]bool{{}: true}
	for _, c := range members(choices) {
		next := make(map[totals]bool)
		for t := range all {
			for i := range c.Costs {
				next[totals{t.cost + c.Costs[i], t.load + c.Loads[i]}] = true
			}
		}
		all = next
	}
	cost, leastLoad = math.Inf(1), math.Inf(1)
	for t := range all {
		leastLoad = min(leastLoad, t.load)
		if t.load <= limit {
			cost = min(cost, t.cost)
		}
	}
	return cost, leastLoad
}

// at returns f and g of a channel at a level.
func (c Choice) at(level int) (cost, load float64) {
	return c.Costs[level-c.Least], c.Loads[level-c.Least]
}

// totals adds up what the levels of a solution come to, with so many steps beyond it.
func totals(choices []Choice, s Solution, beyond uint64) (t Totals) {
	for i, c := range choices {
		cost, load := c.at(s.Level(i))
		t.Cost += float64(c.Alike) * cost
		t.Load += float64(c.Alike) * load
	}
	if s.Step.Channel >= 0 {
		c := choices[s.Step.Channel]
		cost, load := c.at(s.Step.From)
		nextCost, nextLoad := c.at(s.Step.To)
		n := float64(s.Step.Taken + beyond)
		t.Cost += n * (nextCost - cost)
		t.Load += n * (nextLoad - load)
	}
	return t
}

// Section 3.2: the constraint holds strictly; the two brackets differ in one channel, stand on
// both sides of the limit and of the optimum, and are optimal for their own loads.
func TestBracketsAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		choices := drawChoices(t, 5, 5, 3)
		limit := rapid.Float64Range(-1, 120).Draw(t, "limit")
		s := problem(t, choices).Solve(limit)
		best, leastLoad := bruteForce(choices, limit)

		if got := totals(choices, s, 0); got != s.Within {
			t.Fatalf("the levels come to %+v, the solution says %+v", got, s.Within)
		}
		if s.Feasible != (leastLoad <= limit) {
			t.Fatalf("feasible: %v; the least load is %v", s.Feasible, leastLoad)
		}
		if !s.Feasible {
			if s.Within.Load != leastLoad || s.Step.Channel != -1 || !math.IsInf(s.Lambda, 1) {
				t.Fatalf("not feasible, and not the least load %v: %+v", leastLoad, s)
			}
			return
		}
		if s.Within.Load > limit {
			t.Fatalf("load %v above the limit %v", s.Within.Load, limit)
		}
		if s.Within.Cost < best || best < s.Beyond.Cost {
			t.Fatalf("the optimum %v is not between %v and %v", best, s.Beyond.Cost, s.Within.Cost)
		}
		if s.Step.Channel < 0 {
			if s.Within.Cost != best || s.Beyond != s.Within || s.Lambda != 0 {
				t.Fatalf("nothing binds, and not the optimum %v: %+v", best, s)
			}
			return
		}
		checkBeyond(t, choices, s, limit)
		for _, bracket := range []Totals{s.Within, s.Beyond} {
			if best, _ := bruteForce(choices, bracket.Load); best != bracket.Cost {
				t.Fatalf("load %v can cost %v, not %v", bracket.Load, best, bracket.Cost)
			}
		}
	})
}

func checkBeyond(t *rapid.T, choices []Choice, s Solution, limit float64) {
	if got := totals(choices, s, 1); got != s.Beyond {
		t.Fatalf("one step beyond comes to %+v, the solution says %+v", got, s.Beyond)
	}
	if s.Beyond.Load <= limit {
		t.Fatalf("load %v beyond the limit %v", s.Beyond.Load, limit)
	}
	if s.Step.Taken >= choices[s.Step.Channel].Alike || s.Level(s.Step.Channel) != s.Step.From {
		t.Fatalf("%d members, at level %d, step %+v", choices[s.Step.Channel].Alike, s.Level(s.Step.Channel), s.Step)
	}
	saved, added := s.Within.Cost-s.Beyond.Cost, s.Beyond.Load-s.Within.Load
	if s.Lambda != saved/added {
		t.Fatalf("λ is %v, the step saves %v for %v", s.Lambda, saved, added)
	}
}

// A cluster is as good as its members one by one. Where two steps of a channel are worth the same, a cluster makes the
// first with all members before the second, which comes to the same sum of cost and price.
func TestClusterIsItsMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		choices := drawChoices(t, 40, 11, 50)
		p, single := problem(t, choices), problem(t, members(choices))
		limit := drawLimit(t, p)
		got, want := p.Solve(limit), single.Solve(limit)
		if got.Lambda != want.Lambda || got.Feasible != want.Feasible {
			t.Fatalf("clusters: %+v\nmembers: %+v", got, want)
		}
		if !hasTwins(p) && (got.Within != want.Within || got.Beyond != want.Beyond) {
			t.Fatalf("clusters: %+v\nmembers: %+v", got, want)
		}
		if a, b := got.paid(), want.paid(); math.Abs(a-b) > 1e-9*(1+a) {
			t.Fatalf("clusters pay %v: %+v\nmembers pay %v: %+v", a, got, b, want)
		}
	})
}

// paid returns what a solution minimises at its λ.
func (s Solution) paid() float64 {
	if !s.Feasible {
		return s.Within.Load
	}
	return s.Within.Cost + s.Lambda*s.Within.Load
}

// hasTwins reports whether a channel has two steps with the same λ.
func hasTwins(p *Problem) bool {
	for i, end := range p.ends {
		for at := p.firstPoint(i); at < int(end)-2; at++ {
			if p.slope(at) == p.slope(at+1) {
				return true
			}
		}
	}
	return false
}

// drawLimit draws a limit around what is possible.
func drawLimit(t *rapid.T, p *Problem) float64 {
	share := rapid.Float64Range(-.1, 1.1).Draw(t, "share")
	return p.least.hi + share*(p.most.hi-p.least.hi)
}

// list finds the brackets as the paper does: from the sorted list of all steps. It knows nothing
// of buckets.
func list(p *Problem, limit float64) (lambda float64, step Step, ok bool) {
	var steps []critical
	for i, end := range p.ends {
		for at := p.firstPoint(i); at < int(end)-1; at++ {
			for range int(p.alike[i]) {
				steps = append(steps, critical{})
				steps[len(steps)-1].lambda, steps[len(steps)-1].channel, steps[len(steps)-1].point = p.slope(at), i, at
			}
		}
	}
	slices.SortStableFunc(steps, func(a, b critical) int { return cmp.Compare(b.lambda, a.lambda) })
	load, made := p.least, uint64(0)
	for n, s := range steps {
		if n > 0 && s.step != steps[n-1].step {
			made = 0
		}
		if load = load.plusSum(p.stepLoad(s.point)); !load.within(limit) {
			from, to := int(p.levels[s.point]), int(p.levels[s.point+1])
			return math.Float64frombits(s.lambda), Step{Channel: s.channel, From: from, To: to, Taken: made}, true
		}
		made++
	}
	return 0, Step{}, false
}

// The buckets find what sorting finds, however the λ are spread: close together, over all
// magnitudes, or all the same.
func TestSearchAgainstSortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spread := rapid.SampledFrom([]float64{0, 1e-12, 1, 30}).Draw(t, "spread")
		unit := rapid.Float64Range(-1, 1)
		var choices []Choice
		for range rapid.IntRange(50, 300).Draw(t, "channels") {
			c := Choice{Alike: rapid.Uint64Range(1, 4).Draw(t, "alike")}
			f, g := math.Exp(spread*unit.Draw(t, "f")), math.Exp(spread*unit.Draw(t, "g"))
			for l := range 11 {
				n := math.Ldexp(1, 10-l)
				c.Costs, c.Loads = append(c.Costs, f/n), append(c.Loads, g*n)
			}
			choices = append(choices, c)
		}
		p := problem(t, choices)
		limit := drawLimit(t, p)
		lambda, step, ok := list(p, limit)
		s := p.Solve(limit)
		if !s.Feasible || !ok {
			if s.Step.Channel != -1 {
				t.Fatalf("a step where the list has none: %+v", s)
			}
			return
		}
		if s.Lambda != lambda || s.Step != step {
			t.Fatalf("λ %v, %+v; the list has %v, %+v", s.Lambda, s.Step, lambda, step)
		}
		if s.Within.Load > limit || s.Beyond.Load < limit { // beyond it, but for rounding
			t.Fatalf("limit %v is not between %v and %v", limit, s.Within.Load, s.Beyond.Load)
		}
	})
}

// A cluster is split at the last member that fits, also where the quotient is rounded.
func TestFitting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		each := difference(rapid.Float64Range(1, 2).Draw(t, "more"), rapid.Float64Range(0, .9).Draw(t, "less"))
		load := sum{hi: rapid.Float64Range(0, 1e12).Draw(t, "load")}
		most := float64(rapid.Uint64Range(1, 1<<45).Draw(t, "most"))
		members := float64(rapid.Uint64Range(0, 1<<45).Draw(t, "members"))
		limit := load.plusSum(each.times(members)).hi // rounded either way
		n := fitting(each, load, limit, most)
		fits := func(n float64) bool { return load.plusSum(each.times(n)).within(limit) }
		if n < 0 || n > most || n != math.Floor(n) || !fits(n) || n < most && fits(n+1) {
			t.Fatalf("%v of %v members fit; so many were made to fit: %v", n, most, members)
		}
	})
}

// The limit holds for the exact sum, where a float64 would have lost the difference.
func TestLimitHoldsToTheLastDigit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "channels")
		choices := make([]Choice, n)
		amount := rapid.Float64Range(.1, 1e6)
		for i := range choices {
			load := amount.Draw(t, "load")
			choices[i] = Choice{
				Alike: rapid.Uint64Range(1, 1000).Draw(t, "alike"),
				Costs: []float64{0, amount.Draw(t, "cost")}, Loads: []float64{load + amount.Draw(t, "more"), load},
			}
		}
		p := problem(t, choices)
		limit := drawLimit(t, p)
		for range 2 { // then once more with the load reached, which was rounded up or down
			s := p.Solve(limit)
			if !s.Feasible {
				return
			}
			if load := exactLoad(choices, s); load.Cmp(big.NewFloat(limit)) > 0 {
				t.Fatalf("the load %v is above the limit %v", load, limit)
			}
			limit = s.Within.Load
		}
	})
}

func exactLoad(choices []Choice, s Solution) *big.Float {
	var numbers, loads []float64
	for i, c := range choices {
		_, load := c.at(s.Level(i))
		numbers, loads = append(numbers, float64(c.Alike)), append(loads, load)
	}
	if s.Step.Channel >= 0 {
		c := choices[s.Step.Channel]
		_, from := c.at(s.Step.From)
		_, to := c.at(s.Step.To)
		n := float64(s.Step.Taken)
		numbers, loads = append(numbers, n, -n), append(loads, to, from)
	}
	return exactly(numbers, loads)
}
