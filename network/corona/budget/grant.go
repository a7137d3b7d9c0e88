package budget

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// held is a grant that was given and may be used still. What it costs is as it was then: whoever claims something else afterwards makes nothing dearer for others.
type held struct {
	portion
	until int64 // as long as it counts, in seconds since 1970
}

const maxHeld = 4 // of one channel; more are counted as one

// division is a host that is being divided.
type division struct {
	*hosts
	host     *host
	headroom float64 // requests in an interval that are left below the ceiling
	// allowance is what its readers would send in an interval, less what comes of the latest grants: below 0 where channels have more than they are to have, and
	// have not asked since.
	allowance float64
	out       map[engine.ID]*Grants
}

// grant gives a channel the portion at that position, or as much of it as there is room for beside what was granted before and may be used still. Without more,
// it gives no more than the channel had.
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
		return // its primary will ask again
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

// send tells primaries what they are granted, in the order of their claims.
func (d *division) send() {
	d.tellWait(d.host)
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

// heldOf returns the most requests that can come of what a channel was granted.
func (h *hosts) heldOf(c *claimed) (most float64) {
	c.expire(h.Env.Wall().Unix())
	for _, g := range c.held {
		most = max(most, g.most)
	}
	return most
}

// latest returns what a channel was granted last, nothing if that holds no more.
func (h *hosts) latest(c *claimed) portion {
	if c.latest.until <= h.Env.Wall().Unix() {
		return portion{}
	}
	return c.latest.portion
}

// hold takes note of a grant that can be used. A grant to poll alone ends with the next one: it is for the primary itself, who heeds the latest. Those that end no
// later than this one and allow no more need not be known.
func (c *claimed) hold(g held) {
	c.latest = g
	c.held = slices.DeleteFunc(c.held, func(h held) bool { return h.size == machine.Alone || h.most <= g.most && h.until <= g.until })
	if len(c.held) < maxHeld {
		c.held = append(c.held, g)
		return
	}
	last := &c.held[maxHeld-1]
	last.most, last.until = max(last.most, g.most), max(last.until, g.until)
}

// expire drops what can be used no more.
func (c *claimed) expire(now int64) {
	c.held = slices.DeleteFunc(c.held, func(h held) bool { return h.until <= now })
}
