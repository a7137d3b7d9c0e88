package corona

import (
	"time"

	"tidings/network/engine"
)

// grant gives a channel its part of a host, or as much of it as there is room for beside what was
// granted before and may be used still.
func (n *Node) grant(h *host, c *claimed, at int, room *float64, out map[engine.ID]*Grants) {
	list := n.portions(c)
	had := n.heldOf(c)
	for at < len(list) && list[at].most-had > *room {
		at++
	}
	if at == len(list) {
		n.limitHit("HostCeiling", n.config.HostCeiling)
		return // its primary will ask again
	}
	p := list[at]
	*room -= max(0, p.most-had)
	until := n.env.Wall().Add(grantLasts * n.config.Maintenance).Unix()
	c.hold(held{p.bits, p.slow, until + int64((n.config.Maintenance+clockError)/time.Second)})
	g := Grant{Channel: c.channel, Bits: p.bits, Every: p.every, Until: until}
	g.Signature = n.sign(g.words(h.key, c.channel))
	m := out[c.by.ID]
	if m == nil {
		m = &Grants{Host: h.key}
		out[c.by.ID] = m
	}
	m.Grants = append(m.Grants, g)
}

// hold takes note of a grant that can be used.
func (c *claimed) hold(g held) {
	for i := range c.held {
		if h := &c.held[i]; h.bits == g.bits && h.slow == g.slow {
			h.until = max(h.until, g.until)
			return
		}
	}
	if len(c.held) == maxHeld {
		last := &c.held[maxHeld-1] // it counts for the less strict of the two
		last.bits, last.slow = min(last.bits, g.bits), min(last.slow, g.slow)
		last.until = max(last.until, g.until)
		return
	}
	c.held = append(c.held, g)
}

// sendGrants tells primaries what they are granted, in the order of their claims.
func (n *Node) sendGrants(h *host, out map[engine.ID]*Grants) {
	wait := n.waitOf(h)
	for _, c := range h.claims {
		m := out[c.by.ID]
		if m == nil {
			continue
		}
		delete(out, c.by.ID)
		for all := m.Grants; len(all) > 0; {
			k := min(len(all), maxInClaims)
			n.env.Send(c.by, &Grants{Host: h.key, Grants: all[:k:k], Wait: wait})
			all = all[k:]
		}
	}
}

// waitOf returns for how many seconds more a host is to be left in peace: as long as at least two
// primaries say.
func (n *Node) waitOf(h *host) uint32 {
	var first, second time.Duration // the two longest, of different primaries
	var by engine.ID
	for _, c := range h.claims {
		switch {
		case c.wait > first:
			if c.by.ID != by {
				second = first
			}
			first, by = c.wait, c.by.ID
		case c.wait > second && c.by.ID != by:
			second = c.wait
		}
	}
	return inSeconds(second - n.env.Now())
}
