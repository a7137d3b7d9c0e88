package roster

import "tidings/network/engine"

// round visits all channels that are owned here once every maintenance interval. It goes a page at a time, from the end
// of the list to its beginning. So a dropped channel's place goes to one that was already visited.
type round struct {
	at   int
	next engine.Timer // begins the next one
}

// pageEntries is how many table entries are visited at once, except for those of the last channel.
const pageEntries = 4096

func (c *comparer) startRound() {
	c.round.next.Stop()
	c.round.next = c.Env.After(c.Jitter(c.config.Maintenance), c.beginRound)
}

func (c *comparer) beginRound() {
	c.intake.flushCopies() // so that they make no difference
	c.round.at = len(c.tables.list)
	c.goRound()
}

func (c *comparer) goRound() {
	r := &c.round
	r.at = min(r.at, len(c.tables.list))
	for entries := 0; r.at > 0; {
		if entries >= pageEntries {
			c.Env.After(pagePause, c.goRound)
			return
		}
		r.at--
		o := c.tables.list[r.at]
		entries += o.Entries() + pageEntries/pageChannels
		c.review(o)
	}
	c.startRound()
}

// review drops expired entries, and lets the primary compare the channel with the other owners. If the primary does
// not, as it may not know the channel, the others do.
func (c *comparer) review(o *Owned) {
	c.expire(o)
	if o.Entries() == 0 {
		c.tables.forget(o)
		return
	}
	c.tables.Reassess(o)
	switch {
	case o.Primary():
		o.equal = 0
	case o.rank > 0 && c.Env.Now() > o.compared+c.config.Maintenance*3/2:
		o.equal &^= 1 // of the primary
	default:
		return
	}
	o.tries = 0
	c.at(o, c.Env.Now())
}

// expire drops the entries that were not renewed in time.
func (c *comparer) expire(o *Owned) {
	now, last := seconds(c.Env.Now()), seconds(c.config.Forget)
	before, had := o.readers.live, o.Entries()
	for i := had - 1; i >= 0; i-- {
		if now-o.readers.entries[i].received >= last {
			c.tables.removeEntry(o, i)
		}
	}
	if gone := had - o.Entries(); gone > 0 {
		c.Env.Trace(Expired{o.channel.ID, gone})
		if before > 0 && o.readers.live == 0 {
			c.host.Changed(o)
		}
	}
}
