package scene

// showNodes prints which nodes are up and where, and how far calendar clocks are off:
//
//	show nodes
func showNodes(c *Call) {
	for _, n := range c.cast {
		state := "up"
		if !n.Up() {
			state = "down"
		}
		c.Printf("%s %s at %s", n.name, state, c.names.address(n.Peer().Address))
		if off := c.world.Wall(n.number).Sub(c.epoch.Add(c.world.Now())); off != 0 {
			c.Printf(", clock off by %v", off)
		}
		c.Printf("\n")
	}
}

// showCounts prints how many messages of each kind were sent since the last time, and how many arrived. A message that
// a drop rule removes was never sent.
//
//	show counts
//	show counts kind=(Ping, Pong)
func showCounts(c *Call) {
	patterns := c.Values("kind")
	for _, k := range c.codec.Kinds() {
		name := c.codec.Name(k)
		now := c.world.Counters().Kinds[k]
		if now == nil {
			continue
		}
		before := c.counted[k]
		c.counted[k] = *now
		if sent := now.Sent - before.Sent; sent > 0 && (patterns == nil || matchesAny(patterns, name)) {
			c.Printf("%s: %d sent, %d received\n", name, sent, now.Received-before.Received)
		}
	}
}
