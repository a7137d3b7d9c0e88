package version

import (
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// reports holds what was found here, until the primary has dealt with it.
type reports struct {
	*core
	sent map[engine.ID]*sentReport // by channel, at most maxUnderWay
	// by channel, at most maxUnderWay: until when changes are not reported, at most an interval
	quiet map[engine.ID]time.Duration
}

// sentReport is repeated in case the primary or the message was lost: the next poll may no longer show the change.
// Every second time it bypasses the primary.
type sentReport struct {
	update *Update
	tries  int
	timer  engine.Timer
}

// A report is sent maxReports times, with doubling waits. A node that checks it says so, and gets more time.
const (
	reportSoon  = 3 * time.Second
	reportAgain = 15 * time.Second
	maxReports  = 5
)

// found submits a change that this node has found to the primary.
func (n *reports) found(u *Update) {
	n.Env.Trace(Found{u.Channel, u.Hash})
	if o := n.find(u.Channel); o != nil {
		own := n.reportOf(u)
		if o.Primary() {
			n.verifier.consider(o, own)
			return
		}
		if c := o.candidate(); c != nil && c.update.Hash == u.Hash && n.duties.makesVersions(o) {
			n.verifier.foundAgain(o, c, own) // this node acts for the primary, which is notified all the same
		}
	}
	n.report(u)
}

// report reports a change to the primary.
func (n *reports) report(u *Update) {
	if until, ok := n.quiet[u.Channel]; ok {
		if n.Env.Now() < until {
			return
		}
		delete(n.quiet, u.Channel)
	}
	r := n.sent[u.Channel]
	switch {
	case r != nil && r.update.Hash == u.Hash:
		return
	case r != nil:
		r.timer.Stop()
	case !room(n.core, n.sent, u.Channel, "sentReports", maxUnderWay):
		return
	}
	u.Trim()
	update.SignFound(&n.Base, u)
	r = &sentReport{update: u}
	if n.trust.wasDismissed(u.Channel, u.Hash) {
		r.tries = maxReports - 1
	}
	n.sent[u.Channel] = r
	n.send(r)
}

func (n *reports) send(r *sentReport) {
	channel := r.update.Channel
	r.tries++
	if r.tries > maxReports {
		delete(n.sent, channel)
		n.trust.suspect(channel, Silent)
		return
	}
	if n.Keys != nil && (r.tries%2 == 0 || r.tries == maxReports) {
		n.bypass(r)
	} else {
		n.Ring.Route(channel, &Detected{Update: *r.update})
	}
	if n.sent[channel] == r { // this very node may have dealt with it at once
		n.sendIn(r, reportSoon<<(r.tries-1)+n.Ring.Patience())
	}
}

func (n *reports) sendIn(r *sentReport, wait time.Duration) {
	r.timer.Stop()
	r.timer = n.Env.After(n.Jitter(wait), func() { n.send(r) })
}

// bypass sends a report around the primary, which may be dead, silent or malicious. The first time it goes straight to
// the second owner, if known here. Later it goes to an alternate key, and from there to the next owner, which does the
// primary's work. If the primary is honest, both assign one content one number.
func (n *reports) bypass(r *sentReport) {
	channel := r.update.Channel
	m := &Detected{*r.update, n.believe.HeaderOf(channel)}
	owners, sure := n.Roster.Owners(channel, n.config.Owners)
	switch {
	case r.tries > 2 || !sure || len(owners) < 2:
		n.Ring.Route(n.AlternateKey(channel), m)
	case n.IsSelf(owners[1]):
		n.verifier.receiveBypassing(n.Env.Self(), m, true)
	default:
		n.Env.Send(owners[1], m)
	}
}

// end ends a report of a content.
func (n *reports) end(channel engine.ID, h Hash) {
	if r := n.sent[channel]; r != nil && r.update.Hash == h {
		r.timer.Stop()
		delete(n.sent, channel)
	}
}

// answered ends a report that makes no version, or waits longer while it is being checked. The next report goes to the
// primary again.
func (n *reports) answered(from engine.Peer, m *Heard) {
	r := n.sent[m.Channel]
	if r == nil || r.update.Hash != m.Hash {
		return
	}
	if m.Pending {
		r.tries = max(r.tries, 2)
		n.sendIn(r, reportAgain<<(r.tries-2))
		return
	}
	n.end(m.Channel, m.Hash)
	if m.Whole {
		n.Poller.Verify(n.channelOf(m.Channel)) // the repeated report has the payload
		return
	}
	if version, hash := n.Library.Held(m.Channel); n.Keys != nil && version == m.Version && hash != m.Hash &&
		numbers(m.Hash, version) {
		// this node was sent another content for that number
		n.Ring.Route(n.AlternateKey(m.Channel), &Ahead{Header: n.believe.HeaderOf(m.Channel)})
	}
	n.trust.dismissed(m.Channel, m.Hash)
	n.beQuiet(m.Channel, m.Quiet)
	n.gaps.maybeBehind(from, m.Channel, m.Version)
}

// confirm answers whether this node stands by a report.
func (n *reports) confirm(from engine.Peer, m *Verify) {
	if r := n.sent[m.Channel]; r != nil && r.update.Hash == m.Hash {
		n.Env.Send(from, &Verified{Channel: m.Channel, Hash: m.Hash})
	}
}

// beQuiet stops reports of a channel's changes for some seconds, at most an interval.
func (n *reports) beQuiet(channel engine.ID, seconds uint32) {
	if seconds == 0 {
		return
	}
	if len(n.quiet) >= maxUnderWay {
		n.LimitHit("quiet", maxUnderWay)
		clear(n.quiet)
	}
	n.quiet[channel] = n.Env.Now() + min(time.Duration(seconds)*time.Second, n.config.Interval)
}
