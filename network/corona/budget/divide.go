package budget

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// A host's requests are divided in proportion to the readers of its channels. Each channel gets the largest portion
// that costs no more than a number of requests a reader. That number is the largest that fits. So an attacker that
// invents channels gets no more than its readers' share, however many channels there are. The division is done twice,
// within what the readers would send and within the ceiling, and the smaller portion holds. By the ceiling, where
// channels compete, each node has one voice, which it divides among its channels: claimed readers do not count there.
//
// By the ceiling a channel is charged for the most that a grant can cause with a primary that lies. That is twice a
// large polling set (each member can be made to poll once more), and the polls that reports cause. Two fifths of the
// ceiling are divided, as primaries can send different owners different claims. Of that a quarter is left for later
// channels.
const (
	ceilingShare      = 0.4
	earlierShare      = 0.75 // of that, for the present channels
	slowest           = 10   // a channel is polled at least every 2^10 intervals
	seldomest         = 28 * 24 * time.Hour
	verifiesPerMember = 2 // polls that each member can be made to make in an interval
	unevenness        = 2 // how many of the seldom polled channels may be polled at once
	leastReaders      = 1e-6
	// keptBack is the part of what readers would send that is not granted. Polls move when sets change, and a few then
	// come twice in an interval. A host also has one poll to spare, for an unexpected change, but at most spareShare of
	// its readers. With so few readers its primaries poll alone, and verify nothing.
	keptBack   = 0.01
	spareShare = 1. / 3

	// MaxVerifies is how many polls out of turn a channel with a polling set has in an interval; in some intervals
	// twice as many.
	MaxVerifies = 6
)

// portion is a possible grant to a channel, and its cost.
type portion struct {
	size     machine.Size
	every    uint32  // seconds between polls of a primary that polls alone; 0: the interval
	polls    float64 // in an interval, as the primary expects them
	verifies float64 // out of turn, in an interval
	most     float64 // requests in an interval that it can cause
}

// requests returns how many requests an honest primary causes in an interval.
func (p portion) requests() float64 { return p.polls + p.verifies }

// ceiling returns how many requests a malicious primary can cause.
func (p portion) ceiling() float64 { return p.most }

// menu lists the possible grants to a channel, the largest first. It has sizes from the wanted one on, as long as a set
// has a node on average. Then come the primary alone each interval, and each 2, 4, 8, …
type menu struct {
	*core
	nodes    float64
	counted  []uint32 // pollers that the primary has counted, for each size from the first on
	verifies float64
	first    int // machine.Fine(first) is the first of the sizes
	sets     int
	slows    int // ways to poll alone
}

func (h *hosts) menu(c *claimed) menu {
	wants, end := c.claim.Size.Share(), machine.Steps*machine.MaxSizeBits
	m := menu{core: h.core, nodes: h.nodes(), counted: c.claim.Pollers,
		verifies: float64(min(c.claim.Verifies, MaxVerifies)), slows: 1}
	m.first = sort.Search(end, func(k int) bool { return machine.Fine(k).Share() <= wants })
	m.sets = sort.Search(end-m.first, func(i int) bool { return m.nodes*machine.Fine(m.first+i).Share() <= 1 })
	for m.slows <= slowest && h.config.Interval<<m.slows <= seldomest {
		m.slows++
	}
	return m
}

func (m *menu) len() int { return m.sets + m.slows }

// at returns the i-th portion.
func (m *menu) at(i int) portion {
	if slow := i - m.sets; slow >= 0 {
		p := portion{size: machine.Alone, polls: 1 / float64(uint(1)<<slow), most: 1}
		if slow > 0 {
			p.every, p.most = machine.InSeconds(m.config.Interval<<slow), unevenness*p.polls
		}
		return p
	}
	size := machine.Fine(m.first + i)
	expected := m.nodes * size.Share()
	counted := expected
	if last := len(m.counted) - 1; last >= 0 {
		at := min(i, last)
		counted = min(float64(m.counted[at])*size.Share()/machine.Fine(m.first+at).Share(),
			float64(m.host.Plausible(size.Share())))
	}
	return portion{
		size: size, polls: max(1, expected-math.Sqrt(expected), counted), verifies: m.verifies,
		most: verifiesPerMember*max(expected+2*math.Sqrt(expected), counted) + 2*MaxVerifies,
	}
}

// sharing divides a limit, with a cost for each portion.
type sharing struct {
	menus   []menu
	readers []float64
	limit   float64
	cost    func(portion) float64
}

