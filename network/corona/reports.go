package corona

import (
	"time"

	"tidings/network/engine"
)

// report is a change that was found here, until the primary has dealt with it. It is told again
// in case the primary, or the message, was lost: with the finder a change is lost only until
// the next poll.
type report struct {
	update *Update
	tries  int
	timer  engine.Timer
}

// A report is sent maxReports times; the wait doubles.
const (
	reportAgain = 15 * time.Second
	maxReports  = 3
)

// report tells the primary of a change.
func (n *Node) report(u *Update) {
	v := &n.versions
	if until, ok := v.quiet[u.Channel]; ok {
		if n.env.Now() < until {
			return
		}
		delete(v.quiet, u.Channel)
	}
	r := v.reports[u.Channel]
	switch {
	case r != nil && r.update.Hash == u.Hash:
		return
	case r != nil:
		r.timer.Stop()
	case len(v.reports) >= maxUnderWay:
		n.limitHit("reports", maxUnderWay)
		return
	}
	u.trim()
	n.signFound(u)
	r = &report{update: u}
	if n.wasDismissed(u.Channel, u.Hash) {
		r.tries = maxReports - 1
	}
	v.reports[u.Channel] = r
	n.sendReport(r)
}

func (n *Node) sendReport(r *report) {
	r.tries++
	if r.tries > maxReports {
		delete(n.versions.reports, r.update.Channel)
		n.suspect(r.update.Channel, Silent)
		return
	}
	if n.keys != nil && r.tries == maxReports {
		n.ring.Route(n.beside(r.update.Channel), &Detected{*r.update, n.headerOf(r.update.Channel)})
	} else {
		n.ring.Route(r.update.Channel, &Detected{Update: *r.update})
	}
	r.timer = n.env.After(n.jitter(reportAgain<<(r.tries-1)), func() { n.sendReport(r) })
}

// endReport ends a report of a content; the zero Hash stands for any.
func (n *Node) endReport(channel engine.ID, h Hash) {
	r := n.versions.reports[channel]
	if r == nil || h != (Hash{}) && r.update.Hash != h {
		return
	}
	r.timer.Stop()
	delete(n.versions.reports, channel)
}

// takeHeard ends a report that makes no version, or asks for the version offered.
func (n *Node) takeHeard(from engine.Peer, m *Heard) {
	if g := n.versions.gaps[m.Channel]; g != nil && m.Hash == (Hash{}) {
		n.askOfferer(g, from, m.Version)
		return
	}
	r := n.versions.reports[m.Channel]
	if r == nil || r.update.Hash != m.Hash {
		return
	}
	n.endReport(m.Channel, m.Hash)
	if m.Whole {
		n.poller.Check(n.channelOf(m.Channel)) // what is told again is told whole
		return
	}
	if version, hash := n.library.Held(m.Channel); n.keys != nil && version == m.Version && hash != m.Hash && m.Hash.numbers(version) {
		n.ring.Route(n.beside(m.Channel), &Ahead{n.headerOf(m.Channel)}) // this node was given something else
	}
	n.dismissed(m.Channel, m.Hash)
	n.beQuiet(m.Channel, m.Quiet)
	n.maybeBehind(from, m.Channel, m.Version)
}

// beQuiet has changes of a channel not reported for some seconds.
func (n *Node) beQuiet(channel engine.ID, seconds uint32) {
	v := &n.versions
	if seconds == 0 {
		return
	}
	now := n.env.Now()
	if len(v.quiet) >= maxUnderWay {
		n.limitHit("quiet", maxUnderWay)
		clear(v.quiet)
	}
	v.quiet[channel] = now + min(time.Duration(seconds)*time.Second, n.config.Interval)
}
