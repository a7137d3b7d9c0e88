package plan

import (
	"math"
	"slices"
	"time"

	"tidings/network/corona/curve"
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// counting is the aggregation phase (section 3.3). It asks contacts, row by row from the deepest, how many nodes they
// answer for, and what channels these are primary of. So one node's knowledge reaches all after as many rounds as there
// are rows.
type counting struct {
	turn       int // in view.order: the row to ask next
	next       engine.Timer
	rounds     int          // of asking so far
	steady     int          // of them, since one brought news
	news       bool         // this round did
	hasty      int          // quick rounds in a row, since contacts last changed
	most       int          // nodes that were counted lately: an eighth less each round
	own        summary      // of the channels that this node is primary of
	ownSum     uint64       // identifies own
	all        totals       // of all channels, when the latest round began
	aggregates []*Aggregate // by row: answers to an AggregateRequest; nil: to be made anew
}

// summary sums up many channels: a curve or, by the paper's settings, clusters.
type summary struct {
	curve    curve.Curve
	clusters honeycomb.Aggregate
	totals   totals // of either
}

// totals are the values that should soon be sent on when they change.
type totals [3]float64

func (t *totals) add(u totals) {
	for i := range t {
		t[i] += u[i]
	}
}

// quickRounds is how many rounds without news make rounds slow again. News of the deepest row needs so
// many to reach nodes that share no digit, in a ring of 4,000 nodes. Until then rounds are faster by quickly.
const (
	quickRounds = 3
	quickly     = 16
)

// mostHasty is how many rounds in a row are quick: as long as six slow ones. After that, while subscriptions or loads
// continue to change, rounds are only briskly faster. To send each change at once would cost more messages than the
// subscriptions do. Changed contacts make all rounds quick again.
const (
	mostHasty = 96
	briskly   = 4
)

// idleRound is the least length of a round if no known node has a channel. There is nothing to divide then, and changes
// of the ring make rounds quick.
const idleRound = 5 * time.Minute

// notablePart is the fraction of all by which a contact's channels must have changed to be news. Smaller changes spread
// in slow rounds.
const notablePart = 512

func (p *Plan) startCounting() {
	p.counting.next.Stop()
	p.counting.next = p.Env.After(p.pace(), p.tick)
}

// pace returns how long to wait before the next row is asked.
func (p *Plan) pace() time.Duration {
	round := p.config.AggregateEvery
	switch c := &p.counting; {
	case c.steady >= quickRounds && c.all == (totals{}):
		round = max(round, idleRound)
	case c.steady >= quickRounds:
	case c.hasty < mostHasty:
		round /= quickly
	default:
		round /= briskly
	}
	return p.Jitter(round / time.Duration(max(1, p.view.rows)))
}

// tick asks the contacts of the next row.
func (p *Plan) tick() {
	defer p.startCounting()
	c, order := &p.counting, p.view.order
	if c.turn >= len(order) {
		p.endRound()
		order = p.view.order
	}
	if !p.Ring.Active() || len(order) == 0 {
		return
	}
	for row := order[c.turn].row; c.turn < len(order) && order[c.turn].row == row; c.turn++ {
		p.request(order[c.turn])
	}
}

func (p *Plan) endRound() {
	c := &p.counting
	c.turn, c.rounds = 0, c.rounds+1
	if c.news || len(p.view.contacts) == 0 && c.rounds < quickRounds {
		c.steady = 0
	} else {
		c.steady = min(c.steady+1, quickRounds)
	}
	if c.hasty = min(c.hasty+1, mostHasty); c.steady >= quickRounds {
		c.hasty = 0
	}
	c.news = false
	c.most = max(p.soFar(), c.most*7/8)
	p.look()
	p.sumUpOwn()
	c.all = c.own.totals
	for _, contact := range p.view.contacts {
		c.all.add(contact.summary.totals)
	}
}

func (p *Plan) request(c *contact) {
	if c.asked == nil || c.asked.Sum != c.sum {
		c.asked = &AggregateRequest{Bits: uint8(c.bits), Sum: c.sum}
	}
	p.Env.Send(c.peer, c.asked)
}

func (p *Plan) answerAggregateRequest(from engine.Peer, m *AggregateRequest) {
	row := int(m.Bits)/p.config.Digit - 1
	if row < 0 || row+1 >= engine.Bits/p.config.Digit {
		return
	}
	a := p.aggregate(row)
	if a.Sum == m.Sum {
		a = &Aggregate{Bits: m.Bits, Sum: a.Sum}
	}
	p.Env.Send(from, a)
}

// aggregate returns the Aggregate of the nodes that share row+1 digits with this one.
func (p *Plan) aggregate(row int) *Aggregate {
	c := &p.counting
	for len(c.aggregates) <= row {
		c.aggregates = append(c.aggregates, nil)
	}
	if c.aggregates[row] == nil {
		bits := (row + 1) * p.config.Digit
		s := p.optimizer.merge(&c.own, p.view.within(uint8(bits)))
		a := &Aggregate{Bits: uint8(bits), Nodes: p.view.nodes(row + 1), Parts: p.view.parts(row), Curve: s.curve,
			Clusters: s.clusters}
		a.Sum = a.sum()
		c.aggregates[row] = a
	}
	return c.aggregates[row]
}

// invalidate drops the Aggregates that sum up contacts of a row.
func (c *counting) invalidate(row int) { clear(c.aggregates[:min(row, len(c.aggregates))]) }

func (p *Plan) receiveAggregate(from engine.Peer, m *Aggregate) {
	c := p.view.contact(from.ID)
	switch {
	case c == nil, int(m.Bits) != c.bits, m.Sum == c.sum, m.Nodes == 0:
		return
	case m.Curve.Validate() != nil, m.Clusters.Validate() != nil:
		return
	}
	if !c.former.IsZero() {
		p.duties.dismiss(c.former)
		c.former = engine.Peer{}
	}
	s := summary{curve: m.Curve, clusters: m.Clusters}
	s.totals = p.optimizer.totals(&s)
	nodes, parts := min(m.Nodes, p.Plausible(math.Ldexp(1, -c.bits))), m.Parts
	if tooMany := func(part uint32) bool { return part > nodes }; slices.ContainsFunc(parts, tooMany) {
		parts = nil
	}
	if slices.Equal(parts, c.parts) { // slots are divided again only if parts differ
		parts = c.parts
	}
	p.counting.invalidate(c.row)
	p.counting.news = p.counting.news || nodes != c.nodes || p.notable(c.summary.totals, s.totals)
	p.view.summed = p.view.summed && nodes == c.nodes
	// No code changes the Aggregate any more, so that its contents can be kept as they are.
	c.nodes, c.parts, c.summary, c.sum = nodes, parts, s, m.Sum
}

// Plausible returns how many nodes can be in such a share of a ring that is as dense as around this node. A higher
// count is treated as this one. It allows for the error of Ring.Nodes and for chance.
func (p *Plan) Plausible(share float64) uint32 {
	return uint32(min(4*float64(p.Ring.Nodes())*share+16, 1<<30))
}

// notable reports whether channels have changed so much that it should soon be sent on: by more than a fraction of all
// known channels.
func (p *Plan) notable(a, b totals) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > p.counting.all[i]/notablePart {
			return true
		}
	}
	return false
}

