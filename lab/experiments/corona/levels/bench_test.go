package levels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tidings/network/honeycomb"
)

// fillRandom adds channels with wedges of their own size, so that no two have the same hull: f falls with the pollers,
// g rises, subscriptions and sizes vary a thousandfold.
func fillRandom(tb testing.TB, p *Problem, channels, levels int) (half float64) {
	rnd := rand.New(rand.NewPCG(1, uint64(channels)))
	costs, loads := make([]float64, levels), make([]float64, levels)
	p.Reset()
	for range channels {
		q, s := math.Exp(7*rnd.Float64()), math.Exp(7*rnd.Float64())
		for l := range levels {
			n := math.Ceil(math.Ldexp(.5+rnd.Float64(), levels-l))
			costs[l], loads[l] = q/n, s*n
		}
		if _, err := p.Add(Choice{Alike: 1, Costs: costs, Loads: loads}); err != nil {
			tb.Fatal(err)
		}
	}
	return p.least.hi + (p.most.hi-p.least.hi)/100
}

func BenchmarkAdd(b *testing.B) {
	var p Problem
	for range b.N {
		fillRandom(b, &p, 1_000_000, 11)
	}
	b.ReportMetric(float64(p.steps), "steps")
}

func BenchmarkSolve(b *testing.B) {
	for _, channels := range []int{300, 10_000, 1_000_000} {
		b.Run(fmt.Sprint(channels), func(b *testing.B) {
			var p Problem
			limit := fillRandom(b, &p, channels, 11)
			b.ReportAllocs()
			for b.Loop() {
				if s := p.Solve(limit); !s.Feasible {
					b.Fatal("not feasible")
				}
			}
		})
	}
}

// BenchmarkSort is what the search would cost if it sorted: ten million pairs.
func BenchmarkSort(b *testing.B) {
	type pair struct{ lambda, load float64 }
	list, room := make([]pair, 10_000_000), make([]pair, 10_000_000)
	rnd := rand.New(rand.NewPCG(1, 1))
	for i := range list {
		list[i] = pair{math.Exp(20 * rnd.Float64()), rnd.Float64()}
	}
	for b.Loop() {
		copy(room, list)
		slices.SortFunc(room, func(x, y pair) int {
			switch {
			case x.lambda > y.lambda:
				return -1
			case x.lambda < y.lambda:
				return 1
			}
			return 0
		})
	}
}

// BenchmarkPlan is what an owner does each maintenance interval in the paper's simulation: a
// hundred channels of its own, 100,000 in clusters.
func BenchmarkPlan(b *testing.B) {
	work := newWorkload(1)
	m := Default()
	levels := m.Levels(len(work.ring))
	expected := m.Expected(len(work.ring), levels)
	var others Aggregate
	for i, f := range work.factors {
		others.Add(2+i*5/len(work.factors), m.Cluster(f, 50))
	}
	p := NewPlan(m)
	b.ReportAllocs()
	for b.Loop() {
		p.Reset()
		for i, f := range work.factors[:100] {
			w := work.ring.wedges(m, work.channels[i], levels)
			p.Channel(f, &w, 0, levels-1)
		}
		p.Aggregate(&others, &expected)
		p.Solve()
	}
	b.ReportMetric(float64(p.problem.Len()), "choices")
}

// BenchmarkPlanMillion is all of it for a million channels with wedges of their own.
func BenchmarkPlanMillion(b *testing.B) {
	const channels, levels = 1_000_000, 11
	m := Default()
	rnd := rand.New(rand.NewPCG(1, 1))
	factors, counts := make([]honeycomb.Factors, channels), make([][levels]uint32, channels)
	for i := range factors {
		factors[i] = honeycomb.Factors{Subscribers: uint32(math.Exp(7 * rnd.Float64())),
			Size: uint32(math.Exp(7 + 4*rnd.Float64()))}
		for l := range levels {
			counts[i][l] = uint32(math.Ldexp(.5+rnd.Float64(), levels-1-l))
		}
	}
	p := NewPlan(m)
	for b.Loop() {
		p.Reset()
		p.Grow(channels, levels)
		for i, f := range factors {
			w := m.Counted(counts[i][:])
			p.Channel(f, &w, 0, levels-1)
		}
		if s := p.Solve(); !s.Feasible {
			b.Fatal("not feasible")
		}
	}
}

// BenchmarkProduct is a million channels that share their wedges, so that f = F·a and g = G·b.
func BenchmarkProduct(b *testing.B) {
	const channels, levels = 1_000_000, 11
	m := Default()
	w := m.Nominal(1024, levels)
	rnd := rand.New(rand.NewPCG(1, 1))
	factors := make([]honeycomb.Factors, channels)
	for i := range factors {
		factors[i] = honeycomb.Factors{Subscribers: uint32(math.Exp(7 * rnd.Float64())),
			Size: uint32(math.Exp(7 + 4*rnd.Float64()))}
	}
	p := NewPlan(m)
	for b.Loop() {
		p.Reset()
		p.Grow(channels, levels)
		for _, f := range factors {
			p.Channel(f, &w, 0, levels-1)
		}
		p.Solve()
	}
}
