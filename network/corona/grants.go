package corona

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// division is a host that is being divided.
type division struct {
	host     *host
	headroom float64 // requests in an interval that are left below the ceiling
	// allowance is what its readers would send in an interval, less what comes of the latest grants: below 0 where
	// channels have more than they are to have, and have not asked since.
	allowance float64
	out       map[engine.ID]*Grants
}

// grant gives a channel its part of a host, or as much of it as there is room for beside what was
// granted before and may be used still. Without more, it gives no more than the channel had.
func (n *budgeter) grant(d *division, c *claimed, at int, more bool) {
	list := n.portions(c)
	had, latest := n.heldOf(c), n.latest(c).requests()
	if (list[at].most > had || list[at].requests() > latest) && !more {
		return
	}
	c.pending = false
	for at < len(list)-1 && list[at].requests()-latest > max(0, d.allowance) {
		at++
	}
	for at < len(list) && list[at].most-had > d.headroom {
		at++
	}
	if at == len(list) {
		n.LimitHit("HostCeiling", n.config.HostCeiling)
		return // its primary will ask again
	}
	p := list[at]
	until := n.Env.Wall().Add(grantLasts * n.config.Maintenance).Unix()
	c.hold(held{p, until + int64((n.config.Maintenance+clockError)/time.Second)})
	d.headroom += had - n.heldOf(c)
	d.allowance += latest - p.requests()
	g := Grant{Channel: c.channel, Bits: p.bits, Every: p.every, Until: until}
	g.Signature = n.Sign(g.words(d.host.key, c.channel))
	m := d.out[c.by.ID]
	if m == nil {
		m = &Grants{Host: d.host.key}
		d.out[c.by.ID] = m
	}
	m.Grants = append(m.Grants, g)
}

// hold takes note of a grant that can be used. A grant to poll alone ends with the next one: it is for
// the primary itself, who heeds the latest.
func (c *claimed) hold(g held) {
	c.latest = g
	c.held = slices.DeleteFunc(c.held, func(h held) bool { return h.bits == alone })
	for i := range c.held {
		if h := &c.held[i]; h.bits == g.bits {
			h.until, h.most = max(h.until, g.until), max(h.most, g.most)
			return
		}
	}
	if len(c.held) == maxHeld {
		last := &c.held[maxHeld-1] // it counts for the less strict of the two
		last.bits, last.most = min(last.bits, g.bits), max(last.most, g.most)
		last.until = max(last.until, g.until)
		return
	}
	c.held = append(c.held, g)
}

// sendGrants tells primaries what they are granted, in the order of their claims.
func (n *budgeter) sendGrants(d *division) {
	h, out := d.host, d.out
	n.tellWait(h)
	for _, c := range h.claims {
		m := out[c.by.ID]
		if m == nil {
			continue
		}
		delete(out, c.by.ID)
		for all := m.Grants; len(all) > 0; {
			k := min(len(all), maxInClaims)
			n.Env.Send(c.by, &Grants{Host: h.key, Grants: all[:k:k]})
			all = all[k:]
		}
	}
}
