package corona

import (
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

func (n *planner) answerAggregateRequest(from engine.Peer, m *AggregateRequest) {
	row := int(m.Bits)/n.config.Digit - 1
	if row < 0 || row >= engine.Bits/n.config.Digit {
		return
	}
	t := n.aggregate(row)
	if t.Sum == m.Sum {
		t = &Aggregate{Bits: m.Bits, Sum: t.Sum}
	}
	n.Env.Send(from, t)
}

// aggregate returns the Aggregate of those who share row+1 digits with this node.
func (n *planner) aggregate(row int) *Aggregate {
	c := &n.aggregation
	for len(c.aggregates) <= row {
		c.aggregates = append(c.aggregates, nil)
	}
	if c.aggregates[row] == nil {
		c.aggregates[row] = n.sumUp(row)
	}
	return c.aggregates[row]
}

// invalidate has the Aggregates made anew that sum up contacts of a row.
func (c *aggregation) invalidate(row int) { clear(c.aggregates[:min(row, len(c.aggregates))]) }

func (n *planner) sumUp(row int) *Aggregate {
	bits := (row + 1) * n.config.Digit
	all := &n.aggregation.scratch
	all.Reset()
	all.Merge(&n.aggregation.own)
	for _, c := range n.aggregation.within(uint8(bits)) {
		all.Merge(&c.clusters)
	}
	t := &Aggregate{Bits: uint8(bits), Nodes: n.size(bits), Clusters: all.Clone(), Steer: n.planning.told()}
	t.Sum = aggregateSum(t)
	return t
}

func (n *planner) takeAggregate(from engine.Peer, m *Aggregate) {
	c := n.contactOf(from.ID)
	if c == nil || int(m.Bits) != (c.row+1)*n.config.Digit || m.Sum == c.sum || m.Nodes == 0 {
		return
	}
	if m.Clusters.Validate() != nil {
		return
	}
	nodes := min(m.Nodes, n.Plausible(int(m.Bits)))
	n.aggregation.invalidate(c.row)
	total := m.Clusters.Total()
	n.aggregation.news = n.aggregation.news || nodes != c.nodes || n.notable(&c.total, &total)
	n.aggregation.counts.known = n.aggregation.counts.known && nodes == c.nodes
	c.steer = m.Steer
	// The Aggregate is not changed any more, by anybody, so that its clusters can be kept as they are.
	c.nodes, c.clusters, c.total, c.sum = nodes, m.Clusters, total, m.Sum
}

// notable reports whether channels have changed so much that others should hear of it soon: by more
// than a part of all channels that are known. Their weights are estimated anew all the time.
func (n *planner) notable(a, b *honeycomb.Cluster) bool {
	all := &n.aggregation.total
	differ := func(x, y, all, part uint64) bool { return max(x, y)-min(x, y) > all/part }
	return differ(a.Channels, b.Channels, all.Channels, notablePart) || differ(a.Subscribers, b.Subscribers, all.Subscribers, notablePart) ||
		differ(a.Load, b.Load, all.Load, notablePart) || differ(a.Weight, b.Weight, all.Weight, 16)
}

// notablePart is what part of the load a contact must have changed by. Steering needs to know it
// to some thousandths; what changes by less is heard of at leisure.
const notablePart = 512

// sumUpAll sums up the channels of all nodes, as far as is known.
func (n *planner) sumUpAll() {
	c := &n.aggregation
	c.total = c.own.Total()
	for _, contact := range c.contacts {
		c.total.Add(contact.total)
	}
}

// sumUpOwn puts the channels that this node is primary of into clusters.
func (n *planner) sumUpOwn() {
	own := &n.aggregation.scratch
	own.Reset()
	average := n.averageWedges()
	for _, o := range n.primaries() {
		n.addTo(own, o, average)
	}
	own.AddSlack(n.poller.cluster())
	if clustersSum(own) != clustersSum(&n.aggregation.own) {
		n.aggregation.invalidate(len(n.aggregation.aggregates))
		was, is := n.aggregation.own.Total(), own.Total()
		n.aggregation.news = n.aggregation.news || n.notable(&was, &is)
		n.aggregation.own = own.Clone()
	}
}

// aggregateSum names what a Aggregate says: 64 bits of FNV-1a.
func aggregateSum(t *Aggregate) uint64 {
	return max(1, fold(clustersSum(&t.Clusters), uint64(t.Nodes)))
}

func clustersSum(a *honeycomb.Aggregate) uint64 {
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
