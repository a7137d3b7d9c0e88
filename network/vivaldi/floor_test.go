package vivaldi

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// floor looks for the embedding of a whole matrix with the least sum of relative errors, as no node could that knows
// but a few round trips. It uses stochastic gradient descent over all pairs, with shrinking steps, from several starts.
// It returns the median and the 90th percentile of the relative errors of the best one.
func floor(rtt func(i, j int) time.Duration, nodes, dimensions, sweeps, starts int) (median, high float64) {
	median = math.Inf(1)
	for start := range starts {
		e := newEmbedding(rtt, nodes, dimensions, uint64(start))
		for sweep := range sweeps {
			e.sweep(0.1 * float64(sweeps-sweep) / float64(sweeps))
		}
		errs := e.errors()
		if m := errs[len(errs)/2]; m < median {
			median, high = m, errs[len(errs)*9/10]
		}
	}
	return median, high
}

type embedding struct {
	rtt    [][]float64 // seconds, the mean of both ways
	points [][]float64 // the last component is the height
	pairs  [][2]int
	chance *rand.Rand
}

func newEmbedding(rtt func(i, j int) time.Duration, nodes, dimensions int, seed uint64) *embedding {
	e := &embedding{chance: rand.New(rand.NewPCG(seed, 9))}
	for i := range nodes {
		point := make([]float64, dimensions+1)
		for k := range point {
			point[k] = (e.chance.Float64() - .5) / 10
		}
		point[dimensions] = .005
		row := make([]float64, nodes)
		for j := range row {
			row[j] = rtt(i, j).Seconds()
			if j < i {
				e.pairs = append(e.pairs, [2]int{i, j})
			}
		}
		e.points, e.rtt = append(e.points, point), append(e.rtt, row)
	}
	return e
}

func (e *embedding) distance(i, j int) float64 {
	a, b := e.points[i], e.points[j]
	last := len(a) - 1
	sum := 0.0
	for k := range last {
		sum += (a[k] - b[k]) * (a[k] - b[k])
	}
	return math.Sqrt(sum) + a[last] + b[last]
}

// sweep moves both ends of every pair towards the measured distance, by a share of what is missing or of 5 ms,
// whichever is less.
func (e *embedding) sweep(share float64) {
	e.chance.Shuffle(len(e.pairs), func(i, j int) { e.pairs[i], e.pairs[j] = e.pairs[j], e.pairs[i] })
	const most = .005
	for _, p := range e.pairs {
		a, b, want := e.points[p[0]], e.points[p[1]], e.rtt[p[0]][p[1]]
		d := e.distance(p[0], p[1])
		missing := want - d
		step := share * max(-most, min(most, missing))
		last := len(a) - 1
		plane := max(d-a[last]-b[last], 1e-6)
		for k := range last {
			move := step * (a[k] - b[k]) / plane
			a[k] += move
			b[k] -= move
		}
		a[last] = max(a[last]+step/4, 1e-5)
		b[last] = max(b[last]+step/4, 1e-5)
	}
}

func (e *embedding) errors() []float64 {
	var errs []float64
	for _, p := range e.pairs {
		want := e.rtt[p[0]][p[1]]
		errs = append(errs, math.Abs(e.distance(p[0], p[1])-want)/want)
	}
	slices.Sort(errs)
	return errs
}

// violations returns the share of triples of nodes of which one round trip is longer than the
// sum of the other two.
func violations(rtt func(i, j int) time.Duration, nodes int) float64 {
	broken, all := 0, 0
	for i := range nodes {
		for j := range i {
			for k := range j {
				a, b, c := rtt(i, j), rtt(j, k), rtt(i, k)
				all++
				if 2*max(a, b, c) > a+b+c {
					broken++
				}
			}
		}
	}
	return float64(broken) / float64(all)
}
