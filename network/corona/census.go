package corona

import (
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// census is what a node knows of all others: for each slot of the routing table that is not
// empty a contact, and what that one says of the nodes below it. Contacts of one node share no
// node below them, and together with the node itself they stand for all.
type census struct {
	contacts []*contact // by ID of the peer
	order    []*contact // the same, the deepest row first
	turn     int        // in order: who is asked next
	next     engine.Timer
	rounds   int  // rounds of asking so far
	steady   int  // of them, since one brought news
	news     bool // this round did
	own      honeycomb.Aggregate
	merged   []merged // by row
	stamp    uint64   // counts changes of what is known
}

// contact is who stands for a slot of the routing table.
type contact struct {
	peer engine.Peer
	bits int // that it shares with this node
	row  int // digits that it shares with this node
	// What it said of its subtree, those who share row+1 digits with it. A contact that
	// stands in for another starts with what that one said.
	nodes    uint32
	clusters honeycomb.Aggregate
	sum      uint64 // of the Tally; 0: it has not said anything

	greeted  bool          // it was told all orders that concern it
	tell     time.Duration // when a Standing is due because orders have changed; 0: none
	tells    int           // that were sent since they have
	repeated time.Duration // when all orders were repeated to it last; 0: never
}

// merged keeps an answer to an Ask.
type merged struct {
	stamp uint64
	tally *Tally
}

// quickRounds is how many rounds without news it takes until contacts are asked at leisure:
// news of the deepest row takes so many to arrive at nodes that share no digit, in a ring of
// 4,000 nodes. quickly is by how much rounds are faster until then.
const (
	quickRounds = 3
	quickly     = 16
)

func (n *Node) startCensus() {
	n.census.next.Stop()
	n.census.next = n.env.After(n.censusPace(), n.censusTick)
}

// censusPace returns how long to wait before the next contact is asked.
func (n *Node) censusPace() time.Duration {
	round := n.config.TallyEvery
	if n.census.steady < quickRounds {
		round /= quickly
	}
	return n.jitter(round / time.Duration(max(1, len(n.census.contacts))))
}

// censusTick asks the next contact.
func (n *Node) censusTick() {
	defer n.startCensus()
	c := &n.census
	if c.turn >= len(c.contacts) {
		n.endRound()
	}
	if !n.ring.Active() || len(c.contacts) == 0 {
		return
	}
	n.ask(c.order[c.turn])
	c.turn++
}

func (n *Node) endRound() {
	c := &n.census
	c.turn, c.rounds = 0, c.rounds+1
	if c.news || len(c.contacts) == 0 && c.rounds < quickRounds {
		c.steady = 0
	} else {
		c.steady = min(c.steady+1, quickRounds)
	}
	c.news = false
	n.lookForContacts()
	n.sumUpOwn()
}

func (n *Node) ask(c *contact) {
	n.env.Send(c.peer, &Ask{Bits: uint8((c.row + 1) * n.config.Digit), Sum: c.sum})
}

// lookForContacts brings the list of contacts up to date with the ring. A contact stays as long
// as the ring knows it, even where it now knows one that is nearer: whoever stands in the same
// place has to be told all orders anew.
func (n *Node) lookForContacts() {
	c := &n.census
	var list []*contact
	for _, p := range n.ring.WedgeContacts(n.env.Self().ID, 0) {
		bits := n.env.Self().ID.CommonBits(p.ID)
		row := bits / n.config.Digit
		old := n.inSlot(p.ID, (row+1)*n.config.Digit)
		switch {
		case old == nil:
			old = &contact{peer: p, bits: bits, row: row, nodes: 1}
			n.newContact(old)
		case old.peer.ID == p.ID:
			old.peer = p
		case !n.ring.Knows(old.peer.ID):
			n.replaceContact(old, p, bits)
		}
		list = append(list, old)
	}
	slices.SortFunc(list, func(a, b *contact) int { return a.peer.ID.Compare(b.peer.ID) })
	if !slices.Equal(list, c.contacts) {
		c.contacts = list
		c.order = slices.Clone(list)
		slices.SortStableFunc(c.order, func(a, b *contact) int { return b.row - a.row })
		c.turn = min(c.turn, len(list))
		n.censusChanged()
		n.wedges.relayout = true
	}
}

// inSlot returns the contact that shares the first bits of id; nil if there is none.
func (n *Node) inSlot(id engine.ID, bits int) *contact {
	for _, c := range n.census.contacts {
		if c.peer.ID.CommonBits(id) >= bits {
			return c
		}
	}
	return nil
}

// contactOf returns the contact with that ID; nil if it is none.
func (n *Node) contactOf(id engine.ID) *contact { return n.inSlot(id, engine.Bits) }

func (n *Node) newContact(c *contact) {
	n.census.news = true
	n.ask(c)
	n.greet(c)
}

func (n *Node) replaceContact(c *contact, p engine.Peer, bits int) {
	n.dismiss(c.peer)
	c.peer, c.bits, c.sum = p, bits, 0
	n.newContact(c)
	n.censusChanged()
}

// lostContact looks who stands in for a peer that cannot be reached.
func (n *Node) lostContact(p engine.Peer) {
	if n.contactOf(p.ID) != nil {
		n.lookForContacts()
	}
}

func (n *Node) censusChanged() {
	n.census.news = true
	n.census.stamp++
}

func (n *Node) answerAsk(from engine.Peer, m *Ask) {
	row := int(m.Bits)/n.config.Digit - 1
	if row < 0 || row >= engine.Bits/n.config.Digit {
		return
	}
	t := n.tally(row)
	if t.Sum == m.Sum {
		t = &Tally{Bits: m.Bits, Sum: t.Sum}
	}
	n.env.Send(from, t)
}

// tally returns the Tally of those who share row+1 digits with this node.
func (n *Node) tally(row int) *Tally {
	c := &n.census
	for len(c.merged) <= row {
		c.merged = append(c.merged, merged{})
	}
	if m := &c.merged[row]; m.tally == nil || m.stamp != c.stamp {
		*m = merged{c.stamp, n.sumUp(row)}
	}
	return c.merged[row].tally
}

func (n *Node) sumUp(row int) *Tally {
	bits := (row + 1) * n.config.Digit
	t := &Tally{Bits: uint8(bits), Nodes: n.size(bits)}
	t.Clusters.Merge(&n.census.own)
	for _, c := range n.census.contacts {
		if c.bits >= bits {
			t.Clusters.Merge(&c.clusters)
		}
	}
	t.Sum = tallySum(t)
	return t
}

func (n *Node) takeTally(from engine.Peer, m *Tally) {
	c := n.contactOf(from.ID)
	if c == nil || int(m.Bits) != (c.row+1)*n.config.Digit || m.Sum == c.sum || m.Nodes == 0 {
		return
	}
	if m.Clusters.Validate() != nil {
		return
	}
	nodes := min(m.Nodes, n.plausible(int(m.Bits)))
	n.census.stamp++
	n.census.news = n.census.news || nodes != c.nodes || notable(&c.clusters, &m.Clusters)
	c.nodes, c.clusters, c.sum = nodes, m.Clusters, m.Sum
}

// notable tells whether channels have changed so much that others should hear of it soon: steer
// needs to know the load well. Their weights are estimated anew all the time; that alone is no
// reason to ask more often.
func notable(before, after *honeycomb.Aggregate) bool {
	a, b := before.Total(), after.Total()
	differ := func(x, y, part uint64) bool { return max(x, y)-min(x, y) > max(x, y)/part }
	return differ(a.Channels, b.Channels, 1024) || differ(a.Subscribers, b.Subscribers, 1024) ||
		differ(a.Load, b.Load, 1024) || differ(a.Weight, b.Weight, 64)
}

// plausible returns how many nodes can share so many bits, in a ring as dense as it is around this
// node: who says more is taken to have said this. It leaves room for the error of Ring.Nodes and
// for chance.
func (n *Node) plausible(bits int) uint32 {
	return uint32(min(4*(n.ring.Nodes()>>min(bits, 62))+16, 1<<30))
}

// size returns how many nodes share the first bits with this one, itself included, as far as is
// known.
func (n *Node) size(bits int) uint32 {
	size := uint32(1)
	for _, c := range n.census.contacts {
		if c.bits >= bits {
			size = addUint32(size, c.nodes)
		}
	}
	return size
}

// addUint32 returns a + b, or the greatest number there is.
func addUint32(a, b uint32) uint32 {
	if a+b < a {
		return 1<<32 - 1
	}
	return a + b
}

// sumUpOwn puts the channels that this node is primary of into clusters.
func (n *Node) sumUpOwn() {
	var own honeycomb.Aggregate
	average := n.averageWedges()
	for _, o := range n.primaries() {
		n.addTo(&own, o, average)
	}
	if aggregateSum(&own) != aggregateSum(&n.census.own) {
		n.census.stamp++
		n.census.news = n.census.news || notable(&n.census.own, &own)
		n.census.own = own
	}
}

// tallySum names what a Tally says: 64 bits of FNV-1a.
func tallySum(t *Tally) uint64 {
	return max(1, fold(aggregateSum(&t.Clusters), uint64(t.Nodes)))
}

func aggregateSum(a *honeycomb.Aggregate) uint64 {
	h := uint64(14695981039346656037)
	for l := range a.Levels {
		h = fold(h, uint64(l), uint64(a.Levels[l].Scale))
		for i := range a.Levels[l].Bins {
			b := &a.Levels[l].Bins[i]
			h = foldCluster(fold(h, uint64(b.Index)), &b.Cluster)
		}
	}
	return foldCluster(h, &a.Slack)
}

func foldCluster(h uint64, c *honeycomb.Cluster) uint64 {
	return fold(h, c.Channels, c.Subscribers, c.Size, c.Weight, c.Due, c.Load, c.Delay)
}

func fold(h uint64, values ...uint64) uint64 {
	for _, v := range values {
		h ^= v
		h *= 1099511628211
		h ^= h >> 29
	}
	return h
}

// jitter returns a time a little below d, so that what nodes do at intervals does not fall
// together.
func (n *Node) jitter(d time.Duration) time.Duration {
	return d - time.Duration(n.env.Rand().Int64N(int64(d/8)+1))
}
