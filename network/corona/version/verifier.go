package version

import (
	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/table"
)

// verifier decides which reports become versions.
type verifier struct {
	*core
	falseReporters table.Offenders
}

// replacedFor is how long other finders may still report a content after it was replaced.
const replacedFor = 2 * reportAgain

// receiveDetected checks the report of another node.
func (n *verifier) receiveDetected(key engine.ID, from engine.Peer, m *Detected) {
	o := n.find(key)
	switch {
	case m.Update.Channel != key:
		n.receiveBypassing(from, m, false)
	case o == nil || !o.Primary():
		n.Env.Trace(Dropped{key, m.Update.Hash, from.ID, Unowned}) // the finder repeats it
	case n.Keys == nil:
		n.acceptReport(o, from, m)
	case !update.IsFound(n.Keys, &m.Update):
		n.Env.Trace(Dropped{key, m.Update.Hash, from.ID, Unsound})
	default:
		n.acceptReport(o, m.Update.Finder(), m)
	}
}

// acceptReport considers a report that its finder may have signed.
func (n *verifier) acceptReport(o *record, finder engine.Peer, m *Detected) {
	f := n.reportOf(&m.Update)
	f.finder, f.update.FoundBy = finder, finder.ID
	n.consider(o, f)
}

// receiveBypassing handles a report that bypasses the primary.
func (n *verifier) receiveBypassing(from engine.Peer, m *Detected, direct bool) {
	channel := m.Update.Channel
	o := n.find(channel)
	switch {
	case n.Keys == nil:
	case o == nil || o.Rank() < 0:
		if !direct { // two hops and no more
			n.Roster.SendToOwner(channel, m)
		}
	case !update.IsFound(n.Keys, &m.Update):
		n.Env.Trace(Dropped{channel, m.Update.Hash, from.ID, Unsound})
	default:
		if !o.Primary() {
			n.duties.act(o)
			n.duties.relay(o)
			if n.lacksLatest(o) { // the report leads on from that version: the finder has it
				n.gaps.miss(m.Update.Finder(), channel, o.Version())
			}
		}
		n.numbering.compareHeld(o, &m.Held)
		n.acceptReport(o, m.Update.Finder(), m)
	}
}

// consider decides on a report. One report of a channel is checked at a time. The latest of those that come meanwhile
// waits.
func (n *verifier) consider(o *record, f report) {
	w, h, now := o.remember(), f.update.Hash, n.Env.Now()
	switch {
	case h == Hash{}:
	case !o.Informed(): // another owner may have a higher number
		n.await(o, f)
	case o.Version() > 0 && h == o.hash:
		n.considerLatest(o, f)
	case w.recent.has(h):
		n.considerOld(o, f)
	case h == w.replaced && now < w.replacedAt+replacedFor && !n.IsSelf(f.finder):
		n.dismiss(o, f, Replaced) // it would look like a false report
	// only the primary knows whether the channel is noisy: the finder repeats the report to the primary of that time
	case !o.Primary() && n.soon(o):
		n.pend(o, f)
	case now < w.quiet:
		n.dismiss(o, f, Noise)
	case n.falseReporters.Known(f.finder.ID, now):
		n.dismiss(o, f, FalseReporter)
	case n.falseReporters.Repeats(f.finder.ID, h, now, n.config.Interval/2):
		n.dismiss(o, f, Unconfirmed)
	case w.now != nil && w.now.update.Hash == h:
		n.pend(o, f)
		n.foundAgain(o, w.now, f)
	case w.now != nil && w.now.stage < keeping && n.IsSelf(f.finder):
		n.putOff(o)
		n.consider(o, f)
	case w.now != nil && w.now.stage == awaiting:
		n.end(o)
		n.consider(o, f)
	case w.now != nil:
		n.await(o, f)
	default:
		n.pend(o, f)
		n.examine(o, f)
	}
}

// await keeps a report to be checked later. One from this node itself is not replaced by one from another.
func (n *verifier) await(o *record, f report) {
	n.pend(o, f)
	f.waited = true
	if next := o.contents.next; next == nil || !n.IsSelf(next.finder) || n.IsSelf(f.finder) {
		o.contents.next = &f
	}
}

// putOff interrupts the check of a candidate that nobody could see so far, for a content that this node has seen itself
// meanwhile. That one needs no more proof, and may be replaced soon.
func (n *verifier) putOff(o *record) {
	w := o.contents
	c := w.now
	c.timer.Stop()
	w.now = nil
	if w.next == nil && !n.IsSelf(c.finder) {
		n.await(o, c.report)
	}
}

