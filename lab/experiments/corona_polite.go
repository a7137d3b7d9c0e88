package experiments

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/lab"
	"tidings/network/corona"
	"tidings/network/honeycomb"
)

// What it costs to send no host more than its readers would by themselves: Lite in one world, with that
// and without.
const (
	polite = "polite"
	free   = "free"
)

var politeRows = []string{polite, free}

// channelsOfHost is how many channels a host has on average.
const channelsOfHost = 4

// hostsOf returns the host of each channel. Sizes of hosts follow Zipf's law with exponent 1; each has a
// channel at least.
func hostsOf(seed uint64, channels, hosts int) []int32 {
	chance := rand.New(rand.NewPCG(seed, 0x4057))
	sums := make([]float64, hosts)
	sum := 0.
	for i := range sums {
		sum += 1 / float64(i+1)
		sums[i] = sum
	}
	of := make([]int32, channels)
	for place, channel := range chance.Perm(channels) {
		host := place
		if place >= hosts {
			host, _ = slices.BinarySearch(sums, chance.Float64()*sum)
		}
		of[channel] = int32(host)
	}
	return of
}

// amongHosts returns the sizes of the worlds in which hosts are seen to.
func (s coronaSizes) amongHosts() coronaSizes {
	t := s
	t.Nodes, t.Channels, t.Hosts = s.PoliteNodes, s.PoliteChannels, max(1, s.PoliteChannels/channelsOfHost)
	t.Subscriptions = min(50, t.Nodes/4) * t.Channels
	return t
}

// measurePolite measures one of the worlds.
func measurePolite(run *lab.Run, s coronaSizes, name string) error {
	s = s.amongHosts()
	config := corona.Default()
	config.HostCeiling = 1 << 30
	config.MaxHostReaders = 1 << 20 // each node stands for hundreds of readers
	work := newCoronaWork(run.Seed(), s)
	r := newCoronaRow(run, work, s, config, honeycomb.Policy{})
	r.signs = name == polite
	hosts := newHostLoad(work, s, config.Interval)
	counted := r.watch.counted
	r.watch.counted = func(channel int, at time.Duration) {
		counted(channel, at)
		hosts.poll(channel, at-r.began)
	}
	f, err := r.measure()
	if err != nil {
		return err
	}
	run.Figure(name+".detection_seconds", f.detection())
	run.Figure(name+".polls", f.perChannel())
	run.Figure(name+".host_most", hosts.most(1))
	run.Figure(name+".host_999_in_1000", hosts.most(0.999))
	run.Figure(name+".reached_all", float64(len(f.spreads))/float64(f.versions))
	return nil
}

// hostLoad counts what hosts get, looks out of turn included, by polling interval of the measured time.
type hostLoad struct {
	work     *coronaWork
	sizes    coronaSizes
	interval time.Duration
	polls    [][]float64 // by host and interval
	readers  []float64   // by host
}

func newHostLoad(work *coronaWork, s coronaSizes, interval time.Duration) *hostLoad {
	h := &hostLoad{work: work, sizes: s, interval: interval, polls: make([][]float64, s.Hosts), readers: make([]float64, s.Hosts)}
	for i := range h.polls {
		h.polls[i] = make([]float64, (s.For-s.Settle)/interval)
	}
	for i, host := range work.host {
		h.readers[host] += float64(work.readers[i])
	}
	return h
}

func (h *hostLoad) poll(channel int, at time.Duration) {
	if at >= h.sizes.Settle && at < h.sizes.For {
		h.polls[h.work.host[channel]][(at-h.sizes.Settle)/h.interval]++
	}
}

// most returns what a host gets in an interval, as a share of what its readers would send by
// themselves, that so large a part of all hosts and intervals do not exceed.
func (h *hostLoad) most(part float64) float64 {
	var shares []float64
	for host, polls := range h.polls {
		for _, n := range polls {
			shares = append(shares, n/h.readers[host])
		}
	}
	slices.Sort(shares)
	return shares[int(part*float64(len(shares)-1))]
}

// expectPolite returns what is expected of one of the worlds. A channel that suddenly changes more often than
// its primary has claimed looks for may get a request or two beyond what its readers would send.
func expectPolite(s coronaSizes, name string) []lab.Expected {
	all := []lab.Expected{
		{Name: name + ".detection_seconds", Unit: "s", Aside: true},
		{Name: name + ".polls", Within: lab.AtMost(s.amongHosts().legacyPolls())},
		{Name: name + ".host_most", Unit: "of its readers' polls", Aside: true},
		{Name: name + ".host_999_in_1000", Unit: "of its readers' polls", Aside: true},
		{Name: name + ".reached_all", Within: lab.AtLeast(0.99)},
	}
	if name == polite {
		all[3].Aside, all[3].Worst, all[3].Within = false, true, lab.AtMost(1)
	}
	if !s.full() {
		for i := range all {
			all[i].Aside, all[i].Worst, all[i].Within = true, false, lab.Bounds{}
		}
	}
	return all
}
