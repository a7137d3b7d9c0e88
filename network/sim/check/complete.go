package check

import (
	"fmt"
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Complete checks at the end that live subscribers have every update that was published while
// they were subscribed.
type Complete struct {
	// AtLeast is the share of these deliveries that must have happened; 0: all.
	AtLeast float64

	// Grace is how long after it subscribed a node may still miss updates: until it has been admitted.
	Grace time.Duration

	verdict
	subscriptions subscriptions
	published     map[engine.ID][]issue // by topic, in the order of time
	delivered     deliveries

	due, done int
}

type issue struct {
	Delivered
	at time.Duration
}

// Observe notes which nodes want and have what.
func (c *Complete) Observe(at time.Duration, n sim.Node, event Event) {
	if c.published == nil {
		c.published = make(map[engine.ID][]issue)
	}
	c.subscriptions.observe(at, n, event)
	switch e := event.(type) {
	case Published:
		c.published[e.Topic] = append(c.published[e.Topic], issue{Delivered(e), at})
	case Delivered:
		c.delivered.add(n, e)
	}
}

// Finish compares. What a node was delivered before it forgot counts as delivered.
func (c *Complete) Finish(w *sim.World) {
	var missing []func()
	for _, s := range c.subscriptions.list {
		if !s.on || !w.Up(s.node) {
			continue
		}
		for _, p := range c.published[s.topic] {
			if p.at < s.since+c.Grace {
				continue
			}
			c.due++
			if c.delivered.has(s.node, p.Delivered) {
				c.done++
				continue
			}
			missing = append(missing, func() {
				c.fail(w.Now(), s.node, s.topic,
					fmt.Sprintf("%s, published at %v, is missing; of %d deliveries %d happened",
						update(p.Version, p.Content), p.at, c.due, c.done))
			})
		}
	}
	if c.Share() >= c.AtLeast && c.AtLeast > 0 {
		return
	}
	for _, report := range missing {
		report()
	}
}

// Share returns the share of the deliveries due that happened; 1 if none were due. It counts
// after Finish.
func (c *Complete) Share() float64 {
	if c.due == 0 {
		return 1
	}
	return float64(c.done) / float64(c.due)
}