// considerNext considers the report that was kept while this owner did not know what the others do.
func (n *verifier) considerNext(o *record) {
	w := o.contents
	if w != nil && w.next != nil && w.now == nil && n.duties.makesVersions(o) {
		f := *w.next
		w.next = nil
		n.consider(o, f)
	}
}

// pend notifies a finder that its report is being checked, so that it does not consider this node dead.
func (n *verifier) pend(o *record, f report) {
	if !n.IsSelf(f.finder) {
		n.Env.Send(f.finder, &Heard{Channel: o.ID(), Hash: f.update.Hash, Version: o.Version(), Pending: true})
	}
}

// examine makes a candidate of a report.
func (n *verifier) examine(o *record, f report) {
	c := &candidate{report: f}
	o.remember().now = c
	own := n.IsSelf(f.finder)
	// Another poller may find the same in its turn: a node that acts for the primary polls because others do.
	others := !o.Primary() || n.pollers(o) > 1
	switch {
	// no node would believe this one alone
	case own && others && o.limit.Interval > 0 && n.config.Witnesses > 0 && n.Keys != nil:
		n.awaitWitness(o, c)
	case !own && !n.config.Believe && !update.Vouched(&n.Base, &f.update):
		n.confirm(o, c)
	case n.core.fits(&f.update) && (n.config.Believe || own &&
		(!n.soon(o) || o.limit.Interval > 0 || n.origins.pollsAlone(o))):
		n.numbering.keep(o, c)
	default:
		n.check(o, c)
	}
}

// foundAgain handles a repeated find of a candidate's content. This node's poll is proof. The same finder repeats its
// report. Another finder confirms it.
func (n *verifier) foundAgain(o *record, c *candidate, f report) {
	switch {
	case c.stage == awaiting && f.finder.ID == c.finder.ID: // another finder is needed
	case c.stage < keeping && n.IsSelf(f.finder):
		if !n.IsSelf(c.finder) {
			c.replace(&f.update)
		}
		n.numbering.keep(o, c)
	case c.stage == fetching && !f.update.IsBare():
		c.update.Base, c.update.Payload, c.update.Size = f.update.Base, f.update.Payload, f.update.Size
		n.numbering.keep(o, c)
	case c.stage != awaiting:
	default:
		c.witness = f.finder
		if update.Vouched(&n.Base, &f.update) {
			if n.IsSelf(c.finder) {
				c.finder, c.update.FoundBy, c.update.FoundAt, c.update.Modified, c.update.Seal = f.finder,
					f.update.FoundBy, f.update.FoundAt, f.update.Modified, f.update.Seal
			}
			n.numbering.keep(o, c)
			return
		}
		n.Env.Send(f.finder, &Verify{Channel: o.ID(), Hash: f.update.Hash})
	}
}

// soon reports whether the latest version was numbered less than an interval ago.
func (n *verifier) soon(o *record) bool {
	return o.Version() > 0 && n.Env.Now() < o.contents.numberedAt+n.config.Interval
}

// considerLatest handles a report of the latest version: the finder lacks it, or this node does.
func (n *verifier) considerLatest(o *record, f report) {
	if n.lacksLatest(o) && n.core.fits(&f.update) {
		u := f.update
		u.Version = o.Version()
		o.contents.unsent = o.contents.unsent || !o.Primary()
		n.intake.bring(&arrival{update: &u, from: f.finder})
		return
	}
	if !o.Primary() && o.contents.reunions.Spend(n.Env.Now(), n.config.Interval, maxReunions) {
		n.numbering.resend(o) // the primary has not
	}
	n.dismiss(o, f, Known)
}

// dismiss ends a report without a version.
func (n *verifier) dismiss(o *record, f report, why Why) {
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

// end ends the check of a report, and considers the report that waits.
func (n *verifier) end(o *record) {
	w := o.contents
	w.now.timer.Stop()
	w.now = nil
	n.believe.Spoil(o.ID())
	if next := w.next; next != nil && !o.Gone() {
		w.next = nil
		n.consider(o, *next)
	}
}

// refuse ends the check of a candidate without a version.
func (n *verifier) refuse(o *record, c *candidate, why Why) {
	f := c.report
	n.end(o)
	n.dismiss(o, f, why)
}
