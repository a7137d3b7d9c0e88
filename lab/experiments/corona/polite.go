package corona

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab"
	"tidings/network/corona"
	"tidings/network/honeycomb"
)

// The cost of sending no host more than its readers would by themselves: Lite in one world, with that limit and
// without.
const (
	polite = "polite"
	free   = "free"
)

// channelsOfHost is how many channels a host has on average.
const channelsOfHost = 4

// hostsOf returns the host of each channel. Sizes of hosts follow Zipf's law with exponent 1; each has a channel at
// least.
func hostsOf(seed uint64, channels, hosts int) []int32 {
	chance := rand.New(rand.NewPCG(seed, 0x4057))
	sums := make([]float64, hosts)
	sum := 0.
	for i := range sums {
		sum += 1 / float64(i+1)
		sums[i] = sum
	}
	of := make([]int32, channels)
	for rank, channel := range chance.Perm(channels) {
		host := rank
		if rank >= hosts {
			host, _ = slices.BinarySearch(sums, chance.Float64()*sum)
		}
		of[channel] = int32(host)
	}
	return of
}

// amongHosts returns the sizes of the worlds in which hosts are seen to.
func (s sizes) amongHosts() sizes {
	t := s
	t.Nodes, t.Channels, t.Hosts = s.PoliteNodes, s.PoliteChannels, max(1, s.PoliteChannels/channelsOfHost)
	t.Subscriptions = min(50, t.Nodes/4) * t.Channels
	return t
}

// measurePolite measures one of the worlds.
func measurePolite(run *lab.Run, s sizes, name string) *measured {
	s = s.amongHosts()
	config := corona.Default()
	config.HostCeiling = 1 << 30
	config.MaxHostReaders = 1 << 20 // each node stands for hundreds of readers
	r := newRow(run, newWorkload(run.Seed(), s), s, config, honeycomb.Policy{})
	r.signs = name == polite
	r.hosts = newHostLoad(r.work, s, config.Interval)
	counted := r.watch.counted
	r.watch.counted = func(channel int, at time.Duration, turn bool) {
		counted(channel, at, turn)
		r.hosts.poll(channel, at-r.began, turn)
	}
	return r.measure()
}

// hostLoad counts what hosts get, looks out of turn included, by polling interval of the measured time.
type hostLoad struct {
	work     *workload
	sizes    sizes
	interval time.Duration
	polls    [][]float64 // by host and interval
	turns    [][]float64 // of them, those that nodes made in their turn
	readers  []float64   // by host
}

func newHostLoad(work *workload, s sizes, interval time.Duration) *hostLoad {
	h := &hostLoad{work: work, sizes: s, interval: interval, polls: make([][]float64, s.Hosts),
		turns: make([][]float64, s.Hosts), readers: make([]float64, s.Hosts)}
	for i := range h.polls {
		h.polls[i] = make([]float64, (s.For-s.Settle)/interval)
		h.turns[i] = make([]float64, len(h.polls[i]))
	}
	for i, host := range work.host {
		h.readers[host] += float64(work.readers[i])
	}
	return h
}

func (h *hostLoad) poll(channel int, at time.Duration, turn bool) {
	if at < h.sizes.Settle || at >= h.sizes.For {
		return
	}
	host, interval := h.work.host[channel], (at-h.sizes.Settle)/h.interval
	h.polls[host][interval]++
	if turn {
		h.turns[host][interval]++
	}
}

// most returns the share that so large a part of all hosts and intervals do not exceed: of some requests to a host in
// an interval, over what its readers would send by themselves.
func (h *hostLoad) most(requests [][]float64, part float64) float64 {
	var shares []float64
	for host, polls := range requests {
		for _, n := range polls {
			shares = append(shares, n/h.readers[host])
		}
	}
	slices.Sort(shares)
	return shares[int(part*float64(len(shares)-1))]
}
