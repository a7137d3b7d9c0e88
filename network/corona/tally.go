package corona

import (
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

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
	for len(c.tallies) <= row {
		c.tallies = append(c.tallies, nil)
	}
	if c.tallies[row] == nil {
		c.tallies[row] = n.sumUp(row)
	}
	return c.tallies[row]
}

// renew has the Tallies made anew that sum up contacts of a row.
func (c *census) renew(row int) { clear(c.tallies[:min(row, len(c.tallies))]) }

func (n *Node) sumUp(row int) *Tally {
	bits := (row + 1) * n.config.Digit
	all := &n.census.room
	all.Reset()
	all.Merge(&n.census.own)
	for _, c := range n.census.within(uint8(bits)) {
		all.Merge(&c.clusters)
	}
	t := &Tally{Bits: uint8(bits), Nodes: n.size(bits), Clusters: all.Clone(), Steer: n.planning.told()}
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
	n.census.renew(c.row)
	total := m.Clusters.Total()
	n.census.news = n.census.news || nodes != c.nodes || n.notable(&c.total, &total)
	n.census.counts.known = n.census.counts.known && nodes == c.nodes
	c.steer = m.Steer
	// The Tally is not changed any more, by anybody, so that its clusters can be kept as they are.
	c.nodes, c.clusters, c.total, c.sum = nodes, m.Clusters, total, m.Sum
}

// notable tells whether channels have changed so much that others should hear of it soon: by more
// than a part of all channels that are known. Their weights are estimated anew all the time.
func (n *Node) notable(a, b *honeycomb.Cluster) bool {
	all := &n.census.total
	differ := func(x, y, all, part uint64) bool { return max(x, y)-min(x, y) > all/part }
	return differ(a.Channels, b.Channels, all.Channels, notablePart) || differ(a.Subscribers, b.Subscribers, all.Subscribers, notablePart) ||
		differ(a.Load, b.Load, all.Load, notablePart) || differ(a.Weight, b.Weight, all.Weight, 16)
}

// notablePart is what part of the load a contact must have changed by. Steering needs to know it
// to some thousandths; what changes by less is heard of at leisure.
const notablePart = 512

// sumUpAll sums up the channels of all nodes, as far as is known.
func (n *Node) sumUpAll() {
	c := &n.census
	c.total = c.own.Total()
	for _, contact := range c.contacts {
		c.total.Add(contact.total)
	}
}

// sumUpOwn puts the channels that this node is primary of into clusters.
func (n *Node) sumUpOwn() {
	own := &n.census.room
	own.Reset()
	average := n.averageWedges()
	for _, o := range n.primaries() {
		n.addTo(own, o, average)
	}
	own.AddSlack(n.poller.cluster())
	if aggregateSum(own) != aggregateSum(&n.census.own) {
		n.census.renew(len(n.census.tallies))
		was, is := n.census.own.Total(), own.Total()
		n.census.news = n.census.news || n.notable(&was, &is)
		n.census.own = own.Clone()
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
