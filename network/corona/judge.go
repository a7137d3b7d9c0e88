package corona

import (
	"time"

	"tidings/network/engine"
)

// takeDetected checks what another node says that it has found.
func (n *versioner) takeDetected(key engine.ID, from engine.Peer, m *Detected) {
	o := n.node.roster.Find(key)
	switch {
	case m.Update.Channel != key:
		n.takeBypassing(from, m, false)
		return
	case o == nil || !o.Primary():
		n.Env.Trace(Dropped{key, m.Update.Hash, from.ID, Unowned})
		return // the finder tells it again
	case n.Keys != nil && !n.isFound(&m.Update):
		n.Env.Trace(Dropped{key, m.Update.Hash, from.ID, Unsound})
		return
	}
	f := report{update: m.Update, finder: from, heard: n.Env.Now()}
	if n.Keys != nil {
		f.finder = m.Update.finder()
	}
	f.update.URL, f.update.FoundBy = "", f.finder.ID
	n.consider(o, f)
}

// consider decides what becomes of a report. It makes a version only if
//
//   - its content is not that of the latest version, or one before: several nodes find the same
//     change, and mirrors serve what was;
//   - it is true: this node has found it itself, or polls itself and finds the same, or others
//     do (see check.go);
//   - it is stable: a second change within a polling interval has to be seen twice. So a content that
//     differs from request to request makes one version an interval.
//
// One report of a channel is checked at a time. The latest of those that come meanwhile waits.
func (n *versioner) consider(o *owned, f report) {
	w := o.remember()
	h := f.update.Hash
	switch {
	case h == Hash{}:
	case !o.Informed(): // another owner may have a higher number
		n.await(o, f)
	case o.Version() > 0 && h == o.hash:
		n.considerLatest(o, f)
	case w.recent.has(h):
		n.considerOld(o, f)
	case h == w.replaced && n.Env.Now() < w.replacedAt+replacedFor && !n.IsSelf(f.finder):
		n.dismissReport(o, f, Replaced) // it would look like a false report
	case !o.Primary() && n.soon(o): // only the primary knows whether the channel is noisy: it is told again, whoever that is then
		n.pend(o, f)
	case n.Env.Now() < w.quiet:
		n.dismissReport(o, f, Noise)
	case n.versions.falseReporters.known(f.finder.ID, n.Env.Now()):
		n.dismissReport(o, f, FalseReporter)
	case n.versions.falseReporters.repeats(f.finder.ID, h, n.Env.Now(), n.config.Interval/2):
		n.dismissReport(o, f, Unconfirmed)
	case w.now != nil && w.now.update.Hash == h:
		n.pend(o, f)
		n.foundAgain(o, w.now, f)
	case w.now != nil && w.now.stage < keeping && n.IsSelf(f.finder):
		n.putOff(o)
		n.consider(o, f)
	case w.now != nil && w.now.stage == awaiting:
		n.endCandidate(o)
		n.consider(o, f)
	case w.now != nil:
		n.await(o, f)
	default:
		n.pend(o, f)
		n.examine(o, f)
	}
}

// await has a report checked later. What this node has seen itself does not give way to what others say.
func (n *versioner) await(o *owned, f report) {
	n.pend(o, f)
	f.waited = true
	if next := o.contents.next; next == nil || !n.IsSelf(next.finder) || n.IsSelf(f.finder) {
		o.contents.next = &f
	}
}

// putOff has a candidate, which nobody could see so far, wait for what this node has seen itself meanwhile: that needs
// no more proof, and an origin that changes often would have replaced it by the time that the candidate is dealt
// with. A candidate of this node's own has been replaced.
func (n *versioner) putOff(o *owned) {
	w := o.contents
	c := w.now
	c.timer.Stop()
	w.now = nil
	if w.next == nil && !n.IsSelf(c.finder) {
		n.await(o, c.report)
	}
}

// considerNext takes up what was found while this owner did not know what the others do.
func (n *versioner) ConsiderNext(o *owned) {
	w := o.contents
	if w == nil || w.next == nil || w.now != nil || !n.judges(o) {
		return
	}
	f := *w.next
	w.next = nil
	n.consider(o, f)
}

// pend tells a finder that its report is checked, so that it does not take this node for dead.
func (n *versioner) pend(o *owned, f report) {
	if !n.IsSelf(f.finder) {
		n.Env.Send(f.finder, &Heard{Channel: o.ID(), Hash: f.update.Hash, Version: o.Version(), Pending: true})
	}
}

// replacedFor is how long others who found what was replaced may tell of it still.
const replacedFor = 2 * reportAgain

