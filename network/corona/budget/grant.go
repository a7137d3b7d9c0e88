package budget

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// held is a grant that may still be used. Its cost is as of then: a later claim for something else does not make it
// dearer for others.
type held struct {
	portion
	until int64 // while it counts, in seconds since 1970
}

const maxHeld = 4 // of one channel; more are counted as one

// division is a host that is being divided.
type division struct {
	*hosts
	host     *host
	headroom float64 // requests in an interval that are left below the ceiling
	// allowance is what its readers would send in an interval, less what the latest grants cause. It is below 0 while
	// channels have more than their share, and have not claimed since.
	allowance float64
	out       map[engine.ID]*Grants
}

// grant grants a channel the portion at position at, or as much of it as fits beside earlier grants that may still be
// used. Without more, it grants no more than the channel had.
func (d *division) grant(c *claimed, m *menu, at int, more bool) {
	had, latest := d.heldOf(c), d.latest(c).requests()
	if p := m.at(at); (p.most > had || p.requests() > latest) && !more {
		return
	}
	c.pending = false
	for at < m.len()-1 && m.at(at).requests()-latest > max(0, d.allowance) {
		at++
	}
	for at < m.len() && m.at(at).most-had > d.headroom {
		at++
	}
	if at == m.len() {
		d.LimitHit("HostCeiling", d.config.HostCeiling)
		return // its primary will claim again
	}
	p := m.at(at)
	until := d.Env.Wall().Add(grantLasts * d.config.Maintenance).Unix()
	c.hold(held{p, until + int64((d.config.Maintenance+clockError)/time.Second)})
	d.headroom += had - d.heldOf(c)
	d.allowance += latest - p.requests()
	g := machine.Grant{Channel: c.channel, Size: p.size, Every: p.every, Until: until}
	g.Signature = d.Sign(GrantWords(&g, d.host.key, c.channel))
	out := d.out[c.by.ID]
	if out == nil {
		out = &Grants{Host: d.host.key}
		d.out[c.by.ID] = out
	}
	out.Grants = append(out.Grants, g)
}

// send sends primaries their grants, in the order of their claims.
func (d *division) send() {
	d.sendWait(d.host)
	for _, c := range d.host.claims {
		m := d.out[c.by.ID]
		if m == nil {
			continue
		}
		delete(d.out, c.by.ID)
		for part := range slices.Chunk(m.Grants, maxInClaims) {
			d.Env.Send(c.by, &Grants{Host: m.Host, Grants: part})
		}
	}
}

// heldOf returns the most requests that a channel's grants can cause.
func (h *hosts) heldOf(c *claimed) (most float64) {
	c.expire(h.Env.Wall().Unix())
	for _, g := range c.held {
		most = max(most, g.most)
	}
	return most
}

// latest returns a channel's last grant, zero if it has ended.
func (h *hosts) latest(c *claimed) portion {
	if c.latest.until <= h.Env.Wall().Unix() {
		return portion{}
	}
	return c.latest.portion
}

// hold notes a grant that can be used. A grant to poll alone ends with the next one: it is for the primary itself,
// which follows the latest. Grants that end no later than this one and allow no more are dropped.
func (c *claimed) hold(g held) {
	c.latest = g
	c.held = slices.DeleteFunc(c.held, func(h held) bool {
		return h.size == machine.Alone ||
			h.most <= g.most && h.until <= g.until
	})
	if len(c.held) < maxHeld {
		c.held = append(c.held, g)
		return
	}
	last := &c.held[maxHeld-1]
	last.most, last.until = max(last.most, g.most), max(last.until, g.until)
}

// expire drops grants that have ended.
func (c *claimed) expire(now int64) {
	c.held = slices.DeleteFunc(c.held, func(h held) bool { return h.until <= now })
}
