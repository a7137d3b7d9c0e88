package overlay

import (
	"cmp"
	"slices"
)

// coverage is how well neighbours cover a node's topics, as a task counts them.
type coverage struct {
	k     int
	under int // topics that fewer than k cover: CALCKUNCOVERED
	bare  int // those that fewer than k-1 cover
	risk  int // the sum of riskOf over all topics
	most  int // what risk may be at most although topics are under; 0: nothing may

	covers []int32 // by slot; nil: they are counted elsewhere
}

// certain is the risk of a topic that nobody covers. Each neighbour divides it by five, as a fifth of all nodes crashes
// (Swaps.Risk).
const certain = 5 * 5 * 5 * 5 * 5 * 5 * 5 * 5

// risks are those of topics by how many neighbours cover them; what eight cover has no more risk than what more do.
var risks = func() (by [9]int) {
	risk := certain
	for cover := range by {
		by[cover] = risk
		risk /= 5
	}
	return by
}()

// riskOf returns the risk of a topic that so many neighbours cover.
func riskOf(cover int32) int { return risks[min(int(cover), len(risks)-1)] }

// put counts a topic that so many cover (by = 1), or no longer counts it (-1).
func (c *coverage) put(cover int32, by int) {
	if int(cover) < c.k {
		c.under += by
	}
	if int(cover) < c.k-1 {
		c.bare += by
	}
	c.risk += by * riskOf(cover)
}

// add adds by to the cover of a topic.
func (c *coverage) add(slot, by int32) {
	c.put(c.covers[slot], -1)
	c.covers[slot] += by
	c.put(c.covers[slot], 1)
}

// remove drops a neighbour that covers these topics, if the others suffice.
func (c *coverage) remove(slots []int32) bool {
	before := *c
	for _, slot := range slots {
		c.add(slot, -1)
	}
	if c.suffices() {
		return true
	}
	for _, slot := range slots {
		c.covers[slot]++
	}
	*c = before
	return false
}

// suffices reports whether no topic lacks cover that may not.
func (c *coverage) suffices() bool { return c.under == 0 || c.bare == 0 && c.risk <= c.most }

// lacks returns how many topics lack cover; 0 also if they may.
func (c *coverage) lacks() int {
	if c.suffices() {
		return 0
	}
	return c.under
}

// countNeighbor counts a neighbour as cover in a task's set: for all that it follows, or, if that is more than most,
// for those that have the least.
func (n *topics) countNeighbor(t *task, l *link, most int) {
	counts := slices.Clone(l.covers)
	if len(counts) > most {
		cover := func(slot int32) int32 { return n.slots[slot].cover[t.kind] }
		slices.SortStableFunc(counts, func(a, b int32) int { return cmp.Compare(cover(a), cover(b)) })
		counts = counts[:most]
		slices.Sort(counts)
	}
	l.sets[t.kind].counts = counts
	n.change(t, counts, 1)
}

// uncountNeighbor undoes what countNeighbor counted.
func (n *topics) uncountNeighbor(t *task, l *link) {
	n.change(t, l.sets[t.kind].counts, -1)
	l.sets[t.kind].counts = nil
}

// change adds by to the cover of topics, and reports to candidates which begin or cease to be needed. This is all that
// CALCKUNCOVERED has to do.
func (n *topics) change(t *task, slots []int32, by int32) {
	for _, slot := range slots {
		s := &n.slots[slot]
		before := s.cover[t.kind]
		s.cover[t.kind] += by
		t.put(before, -1)
		t.put(before+by, 1)
		if was, is := int(before) < t.k, int(before+by) < t.k; was != is {
			n.candidates.Need(t.kind, s.id, is)
		}
	}
}

// need notes a topic that has come (by = 1) or goes (-1).
func (n *topics) need(t *task, slot int32, by int) {
	s := &n.slots[slot]
	t.put(s.cover[t.kind], by)
	if int(s.cover[t.kind]) < t.k {
		n.candidates.Need(t.kind, s.id, by > 0)
	}
}

// recount counts a task's cover by another K.
func (n *topics) recount(t *task, k int) {
	before := t.k
	t.coverage = coverage{k: k, most: t.most}
	for i := range n.slots {
		s := &n.slots[i]
		if !s.on() {
			continue
		}
		t.put(s.cover[t.kind], 1)
		if was, is := int(s.cover[t.kind]) < before, int(s.cover[t.kind]) < k; was != is {
			n.candidates.Need(t.kind, s.id, is)
		}
	}
}

// underWithout returns how many topics would lack cover without a neighbour.
func (n *topics) underWithout(t *task, l *link) int {
	without := t.coverage
	for _, slot := range l.sets[t.kind].counts {
		cover := n.slots[slot].cover[t.kind]
		without.put(cover, -1)
		without.put(cover-1, 1)
	}
	return without.lacks()
}

// trial returns what a task counts, to try out changes in until the next trial.
func (n *topics) trial(t *task) coverage {
	c := t.coverage
	c.covers = n.scratch[:0]
	for i := range n.slots {
		c.covers = append(c.covers, n.slots[i].cover[t.kind])
	}
	n.scratch = c.covers
	return c
}

// insert adds a slot to ascending ones.
func insert(slots []int32, slot int32) []int32 {
	at := len(slots)
	for at > 0 && slots[at-1] > slot {
		at--
	}
	slots = append(slots, 0)
	copy(slots[at+1:], slots[at:])
	slots[at] = slot
	return slots
}

// without returns slots but for one.
func without(slots []int32, slot int32) []int32 {
	for i, s := range slots {
		if s == slot {
			return append(slots[:i:i], slots[i+1:]...)
		}
	}
	return slots
}
