package corona

import (
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// merged keeps an answer to an Ask.
type merged struct {
	stamp uint64
	tally *Tally
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
	n.census.counts.known = n.census.counts.known && nodes == c.nodes
	// The Tally is not changed any more, by anybody, so that its clusters can be kept as they are.
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
