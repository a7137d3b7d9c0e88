package corona

import (
	"time"

	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// aggregation is what a node knows of all others: for each slot of the routing table that is not
// empty a contact, and what that one says of the nodes below it. Contacts of one node share no
// node below them, and together with the node itself they stand for all.
type aggregation struct {
	contacts   []*contact               // by ID of the peer
	reach      [engine.Bits + 1]stretch // of contacts, by the bits that they share with this node
	slots      []*contact               // the same, by row and digit of the routing table; nil: that slot is empty
	order      []*contact               // the same, the deepest row first
	rows       int                      // that they stand in
	turn       int                      // in order: whose row is asked next
	next       engine.Timer
	rounds     int  // rounds of asking so far
	steady     int  // of them, since one brought news
	news       bool // this round did
	hasty      int  // rounds in a row that were quick, since contacts changed last
	own        honeycomb.Aggregate
	scratch    honeycomb.Aggregate // to sum up in
	total      honeycomb.Cluster   // of all channels, when the latest round began
	aggregates []*Aggregate        // by row: answers to an AggregateRequest; nil: to be made anew
	counts     counts
}

// quickRounds is how many rounds without news it takes until contacts are asked at leisure:
// news of the deepest row takes so many to arrive at nodes that share no digit, in a ring of
// 4,000 nodes. quickly is by how much rounds are faster until then.
const (
	quickRounds = 3
	quickly     = 16
)

// mostHasty is how many rounds in a row are quick: as long as six take at leisure. Beyond, while users go on to
// subscribe, or loads to change, rounds are only briskly faster: to hear of each change at once would cost more
// messages than the subscriptions do. Contacts that change make all rounds quick again.
const (
	mostHasty = 96
	briskly   = 4
)

func (n *planner) startAggregation() {
	n.aggregation.next.Stop()
	n.aggregation.next = n.Env.After(n.aggregationPace(), n.aggregationTick)
}

// aggregationPace returns how long to wait before the next row is asked.
func (n *planner) aggregationPace() time.Duration {
	round := n.config.AggregateEvery
	switch {
	case n.aggregation.steady >= quickRounds:
	case n.aggregation.hasty < mostHasty:
		round /= quickly
	default:
		round /= briskly
	}
	return n.Jitter(round / time.Duration(max(1, n.aggregation.rows)))
}

// aggregationTick asks the contacts of the next row.
func (n *planner) aggregationTick() {
	defer n.startAggregation()
	c := &n.aggregation
	if c.turn >= len(c.contacts) {
		n.endRound()
	}
	if !n.Ring.Active() || len(c.contacts) == 0 {
		return
	}
	for row := c.order[c.turn].row; c.turn < len(c.order) && c.order[c.turn].row == row; c.turn++ {
		n.requestAggregate(c.order[c.turn])
	}
}

func (n *planner) endRound() {
	c := &n.aggregation
	c.turn, c.rounds = 0, c.rounds+1
	if c.news || len(c.contacts) == 0 && c.rounds < quickRounds {
		c.steady = 0
	} else {
		c.steady = min(c.steady+1, quickRounds)
	}
	if c.hasty = min(c.hasty+1, mostHasty); c.steady >= quickRounds {
		c.hasty = 0
	}
	c.news = false
	n.lookForContacts()
	n.sumUpOwn()
	n.sumUpAll()
	n.node.budget.ClaimGrown()
}

func (n *planner) requestAggregate(c *contact) {
	if c.asked == nil || c.asked.Sum != c.sum {
		c.asked = &AggregateRequest{Bits: uint8((c.row + 1) * n.config.Digit), Sum: c.sum}
	}
	n.Env.Send(c.peer, c.asked)
}

func (n *planner) aggregationChanged() {
	n.aggregation.news, n.aggregation.hasty = true, 0
	n.aggregation.invalidate(len(n.aggregation.aggregates))
}

// plausible returns how many nodes can share so many bits, in a ring as dense as it is around this
// node: who says more is taken to have said this. It leaves room for the error of Ring.Nodes and
// for chance.
func (n *planner) Plausible(bits int) uint32 {
	return uint32(min(4*(n.Ring.Nodes()>>min(bits, 62))+16, 1<<30))
}

// counts keeps how many nodes share so many first bits with this one, itself included.
type counts struct {
	known bool
	by    [engine.Bits + 1]uint32
	// wedges has what wedgesOf makes of them, by the slot of the routing table that a channel belongs
	// into; nil: it has not been asked.
	wedges []*honeycomb.Wedges
}

// size returns how many nodes share the first bits with this one, itself included, as far as is
// known.
func (n *planner) size(bits int) uint32 {
	c := &n.aggregation.counts
	if !c.known {
		n.countAgain()
	}
	return c.by[bits]
}

func (n *planner) countAgain() {
	c := &n.aggregation.counts
	if c.wedges == nil {
		c.wedges = make([]*honeycomb.Wedges, (engine.Bits/n.config.Digit+1)<<n.config.Digit)
	}
	clear(c.wedges)
	*c = counts{known: true, wedges: c.wedges}
	for _, contact := range n.aggregation.contacts {
		c.by[contact.bits] = addUint32(c.by[contact.bits], contact.nodes)
	}
	all := uint32(1)
	for bits := engine.Bits; bits >= 0; bits-- {
		all = addUint32(all, c.by[bits])
		c.by[bits] = all
	}
}

// addUint32 returns a + b, or the greatest number there is.
func addUint32(a, b uint32) uint32 {
	if a+b < a {
		return 1<<32 - 1
	}
	return a + b
}