// examine makes a candidate of a report.
func (n *versioner) examine(o *owned, f report) {
	c := &candidate{report: f}
	o.remember().now = c
	own := n.IsSelf(f.finder)
	switch {
	case !own && !n.config.Believe && !n.vouched(&f.update):
		n.confirm(o, c)
	case n.fits(&f.update) && (n.config.Believe || own && (!n.soon(o) || o.limit.Interval > 0 || n.pollsAlone(o))):
		n.keep(o, c)
	default:
		n.check(o, c)
	}
}

// vouched reports whether the finder's own signature says that it has found something just now. Who
// repeats an old one is found out by its time; a finder whose clock is wrong is asked instead.
func (n *versioner) vouched(u *Update) bool {
	return n.Keys != nil && (n.Env.Wall().Sub(time.UnixMilli(u.FoundAt))).Abs() <= clockSkew
}

// foundAgain is told when a content is found that is being checked: by this node itself, whose poll is as good as the
// poll that it waits for; by the same node, which repeats its report; or by another.
func (n *versioner) foundAgain(o *owned, c *candidate, f report) {
	switch {
	case c.stage < keeping && n.IsSelf(f.finder):
		if !n.IsSelf(c.finder) {
			c.replace(&f.update)
		}
		n.keep(o, c)
	case c.stage == fetching && !f.update.isBare():
		c.update.Base, c.update.Payload, c.update.Size = f.update.Base, f.update.Payload, f.update.Size
		n.keep(o, c)
	case c.stage != awaiting || f.finder.ID == c.finder.ID:
	default:
		c.witness = f.finder
		if n.vouched(&f.update) {
			n.keep(o, c)
			return
		}
		n.Env.Send(f.finder, &Verify{o.ID(), f.update.Hash})
	}
}

// soon reports whether the latest version was given less than an interval ago.
func (n *versioner) soon(o *owned) bool {
	return o.Version() > 0 && n.Env.Now() < o.contents.given+n.config.Interval
}

// considerLatest deals with a finder that lacks the latest version; or is it this node that does?
func (n *versioner) considerLatest(o *owned, f report) {
	if n.lacksLatest(o) && n.fits(&f.update) {
		u := f.update
		u.Version = o.Version()
		o.contents.unsent = o.contents.unsent || !o.Primary()
		n.bring(&arrival{update: &u, from: f.finder})
		return
	}
	if !o.Primary() && o.contents.reunions.take(n.Env.Now(), n.config.Interval, maxReunions) {
		n.resend(o) // the primary has not
	}
	n.dismissReport(o, f, Known)
}

// lacksLatest reports whether the library here does not have the channel's latest version.
func (n *versioner) lacksLatest(o *owned) bool {
	version, _ := n.library.Held(o.ID())
	return version < o.Version()
}

// fits reports whether an update leads on from what is held here.
func (n *versioner) fits(u *Update) bool {
	_, held := n.library.Held(u.Channel)
	now := n.library.Content(u.Channel)
	here := u.Hash == held || u.Hash == now
	return (u.Base == held || u.Base == now || u.Base == Hash{} || here) && (len(u.Payload) > 0 || u.Size == 0 || here)
}

// dismissReport ends a report without a version.
func (n *versioner) dismissReport(o *owned, f report, why Why) {
	n.Env.Trace(Dropped{o.ID(), f.update.Hash, f.finder.ID, why})
	if n.IsSelf(f.finder) {
		return
	}
	m := &Heard{Channel: o.ID(), Hash: f.update.Hash, Version: o.Version()}
	if w := o.contents; w != nil {
		m.Quiet = inSeconds(w.quiet - n.Env.Now())
	}
	n.Env.Send(f.finder, m)
}

// endCandidate ends the check of a report, and takes up what was found meanwhile.
func (n *versioner) endCandidate(o *owned) {
	w := o.contents
	w.now.timer.Stop()
	w.now = nil
	if next := w.next; next != nil && !o.Gone() {
		w.next = nil
		n.consider(o, *next)
	}
}

// refuse ends the check of a candidate without a version.
func (n *versioner) refuse(o *owned, c *candidate, why Why) {
	f := c.report
	n.endCandidate(o)
	n.dismissReport(o, f, why)
}

// current reports whether a candidate is the one that is being checked, in a stage, by the
// primary. Answers and timers that come late find that it is not.
func (o *owned) current(c *candidate, s stage) bool {
	return !o.Gone() && o.contents.now == c && c.stage == s
}

// after sets a candidate's timer.
func (n *versioner) after(o *owned, c *candidate, d time.Duration, f func()) {
	s := c.stage
	c.timer.Stop()
	c.timer = n.Env.After(d, func() {
		if o.current(c, s) {
			f()
		}
	})
}
