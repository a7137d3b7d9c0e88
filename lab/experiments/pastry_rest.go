package experiments

import "time"

// atRest is what was measured of a ring in which nothing fails.
type atRest struct {
	hops  []int
	mean  float64
	known float64
}

// rest grows a ring and looks keys up.
func (r *ring) rest(n, lookups int) (m atRest, err error) {
	if err := r.grow(r.place(n)); err != nil {
		return m, err
	}
	r.run.Stage("looking up", 0.4)
	if _, err := r.lookUpDuring(lookups, time.Minute); err != nil {
		return m, err
	}
	figures, err := r.judged()
	if err != nil {
		return m, err
	}
	m.hops = r.hops
	total := 0
	for hops, times := range r.hops {
		total += times
		m.mean += float64(hops * times)
	}
	m.mean /= float64(max(total, 1))
	for _, node := range r.live {
		m.known += float64(len(r.at(node).Known())) / float64(n)
	}
	r.run.Figure(sized(meanHops, n), m.mean)
	r.run.Figure(sized(mostHops, n), float64(len(r.hops)-1))
	r.run.Figure(sized(wrongLookups, n), float64(figures.Wrong+figures.Lost))
	r.run.Figure(sized(nodesKnown, n), m.known)
	return m, nil
}
