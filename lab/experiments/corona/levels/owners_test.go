package levels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tidings/lab/effort"
)

// Each owner knows its own channels one by one and all others by clusters alone. Together they come to nearly what one
// solver that knows all would choose (section 3.2). From the first round on, in which all channels are at one level and
// so in few, wide bins, they are within some per cent. When they aim by the load that they came to, they are within 1.5
// %.
func TestOwnersAgreeThroughClusters(t *testing.T) {
	seeds, rounds := uint64(1), 5
	if effort.All() {
		seeds = 3
	}
	for seed := range seeds {
		for _, test := range []struct {
			name            string
			nodes, channels int
			polls           bool
		}{
			{"simulation, polls", 1024, 100_000, true},
			{"simulation, bytes", 1024, 100_000, false},
			{"deployment, polls", 60, 7500, true},
			{"deployment, bytes", 60, 7500, false},
		} {
			if testing.Short() && test.nodes > 100 {
				continue
			}
			work := drawWorkload(seed, test.nodes, test.channels, 50*float64(test.channels))
			rnd := rand.New(rand.NewPCG(seed, 2))
			for i := range work.factors {
				work.factors[i].Size = uint32(math.Exp(8 + rnd.NormFloat64()))
			}
			m := Default()
			m.Polls = test.polls
			o := newOwners(m, work)
			for round := range rounds {
				o.solve()
				delay, load := o.judge()
				if round > 0 { // levels are no longer those of the start
					o.share = min(max(o.share/(1+load), .8), 1.25)
				}
				within := .08
				if round == 4 {
					within = .015
				}
				result := fmt.Sprintf("%s, seed %d, round %d: detection %+.2f %%, load %+.2f %% against one solver",
					test.name, seed, round, 100*delay, 100*load)
				t.Log(result)
				if math.Abs(delay) > within || math.Abs(load) > within {
					t.Error(result)
				}
			}
		}
	}
}

// owners are the nodes of a network, each primary of some channels.
type owners struct {
	model   Model
	work    workload
	wedges  []Wedges // by channel
	owned   [][]int  // by node
	central Totals   // what one solver comes to
	levels  []int    // by channel
	share   float64  // of the limit that they aim at
}

func newOwners(m Model, work workload) *owners {
	o := &owners{model: m, work: work, owned: make([][]int, len(work.ring)), levels: make([]int, len(work.channels)),
		share: 1}
	levels := m.Levels(len(work.ring))
	all := NewPlan(m)
	for i, f := range work.factors {
		o.wedges = append(o.wedges, work.ring.wedges(m, work.channels[i], levels))
		all.Channel(f, &o.wedges[i], 0, levels-1)
		at := work.ring.primary(work.channels[i])
		o.owned[at] = append(o.owned[at], i)
		o.levels[i] = levels - 1
	}
	s := all.Solve()
	o.central = s.Within
	return o
}

// solve lets each owner choose the levels of its channels.
func (o *owners) solve() {
	expected := o.model.Expected(len(o.work.ring), o.model.Levels(len(o.work.ring)))
	own := make([]Aggregate, len(o.owned))
	for at, channels := range o.owned {
		for _, i := range channels {
			n := uint32(o.wedges[i].Pollers(o.levels[i]))
			own[at].Add(o.levels[i], o.model.Cluster(o.work.factors[i], n))
		}
	}
	p := NewPlan(o.model)
	for at, others := range sumsWithoutEach(own) {
		p.Reset()
		for _, i := range o.owned[at] {
			p.Channel(o.work.factors[i], &o.wedges[i], 0, expected.Levels()-1)
		}
		p.Aggregate(&others, &expected)
		s := p.SolveFor(o.share)
		for index, i := range o.owned[at] {
			o.levels[i] = s.Level(index)
		}
	}
}

// judge returns by what share delay and load are above those that one solver comes to.
func (o *owners) judge() (delay, load float64) {
	for i, f := range o.work.factors {
		n := o.wedges[i].Pollers(o.levels[i])
		delay += float64(f.Subscribers) / n
		load += o.model.Cost(f) * n
	}
	return delay/o.central.Cost - 1, load/o.central.Load - 1
}

// sumsWithoutEach returns for each the sum of all others.
func sumsWithoutEach(list []Aggregate) []Aggregate {
	sums := make([]Aggregate, len(list))
	var before, after Aggregate
	for i := range list {
		sums[i].Merge(&before)
		before.Merge(&list[i])
	}
	for i := len(list) - 1; i >= 0; i-- {
		sums[i].Merge(&after)
		after.Merge(&list[i])
	}
	return sums
}