// shares is a division of a limit.
type shares struct {
	at   []int   // the position of each channel's portion
	each float64 // what a portion may cost for each reader; some are one step larger
	sum  float64 // cost of all portions
}

// share finds the highest cost a reader at which all portions stay within the limit. The rest goes to the channels
// whose next step costs least a reader, a step each. Only the smallest possible portions can exceed the limit.
func share(menus []menu, readers []float64, limit float64, cost func(portion) float64) shares {
	s, all := sharing{menus, readers, limit, cost}, 0.
	least, largest := make([]int, len(menus)), make([]int, len(menus)) // positions
	for i := range menus {
		all += max(readers[i], leastReaders)
		least[i] = menus[i].len() - 1
	}
	low := s.within(0, largest, least)
	if low.sum > limit {
		return low
	}
	high := s.within(limit/all, largest, least)
	for high.sum <= limit { // until it is too much, or all channels have what they want
		if slices.Equal(high.at, largest) {
			return high
		}
		low, high = high, s.within(2*high.each, largest, high.at)
	}
	for high.each > low.each*(1+1e-4) {
		if middle := s.within((low.each+high.each)/2, high.at, low.at); middle.sum <= limit {
			low = middle
		} else {
			high = middle
		}
	}
	s.fillUp(&low)
	return low
}

// within assigns each channel its largest portion that costs at most each for a reader, between largest and least.
// Least is always allowed.
func (s *sharing) within(each float64, largest, least []int) shares {
	made := shares{at: make([]int, len(s.menus)), each: each}
	for i := range s.menus {
		m, most := &s.menus[i], each*max(s.readers[i], leastReaders)
		made.at[i] = largest[i] + sort.Search(least[i]-largest[i],
			func(k int) bool { return s.cost(m.at(largest[i]+k)) <= most })
		made.sum += s.cost(m.at(made.at[i]))
	}
	return made
}

// fillUp distributes the rest of a limit.
func (s *sharing) fillUp(made *shares) {
	type step struct {
		of   int
		each float64 // its cost for each reader
		more float64
	}
	var steps []step
	for i := range s.menus {
		if m, at := &s.menus[i], made.at[i]; at > 0 {
			next := s.cost(m.at(at - 1))
			steps = append(steps, step{i, next / max(s.readers[i], leastReaders), next - s.cost(m.at(at))})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.each, b.each) })
	for _, p := range steps {
		if made.sum+p.more <= s.limit {
			made.sum += p.more
			made.at[p.of]--
		}
	}
}

// divide divides a host among its channels, and notifies the primaries that wait.
func (h *hosts) divide(of *host) {
	readers, all := of.provedReaders(float64(h.config.MaxHostReaders))
	voices, _ := of.provedReaders(1)
	h.Env.Trace(Divided{of.key, len(of.claims), all})
	menus := make([]menu, len(of.claims))
	for i, c := range of.claims {
		menus[i] = h.menu(c)
	}
	ceiling := ceilingShare * float64(h.config.HostCeiling)
	all -= keptBack*all + min(1, spareShare*all)
	byReaders := share(menus, readers, all, portion.requests)
	byCeiling := share(menus, voices, earlierShare*ceiling, portion.ceiling)
	d := &division{hosts: h, host: of, headroom: ceiling, allowance: all, out: make(map[engine.ID]*Grants)}
	for _, c := range of.claims {
		d.headroom -= h.heldOf(c)
		d.allowance -= h.latest(c).requests()
	}
	for _, more := range []bool{false, true} { // channels that lose make room
		for i, c := range of.claims {
			if c.pending && readers[i] > 0 {
				d.grant(c, &menus[i], max(byReaders.at[i], byCeiling.at[i]), more)
			}
		}
	}
	d.send()
}

// provedReaders returns how many readers count for each channel and for all, with at most most of one node.
func (of *host) provedReaders(most float64) (readers []float64, all float64) {
	nodes := make(map[engine.ID]float64)
	for _, c := range of.claims {
		for _, s := range c.sample {
			nodes[s.Node] += s.Count
		}
	}
	share := func(node engine.ID) float64 { return min(1, most/nodes[node]) }
	readers = make([]float64, len(of.claims))
	for i, c := range of.claims {
		readers[i] = min(roster.EstimateReaders(c.sample, share), float64(c.claim.Readers))
		all += readers[i]
	}
	return readers, all
}
