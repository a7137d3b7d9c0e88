package budget

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// An origin that asks not to be polled (Retry-After) may mean one document or all of the host: 503 can be either, and even 429 is at times counted by document. So
// a channel waits by itself as soon as any poller was told so; and when two channels of a host were, all of it waits: those of one primary at once, those of others
// as the host's owners tell, who need the word of two primaries. For these it is unverified: each waits an interval at most, and then asks the origin itself in its
// turn before it believes others again.

// tellAgain is by how much longer a host must wait than primaries were told, for them to be told again.
const tellAgain = time.Minute

// longest is the latest of some times, and the latest of those that others say than who says that.
type longest struct {
	first, second time.Duration
	by            engine.ID
}

func (l *longest) add(by engine.ID, until time.Duration) {
	switch {
	case until > l.first:
		if l.by != by {
			l.second = l.first
		}
		l.first, l.by = until, by
	case until > l.second && l.by != by:
		l.second = until
	}
}

// HostWaits has the owners of a channel's host told that it is to wait.
func (c *claims) HostWaits(channel engine.ID) {
	if p := c.permits[channel]; p != nil {
		c.claimSoon(p.at)
		if c.ownPatience(p.at) > c.Env.Now() {
			c.patient(p.at)
		}
	}
}

// ownPatience returns until when two channels of a host wait of which this node is primary.
func (c *claims) ownPatience(at *claiming) time.Duration {
	var l longest
	for _, p := range at.permits {
		l.add(p.channel.ID, c.host.NotBefore(p.channel.ID))
	}
	return l.second
}

// Patience returns until when the host of a channel is not to be polled, by Env.Now.
func (c *claims) Patience(channel engine.ID) time.Duration {
	p := c.permits[channel]
	if p == nil {
		return 0
	}
	return max(p.at.patience, c.ownPatience(p.at))
}

func (c *claims) patient(at *claiming) {
	for _, p := range slices.Clone(at.permits) {
		c.host.Patient(p.channel.ID)
	}
}

// bePatient takes the word of one owner of a host for how long that is not to be polled. It counts if a quorum says so.
func (c *claims) bePatient(at *claiming, from engine.ID, seconds uint32) {
	if seconds == 0 {
		return
	}
	now := c.Env.Now()
	var waits []time.Duration
	for i := range at.owners {
		a := &at.owners[i]
		if a.peer.ID == from {
			a.wait = now + min(time.Duration(seconds)*time.Second, c.config.Interval)
		}
		waits = append(waits, a.wait)
	}
	quorum := c.quorum()
	if len(waits) < quorum || now < at.believed {
		return
	}
	slices.Sort(waits)
	until := waits[len(waits)-quorum]
	if until <= now {
		return
	}
	at.patience, at.believed = until, until+c.config.Interval
	c.Env.Trace(Patient{at.host, until - now})
	c.patient(at)
}

// tellWait tells all primaries of a host that it is not to be polled, as at least two of them say, when that is news.
func (h *hosts) tellWait(of *host) {
	var l longest
	for _, c := range of.claims {
		l.add(c.by.ID, c.wait)
	}
	until := l.second
	if until <= h.Env.Now() || until < of.told+tellAgain {
		return
	}
	of.told = until
	told := make(map[engine.ID]bool)
	for _, c := range of.claims {
		if !told[c.by.ID] {
			told[c.by.ID] = true
			h.Env.Send(c.by, &Grants{Host: of.key, Wait: machine.InSeconds(until - h.Env.Now())})
		}
	}
}
