package corona

import (
	"math"
	"time"

	"tidings/network/corona/roster"
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// A host's requests are divided by the solver that levels are chosen by, twice: within what its readers
// would send, and within the ceiling; of the two levels the one of fewer polls holds. A channel is
// worth the square of its readers, so that it gets requests in proportion to them: whoever makes up
// channels gets no more than his readers' share, however many channels they are. By the ceiling, where
// channels take from each other, each node has one voice, which it divides among its channels: there
// the readers that it says it has count for nothing.
//
// By the ceiling a channel is charged for the most that can come of a grant, with a primary that lies:
// for twice a large wedge (each member can be made to poll once more), and the polls that reports
// cause. Two fifths of the ceiling are divided, as primaries can tell different owners different things
// (see doc.go); and of that a quarter is left for channels that come later.
const (
	ceilingShare      = 0.4
	wedgesShare       = 0.75
	slowest           = 10 // a channel is polled every 2^10 intervals at least
	seldomest         = 28 * 24 * time.Hour
	finestLevels      = 20 // of wedges
	verifiesPerMember = 2  // polls that each member can be made to make in an interval
	unevenness        = 2  // how many of the channels that are polled seldom may be so at once
	levelsOfGrants    = finestLevels + 1 + slowest
)

// portion is what a channel can be granted, and what it then costs.
type portion struct {
	bits     uint8
	slow     uint8   // a primary alone polls once in 2^slow intervals
	every    uint32  // that in seconds; 0: the interval
	polls    float64 // in an interval, as the primary expects them
	verifies float64 // out of turn, in an interval
	most     float64 // requests in an interval that can come of it
}

// portions returns what a channel can be granted, what allows most first.
func (n *budgeter) portions(c *claimed) (list []portion) {
	const step = 1
	first := (int(c.claim.Bits) + step - 1) / step * step
	for bits := first; bits < alone && n.Ring.Nodes()>>min(bits, 62) > 1 && len(list) < finestLevels; bits += step {
		list = append(list, n.portion(c, uint8(bits), 0))
	}
	for slow := 0; slow == 0 || slow <= slowest && n.config.Interval<<slow <= seldomest; slow++ {
		list = append(list, n.portion(c, alone, slow))
	}
	return list
}

// portion returns what a level comes to, or, for a primary alone, one poll in 2^slow intervals.
func (n *budgeter) portion(c *claimed, bits uint8, slow int) portion {
	if bits == alone {
		p := portion{bits: alone, polls: math.Ldexp(1, -slow), most: 1, slow: uint8(slow)}
		if slow > 0 {
			p.every, p.most = inSeconds(n.config.Interval<<slow), unevenness*p.polls
		}
		return p
	}
	expected, counted := math.Ldexp(float64(n.Ring.Nodes()), -int(bits)), n.counted(&c.claim, int(bits))
	return portion{
		bits: bits, polls: max(expected, counted), verifies: float64(min(max(c.claim.Verifies, 1), verifiesPerWedge)),
		most: verifiesPerMember*max(expected+2*math.Sqrt(expected), counted) + 2*verifiesPerWedge,
	}
}

// counted returns how many pollers a primary has counted at a level, or would have by those that it has, as far as
// there can be so many.
func (n *budgeter) counted(c *Claim, bits int) float64 {
	if len(c.Pollers) == 0 {
		return 0
	}
	last := len(c.Pollers) - 1
	at := min(max(0, (bits-int(c.Bits))/1), last)
	counted := math.Ldexp(float64(c.Pollers[at]), int(c.Bits)+at-bits)
	return min(counted, float64(n.node.plan.Plausible(math.Ldexp(1, -bits))))
}

// requests returns what a host gets in an interval from a channel whose primary is honest.
func (p portion) requests() float64 { return p.polls + p.verifies }

// divide gives each channel of a host its part, and tells the primaries that wait for it.
func (n *budgeter) divide(h *host) {
	readers, all := n.provedReaders(h, float64(n.config.MaxHostReaders))
	voices, _ := n.provedReaders(h, 1)
	n.Env.Trace(Divided{h.key, len(h.claims), all})
	ceiling := ceilingShare * float64(n.config.HostCeiling)
	byReaders := n.solve(h, readers, all, portion.requests)
	byCeiling := n.solve(h, voices, wedgesShare*ceiling, func(p portion) float64 { return p.most })
	d := &division{host: h, headroom: ceiling - n.heldBy(h), allowance: all, out: make(map[engine.ID]*Grants)}
	for _, c := range h.claims {
		d.allowance -= n.latest(c).requests()
	}
	for _, more := range []bool{false, true} { // who gets less makes room
		for i, c := range h.claims {
			if c.pending && readers[i] > 0 {
				n.grant(d, c, max(byReaders[i], byCeiling[i]), more)
			}
		}
	}
	n.sendGrants(d)
}

// provedReaders returns how many readers of each channel count, and of all, where of one node no more
// than most count.
func (n *budgeter) provedReaders(h *host, most float64) (readers []float64, all float64) {
	nodes := make(map[engine.ID]float64)
	for _, c := range h.claims {
		for _, s := range c.sample {
			nodes[s.Node] += s.Count
		}
	}
	share := func(node engine.ID) float64 { return min(1, most/nodes[node]) }
	readers = make([]float64, len(h.claims))
	for i, c := range h.claims {
		readers[i] = min(roster.EstimateReaders(c.sample, share), float64(c.claim.Readers))
		all += readers[i]
	}
	return readers, all
}

// solve returns the index of the best portion of each channel within a limit.
func (n *budgeter) solve(h *host, readers []float64, limit float64, load func(portion) float64) []int {
	var p honeycomb.Problem
	var costs, loads [levelsOfGrants]float64
	at := make([]int, len(h.claims))
	index := make([]int, len(h.claims))
	for i, c := range h.claims {
		list := n.portions(c)
		worth := max(readers[i], 1e-6)
		for j, q := range list {
			costs[j], loads[j] = worth*worth/q.polls, load(q)
		}
		// The amounts are within honeycomb's bounds: there are no errors.
		index[i], _ = p.Add(honeycomb.Choice{Alike: 1, Costs: costs[:len(list)], Loads: loads[:len(list)]})
	}
	s := p.Solve(limit)
	for i := range at {
		at[i] = s.Level(index[i])
	}
	return at
}

// heldBy returns the most requests that can come of all that was granted.
func (n *budgeter) heldBy(h *host) (sum float64) {
	for _, c := range h.claims {
		sum += n.heldOf(c)
	}
	return sum
}

// heldOf returns the most requests that can come of what a channel was granted.
func (n *budgeter) heldOf(c *claimed) (most float64) {
	n.expireHeld(c)
	for _, g := range c.held {
		most = max(most, g.most)
	}
	return most
}

// latest returns what a channel was granted last, nothing if that holds no more.
func (n *budgeter) latest(c *claimed) portion {
	if c.latest.until <= n.Env.Wall().Unix() {
		return portion{}
	}
	return c.latest.portion
}

func (n *budgeter) expireHeld(c *claimed) {
	now, left := n.Env.Wall().Unix(), c.held[:0]
	for _, g := range c.held {
		if g.until > now {
			left = append(left, g)
		}
	}
	c.held = left
}
