package overlay

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
