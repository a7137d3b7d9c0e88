package report

import (
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// finder holds what was found here, until the primary has dealt with it.
type finder struct {
	around
	sent map[engine.ID]*sentReport // by channel, at most maxUnderWay
	// by channel, at most maxUnderWay: until when changes are not reported, at most an interval
	quiet      map[engine.ID]time.Duration
	dismissals map[engine.ID]dismissal // by channel, at most maxDoubts
	suspected  map[engine.ID]Suspicion // by channel that this node subscribes to, at most maxDoubts; never Trusted
}

// sentReport is repeated in case the primary or the message was lost: the next poll may no longer show the change.
// Every second time it bypasses the primary.
type sentReport struct {
	update *update.Update
	tries  int
	timer  engine.Timer
}

// A report is sent maxReports times, with doubling waits. A node that checks it says so, and gets more time.
const (
	reportSoon  = 3 * time.Second
	reportAgain = 15 * time.Second
	maxReports  = 5
	// maxUnderWay bounds each table of reports. Beyond it they are dropped; the next poll brings them up again.
	maxUnderWay = 1 << 14
)

// report reports a change to the primary.
func (n *finder) report(u *update.Update) update.Steps {
	if until, ok := n.quiet[u.Channel]; ok {
		if n.Env.Now() < until {
			return nil
		}
		delete(n.quiet, u.Channel)
	}
	r := n.sent[u.Channel]
	switch {
	case r != nil && r.update.Hash == u.Hash:
		return nil
	case r != nil:
		r.timer.Stop()
	case !update.Room(&n.Base, len(n.sent), "sentReports", maxUnderWay):
		return nil
	}
	u.Trim()
	update.SignFound(&n.Base, u)
	r = &sentReport{update: u}
	if n.wasDismissed(u.Channel, u.Hash) {
		r.tries = maxReports - 1
	}
	n.sent[u.Channel] = r
	return n.send(r)
}

func (n *finder) send(r *sentReport) update.Steps {
	channel := r.update.Channel
	if r.tries++; r.tries > maxReports {
		delete(n.sent, channel)
		n.Suspect(channel, Silent)
		return nil
	}
	again := func() update.Steps {
		if n.sent[channel] == r { // this very node may have dealt with it at once
			n.sendIn(r, reportSoon<<(r.tries-1)+n.Ring.Patience())
		}
		return nil
	}
	if n.Keys != nil && (r.tries%2 == 0 || r.tries == maxReports) {
		return n.bypass(r).Then(again)
	}
	n.Ring.Route(channel, &Detected{Update: *r.update})
	return again()
}

func (n *finder) sendIn(r *sentReport, wait time.Duration) {
	r.timer.Stop()
	r.timer = n.Host.After(n.Jitter(wait), func() update.Steps { return n.send(r) })
}

// bypass sends a report around the primary, which may be dead, silent or malicious. The first time it goes straight to
// the second owner, if known here. Later it goes to an alternate key, and from there to the next owner, which does the
// primary's work. If the primary is honest, both assign one content one number.
func (n *finder) bypass(r *sentReport) update.Steps {
	channel := r.update.Channel
	m := &Detected{*r.update, n.Host.Header(channel)}
	owners, sure := n.Owners(channel)
	switch {
	case r.tries > 2 || !sure || len(owners) < 2:
		n.Ring.Route(n.AlternateKey(channel), m)
	case n.IsSelf(owners[1]):
		return update.Steps{Bypassing{m}}
	default:
		n.Env.Send(owners[1], m)
	}
	return nil
}

// End ends a report of a content: there is a version with it.
func (n *finder) End(channel engine.ID, h update.Hash) {
	if r := n.sent[channel]; r != nil && r.update.Hash == h {
		r.timer.Stop()
		delete(n.sent, channel)
	}
}

// Answered ends a report that makes no version, or waits longer while it is being checked. The next report goes to the
// primary again.
func (n *finder) Answered(from engine.Peer, m *Heard) (next update.Steps) {
	r := n.sent[m.Channel]
	if r == nil || r.update.Hash != m.Hash {
		return nil
	}
	if m.Pending {
		r.tries = max(r.tries, 2)
		n.sendIn(r, reportAgain<<(r.tries-2))
		return nil
	}
	n.End(m.Channel, m.Hash)
	if m.Whole {
		n.Host.Poll(n.Host.Channel(m.Channel)) // the repeated report has the payload
		return nil
	}
	if version, hash := n.Contents.Held(m.Channel); n.Keys != nil && version == m.Version && hash != m.Hash &&
		update.Numbers(m.Hash, version) {
		next = append(next, Doubled{m.Channel})
	}
	return next.Then(func() update.Steps {
		n.dismissed(m.Channel, m.Hash)
		n.BeQuiet(m.Channel, m.Quiet)
		return update.Steps{Behind{from, m.Channel, m.Version}}
	})
}

// Confirm answers whether this node stands by a report.
func (n *finder) Confirm(from engine.Peer, m *update.Verify) {
	if r := n.sent[m.Channel]; r != nil && r.update.Hash == m.Hash {
		n.Env.Send(from, &update.Verified{Channel: m.Channel, Hash: m.Hash})
	}
}

// BeQuiet stops reports of a channel's changes for some seconds, at most an interval.
func (n *finder) BeQuiet(channel engine.ID, seconds uint32) {
	if seconds == 0 {
		return
	}
	if len(n.quiet) >= maxUnderWay {
		n.LimitHit("quiet", maxUnderWay)
		clear(n.quiet)
	}
	n.quiet[channel] = n.Env.Now() + min(time.Duration(seconds)*time.Second, n.config.Interval)
}
