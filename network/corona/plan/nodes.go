package plan

// ringSize is what a node knows of the number of nodes in the ring.
type ringSize struct {
	dense   int // estimated by the density around this node
	counted int // by its contacts so far, as far as that estimate allows
	lately  int // the most that was counted lately
	rounds  int // of counting
}

const (
	// nodesClamp bounds by what factor the count of nodes may differ from the estimate by density. That errs by a
	// quarter, one standard deviation of sixteen distances: of a hundred thousand nodes one estimates three times too
	// many. But these are not alone, and there are many nodes: in one ring of a thousand nodes in a thousand some
	// estimate five times too many. So a complete count may be mostDense times lower.
	nodesClamp, mostDense = 3, 6
	// exactNodes is the largest ring of a size that is known exactly: all nodes are in a leaf set of sixteen.
	exactNodes = 17
	// uncounted is by how much the ring may be larger than this node's estimate of it.
	uncounted = 4. / 3
	// few is the size of a ring of which a leaf set of sixteen spans a quarter: estimates hardly differ.
	few = 64
)

// isComplete reports whether the count is complete: those of the deepest rows have arrived.
func (r ringSize) isComplete() bool { return r.rounds >= quickRounds }

// about returns the count, or the estimate before that is complete.
func (r ringSize) about() int {
	if r.isComplete() {
		return r.counted
	}
	return r.dense
}

// least returns how many nodes the ring almost certainly has at least. A count may be an eighth too high, as nodes come
// and go, but not while it is incomplete. One estimate by density in a hundred is more than twice too high: so it
// yields to a lower count after the first round. The size of a ring that fits into the leaf set is known exactly.
func (r ringSize) least() int {
	least := r.counted * 7 / 8
	switch {
	case r.about() <= exactNodes:
		return r.about()
	case r.rounds == 0:
		least = r.dense / 2
	case !r.isComplete():
		least = min(least, r.dense/2)
	}
	return max(exactNodes, least)
}

// most returns the most that least probably is at other nodes. They may still count nodes that are gone.
func (r ringSize) most() int {
	switch {
	case r.about() <= exactNodes:
		return r.about()
	case r.isComplete():
		return max(r.least(), r.lately*7/8)
	case r.dense <= few:
		return r.least()
	default:
		return max(int(uncounted*float64(r.dense)), r.counted)
	}
}

func (p *Plan) ringSize() ringSize {
	r := ringSize{dense: p.Ring.Nodes(), lately: p.counting.most, rounds: p.counting.rounds}
	fewest := r.dense / nodesClamp
	if r.isComplete() {
		fewest = r.dense / mostDense
	}
	r.counted = min(max(int(p.view.nodes(0)), fewest), nodesClamp*r.dense)
	return r
}

// Nodes returns about how many nodes the ring has: the count, as far as the estimate by density allows. So nodes that
// count for others cannot inflate it much, or deflate it.
func (p *Plan) Nodes() int { return p.ringSize().about() }

// CountNodes returns about how many nodes the ring has, how many it almost certainly has, and the most of which other
// nodes are probably as certain.
func (p *Plan) CountNodes() (about, least, most int) {
	r := p.ringSize()
	return r.about(), r.least(), r.most()
}
