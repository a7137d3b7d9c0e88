package budget

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// An origin that asks not to be polled (Retry-After) may mean one document or all of the host. 503 can be either, and
// even 429 is at times counted by document. So a channel waits by itself as soon as any poller was asked to. When two
// channels of a host were, all of it waits. Channels of one primary wait at once, those of others when the host's
// owners announce it. Owners need the reports of two primaries. For other primaries it is unverified. Each waits an
// interval at most, and then asks the origin itself in its turn before it believes others again.

// announceAgain is by how much longer a host must wait than announced, for another announcement.
const announceAgain = time.Minute

// longest holds the latest time reported, and the latest from any other reporter.
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

// HostWaits reports to the owners of a channel's host that it is to wait.
func (c *claims) HostWaits(channel engine.ID) {
	if p := c.permits[channel]; p != nil {
		c.claimSoon(p.at)
		if c.ownPatience(p.at) > c.Env.Now() {
			c.patient(p.at)
		}
	}
}

// ownPatience returns until when at least two channels of a host, of which this node is primary, wait.
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

// bePatient notes one owner's report of how long a host is not to be polled. It counts if a quorum reports so.
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

// sendWait announces to all primaries of a host that it is not to be polled, if that is new. At least two of them must
// report so.
func (h *hosts) sendWait(of *host) {
	var l longest
	for _, c := range of.claims {
		l.add(c.by.ID, c.wait)
	}
	until := l.second
	if until <= h.Env.Now() || until < of.announced+announceAgain {
		return
	}
	of.announced = until
	sent := make(map[engine.ID]bool)
	for _, c := range of.claims {
		if !sent[c.by.ID] {
			sent[c.by.ID] = true
			h.Env.Send(c.by, &Grants{Host: of.key, Wait: machine.InSeconds(until - h.Env.Now())})
		}
	}
}