// sumUpOwn sums up the channels that this node is primary of.
func (p *Plan) sumUpOwn() {
	c, own := &p.counting, p.optimizer.own()
	mine := Aggregate{Curve: own.curve, Clusters: own.clusters}
	if sum := mine.sum(); sum != c.ownSum {
		own.totals, c.ownSum = p.optimizer.totals(&own), sum
		c.news = c.news || p.notable(own.totals, c.own.totals)
		if c.steady >= quickRounds && c.all == (totals{}) { // the first channel does not wait for an idle round to end
			c.steady = 0
			p.startCounting()
		}
		c.own = own
		c.invalidate(len(c.aggregates))
	}
}

// sum identifies an Aggregate's contents: 64 bits of FNV-1a.
func (a *Aggregate) sum() uint64 {
	h := fold(14695981039346656037, uint64(a.Nodes))
	for _, n := range a.Parts {
		h = fold(h, uint64(n))
	}
	h = fold(h, math.Float64bits(a.Curve.Base), math.Float64bits(a.Curve.Limit), math.Float64bits(a.Curve.Used))
	for _, kinks := range [][]curve.Kink{a.Curve.Rises, a.Curve.Falls} {
		for _, k := range kinks {
			h = fold(h, uint64(k.Bin), uint64(math.Float32bits(k.Slope)), uint64(math.Float32bits(k.Sum)))
		}
	}
	return max(1, foldClusters(h, &a.Clusters))
}

func fold(h uint64, values ...uint64) uint64 {
	for _, v := range values {
		h ^= v
		h *= 1099511628211
		h ^= h >> 29
	}
	return h
}
