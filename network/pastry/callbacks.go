package pastry

// callbacks are what others have called when something has happened to a node.
type callbacks struct {
	onNeighbours   []func()
	onJoined       []func(nodes int)
	onDuplicateKey []func(DuplicateKeyFound)
}

// OnNeighbours has f called whenever the leaf set has changed, so that keys may have moved.
// The Node can be asked and used from within.
func (c *callbacks) OnNeighbours(f func()) { c.onNeighbours = append(c.onNeighbours, f) }

// OnJoined calls f whenever the node has become a full part of a ring; nodes is the ring's estimated size, this node
// included. The Node can be asked from within, and not used.
func (c *callbacks) OnJoined(f func(nodes int)) { c.onJoined = append(c.onJoined, f) }

// OnDuplicateKey has f called when two nodes turn out to have one ID, once for each ID. The Node can be asked from
// within, and not used.
func (c *callbacks) OnDuplicateKey(f func(DuplicateKeyFound)) {
	c.onDuplicateKey = append(c.onDuplicateKey, f)
}

func (c *callbacks) neighboursChanged() {
	for _, f := range c.onNeighbours {
		f()
	}
}
