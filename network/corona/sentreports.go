package corona

import (
	"time"

	"tidings/network/engine"
)

// sentReport is a change that was found here, until the primary has dealt with it. It is sent again in case the primary
// or the message was lost: by the next poll the change may be gone. Each other time it bypasses the primary, as the ring
// takes some ten seconds to see that a node is dead.
type sentReport struct {
	update *Update
	tries  int
	timer  engine.Timer
}

// A report is sent maxReports times; the wait doubles. Who checks it says so, and has more time.
const (
	reportSoon  = 3 * time.Second
	reportAgain = 15 * time.Second
	maxReports  = 5
)

// report tells the primary of a change.
func (n *versioner) report(u *Update) {
	v := &n.versions
	if until, ok := v.quiet[u.Channel]; ok {
		if n.Env.Now() < until {
			return
		}
		delete(v.quiet, u.Channel)
	}
	r := v.sentReports[u.Channel]
	switch {
	case r != nil && r.update.Hash == u.Hash:
		return
	case r != nil:
		r.timer.Stop()
	case len(v.sentReports) >= maxUnderWay:
		n.LimitHit("sentReports", maxUnderWay)
		return
	}
	u.trim()
	n.signFound(u)
	r = &sentReport{update: u}
	if n.wasDismissed(u.Channel, u.Hash) {
		r.tries = maxReports - 1
	}
	v.sentReports[u.Channel] = r
	n.sendReport(r)
}

func (n *versioner) sendReport(r *sentReport) {
	r.tries++
	if r.tries > maxReports {
		delete(n.versions.sentReports, r.update.Channel)
		n.Suspect(r.update.Channel, Silent)
		return
	}
	if n.Keys != nil && (r.tries%2 == 0 || r.tries == maxReports) {
		n.reportBypassing(r)
	} else {
		n.Ring.Route(r.update.Channel, &Detected{Update: *r.update})
	}
	if n.versions.sentReports[r.update.Channel] == r { // it may have been dealt with at once, by this very node
		n.sendReportIn(r, reportSoon<<(r.tries-1)+n.Ring.Patience())
	}
}

func (n *versioner) sendReportIn(r *sentReport, wait time.Duration) {
	r.timer.Stop()
	r.timer = n.Env.After(n.Jitter(wait), func() { n.sendReport(r) })
}

// reportPends gives time to whoever checks a report. The next one goes to the primary again.
func (n *versioner) reportPends(r *sentReport) {
	r.tries = max(r.tries, 2)
	n.sendReportIn(r, reportAgain<<(r.tries-2))
}

// endReport ends a report of a content; the zero Hash stands for any.
func (n *versioner) endReport(channel engine.ID, h Hash) {
	r := n.versions.sentReports[channel]
	if r == nil || h != (Hash{}) && r.update.Hash != h {
		return
	}
	r.timer.Stop()
	delete(n.versions.sentReports, channel)
}

// takeHeard ends a report that makes no version, or asks for the version offered.
func (n *versioner) takeHeard(from engine.Peer, m *Heard) {
	if m.Hash == (Hash{}) && !n.node.roster.CouldOwn(m.Channel, from.ID) { // the ring leads who asks to an owner, or to a node near them
		n.Env.Trace(Refused{m.Channel, m.Version, from.ID, Stranger})
		return
	}
	if g := n.versions.gaps[m.Channel]; g != nil && m.Hash == (Hash{}) {
		n.askOfferer(g, from, m.Version)
		return
	}
	if m.Hash == (Hash{}) {
		n.dissemination.audited(from, m)
		return
	}
	r := n.versions.sentReports[m.Channel]
	if r == nil || r.update.Hash != m.Hash {
		return
	}
	if m.Pending {
		n.reportPends(r)
		return
	}
	n.endReport(m.Channel, m.Hash)
	if m.Whole {
		n.node.poller.Verify(n.channelOf(m.Channel)) // what is told again is told whole
		return
	}
	if version, hash := n.library.Held(m.Channel); n.Keys != nil && version == m.Version && hash != m.Hash && numbers(m.Hash, version) {
		n.Ring.Route(n.AlternateKey(m.Channel), &Ahead{n.headerOf(m.Channel)}) // this node was given something else
	}
	n.dismissed(m.Channel, m.Hash)
	n.beQuiet(m.Channel, m.Quiet)
	n.MaybeBehind(from, m.Channel, m.Version)
}

// beQuiet has changes of a channel not reported for some seconds.
func (n *versioner) beQuiet(channel engine.ID, seconds uint32) {
	v := &n.versions
	if seconds == 0 {
		return
	}
	now := n.Env.Now()
	if len(v.quiet) >= maxUnderWay {
		n.LimitHit("quiet", maxUnderWay)
		clear(v.quiet)
	}
	v.quiet[channel] = now + min(time.Duration(seconds)*time.Second, n.config.Interval)
}
