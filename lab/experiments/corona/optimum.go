package corona

import "tidings/network/corona/curve"

// everyChannel has all channels share one load.
func (f *measured) everyChannel(int) int32 { return 0 }

// ofHost has each host's channels share the load of its readers.
func (f *measured) ofHost(channel int) int32 { return f.work.host[channel] }

// optimum returns the detection time of Lite, weighted by readers, in seconds, that no protocol can be below. Channels
// have the best number of pollers, at least one and at most all nodes, at even phases. Channels that share a load bring
// as many bytes as their readers would by themselves.
func (f *measured) optimum(shares func(channel int) int32) float64 {
	groups := make(map[int32][]int)
	for i := range f.work.readers {
		groups[shares(i)] = append(groups[shares(i)], i)
	}
	waits := make([]float64, len(f.work.readers))
	for _, group := range groups {
		f.best(group, func(i int, pollers float64) { waits[i] = f.interval.Seconds() / 2 / pollers })
	}
	var all weighted
	for i, wait := range waits {
		all.add(wait, float64(f.work.readers[i]))
	}
	return all.mean()
}

// best calls then with how many pollers are best for each channel of a group that shares a load.
func (f *measured) best(group []int, then func(channel int, pollers float64)) {
	limit := 0.
	of := make([]curve.Channel, len(group))
	for k, i := range group {
		readers, length := float64(f.work.readers[i]), float64(f.work.length[i])
		limit += readers * length
		of[k] = curve.Channel{Worth: readers, Cost: length, Most: float64(f.sizes.Nodes)}
	}
	low, high := 0., 0.
	for _, c := range of {
		high = max(high, c.Most/c.Ratio())
	}
	for range 64 {
		x, load := (low+high)/2, 0.
		for _, c := range of {
			load += c.Cost * c.Pollers(x)
		}
		if load <= limit {
			low = x
		} else {
			high = x
		}
	}
	for k, i := range group {
		then(i, of[k].Pollers(low))
	}
}
