package plan

import (
	"math"
	"slices"
	"time"

	"tidings/network/engine"
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
	turnover   int          // contacts that were lost or replaced in this round
	most       int          // nodes that were counted lately: an eighth less each round
	own        Summary      // of the channels that this node is primary of
	all        Totals       // of all channels, when the latest round began
	aggregates []*Aggregate // by row: answers to an AggregateRequest; nil: to be made anew
}

func (t *Totals) add(u Totals) {
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

// upheaval is the part of a node's contacts that must be lost or replaced within a round for the next one to begin at
// once: many nodes have gone or come together. Until they are counted anew, versions have too few witnesses that all
// nodes believe.
const upheaval = 8

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
	case c.steady >= quickRounds && c.all == (Totals{}):
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
	c.turn, c.rounds, c.turnover = 0, c.rounds+1, 0
	if c.news || len(p.view.contacts) == 0 && c.rounds < quickRounds {
		c.steady = 0
	} else {
		c.steady = min(c.steady+1, quickRounds)
	}
	if c.hasty = min(c.hasty+1, mostHasty); c.steady >= quickRounds {
		c.hasty = 0
	}
	c.news = false
	c.most = max(p.ringSize().counted, c.most*7/8)
	p.look()
	p.sumUpOwn()
	c.all = c.own.Totals
	for _, contact := range p.view.contacts {
		c.all.add(contact.summary.Totals)
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
		s := p.optimizer.Merge(append([]*Summary{&c.own}, summaries(p.view.within(uint8(bits)))...))
		a := &Aggregate{Bits: uint8(bits), Nodes: p.view.nodes(row + 1), Parts: p.view.parts(row), Curve: s.Curve,
			Other: s.Other}
		a.Sum = a.sum(&s)
		c.aggregates[row] = a
	}
	return c.aggregates[row]
}

// summaries returns those of contacts.
func summaries(contacts []*contact) []*Summary {
	list := make([]*Summary, len(contacts))
	for i, c := range contacts {
		list[i] = &c.summary
	}
	return list
}

// invalidate drops the Aggregates that sum up contacts of a row.
func (c *counting) invalidate(row int) { clear(c.aggregates[:min(row, len(c.aggregates))]) }

func (p *Plan) receiveAggregate(from engine.Peer, m *Aggregate) {
	c := p.view.contact(from.ID)
	if c == nil || int(m.Bits) != c.bits || m.Sum == c.sum || m.Nodes == 0 {
		return
	}
	s, ok := p.optimizer.Read(m)
	if !ok {
		return
	}
	if !c.former.IsZero() {
		p.duties.dismiss(c.former)
		c.former = engine.Peer{}
	}
	nodes, parts := min(m.Nodes, p.Plausible(math.Ldexp(1, -c.bits))), m.Parts
	if tooMany := func(part uint32) bool { return part > nodes }; slices.ContainsFunc(parts, tooMany) {
		parts = nil
	}
	if slices.Equal(parts, c.parts) { // slots are divided again only if parts differ
		parts = c.parts
	}
	p.counting.invalidate(c.row)
	p.counting.news = p.counting.news || nodes != c.nodes || p.notable(c.summary.Totals, s.Totals)
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
func (p *Plan) notable(a, b Totals) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > p.counting.all[i]/notablePart {
			return true
		}
	}
	return false
}

// sumUpOwn sums up the channels that this node is primary of.
func (p *Plan) sumUpOwn() {
	c, own := &p.counting, p.optimizer.Own()
	if own.Sum != c.own.Sum {
		c.news = c.news || p.notable(own.Totals, c.own.Totals)
		if c.steady >= quickRounds && c.all == (Totals{}) { // the first channel does not wait for an idle round to end
			c.steady = 0
			p.startCounting()
		}
		c.own = own
		c.invalidate(len(c.aggregates))
	}
}

// sum identifies an Aggregate's contents, which are those of s besides.
func (a *Aggregate) sum(s *Summary) uint64 {
	h := Fold(s.Sum, uint64(a.Nodes))
	for _, n := range a.Parts {
		h = Fold(h, uint64(n))
	}
	return max(1, h)
}

// Fold continues a hash h: 64 bits of FNV-1a, with whole values in place of bytes.
func Fold(h uint64, values ...uint64) uint64 {
	for _, v := range values {
		h ^= v
		h *= 1099511628211
		h ^= h >> 29
	}
	return h
}
