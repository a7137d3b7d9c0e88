package corona

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// An origin that asks not to be polled (Retry-After) may mean one document or all of the host: 503 can
// be either, and even 429 is at times counted by document. So a channel waits by itself as soon as any
// poller was told so (limits.go); and when two channels of a host were, all of it waits: those of one
// primary at once, those of others as the host's owners tell, who need the word of two primaries. For
// these it is unverified: each waits an interval at most, and then asks the origin itself in its turn
// before it believes others again.

// hostWaits tells the owners of a channel's host that it is to wait.
func (n *budgeter) HostWaits(o *owned) {
	c := o.permit.at
	n.claimSoon(c)
	if n.ownPatience(c) > n.Env.Now() {
		n.leadAll(c)
	}
}

// ownPatience returns until when two channels of a host wait of which this node is primary.
func (n *budgeter) ownPatience(c *claiming) time.Duration {
	var first, second time.Duration
	for _, o := range c.channels {
		if until := n.node.version.Limits(o.ID()).NotBefore; until > first {
			first, second = until, first
		} else {
			second = max(second, until)
		}
	}
	return second
}

// hostPatience returns until when a host is not to be polled.
func (n *budgeter) hostPatience(c *claiming) time.Duration { return max(c.patience, n.ownPatience(c)) }

// leadAll sends assignments for all channels of a host.
func (n *budgeter) leadAll(c *claiming) {
	for _, o := range slices.Clone(c.channels) {
		n.node.plan.Renew(o.ID(), false)
	}
}

// bePatient takes the word of one owner of a host for how long that is not to be polled. It counts if
// a quorum says so.
func (n *budgeter) bePatient(c *claiming, from engine.ID, seconds uint32) {
	now := n.Env.Now()
	var waits []time.Duration
	for i := range c.owners {
		a := &c.owners[i]
		if a.peer.ID == from {
			a.wait = now + min(time.Duration(seconds)*time.Second, n.config.Interval)
		}
		waits = append(waits, a.wait)
	}
	quorum := n.quorum()
	if seconds == 0 || len(waits) < quorum || now < c.believed {
		return
	}
	slices.Sort(waits)
	until := waits[len(waits)-quorum]
	if until <= now {
		return
	}
	c.patience, c.believed = until, until+n.config.Interval
	n.Env.Trace(Patient{c.host, until - now})
	n.leadAll(c)
}

// waitOf returns until when a host is not to be polled, as at least two of its primaries say.
func (h *host) waitOf() time.Duration {
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
	return second
}

// tellWait tells all primaries of a host that it is not to be polled, when that is news.
func (n *budgeter) tellWait(h *host) {
	until := h.waitOf()
	if until <= n.Env.Now() || until < h.told+minWait {
		return
	}
	h.told = until
	told := make(map[engine.ID]bool)
	for _, c := range h.claims {
		if !told[c.by.ID] {
			told[c.by.ID] = true
			n.Env.Send(c.by, &Grants{Host: h.key, Wait: inSeconds(until - n.Env.Now())})
		}
	}
}
