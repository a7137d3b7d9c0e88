package report

import (
	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/table"
)

// judge decides which reports become versions.
type judge struct {
	origins
	offenders table.Offenders // finders of what nobody else could see
}

// replacedFor is how long other finders may still report a content after it was replaced.
const replacedFor = 2 * reportAgain

// found returns a find by this node.
func (n *judge) found(u *update.Update) found {
	f := found{update: *u, finder: n.Env.Self(), learned: n.Env.Now()}
	f.update.URL = ""
	return f
}

// accept considers a report that its finder may have signed.
func (n *judge) accept(o *record, finder engine.Peer, m *Detected) update.Steps {
	f := n.found(&m.Update)
	f.finder, f.update.FoundBy = finder, finder.ID
	return n.consider(o, f)
}

// consider decides on a report. One report of a channel is checked at a time. The latest of those that come meanwhile
// waits.
func (n *judge) consider(o *record, f found) update.Steps {
	w, h, now := o.remember(), f.update.Hash, n.Env.Now()
	switch {
	case h == update.Hash{}:
	case !o.Informed(): // another owner may have a higher number
		n.await(o, f)
	case o.Version() > 0 && h == w.latest:
		return n.considerLatest(o, f)
	case w.recent.has(h):
		return n.considerOld(o, f)
	case h == w.replaced && now < w.replacedAt+replacedFor && !n.IsSelf(f.finder):
		n.dismiss(o, f, update.Replaced) // it would look like a false report
	// only the primary knows whether the channel is noisy: the finder repeats the report to the primary of that time
	case !o.Primary() && n.soon(o):
		n.pend(o, f)
	case now < w.quiet:
		n.dismiss(o, f, update.Noise)
	case n.offenders.Known(f.finder.ID, now):
		n.dismiss(o, f, update.FalseReporter)
	case n.offenders.Repeats(f.finder.ID, h, now, n.config.Interval/2):
		n.dismiss(o, f, update.Unconfirmed)
	case w.now != nil && w.now.update.Hash == h:
		n.pend(o, f)
		return n.foundAgain(o, w.now, f)
	case w.now != nil && w.now.stage < accepted && n.IsSelf(f.finder):
		n.putOff(o)
		return n.consider(o, f)
	case w.now != nil && w.now.stage == awaiting:
		return n.end(o).Then(func() update.Steps { return n.consider(o, f) })
	case w.now != nil:
		n.await(o, f)
	default:
		n.pend(o, f)
		return n.examine(o, f)
	}
	return nil
}

// await keeps a report to be checked later. One from this node itself is not replaced by one from another.
func (n *judge) await(o *record, f found) {
	n.pend(o, f)
	f.waited = true
	if next := o.contents.next; next == nil || !n.IsSelf(next.finder) || n.IsSelf(f.finder) {
		o.contents.next = &f
	}
}

// putOff interrupts the check of a candidate that nobody could see so far, for a content that this node has seen itself
// meanwhile. That one needs no more proof, and may be replaced soon.
func (n *judge) putOff(o *record) {
	w := o.contents
	c := w.now
	c.timer.Stop()
	w.now = nil
	if w.next == nil && !n.IsSelf(c.finder) {
		n.await(o, c.found)
	}
}

// considerNext considers the report that waits.
func (n *judge) considerNext(o *record) update.Steps {
	f := *o.contents.next
	o.contents.next = nil
	return n.consider(o, f)
}

// pend notifies a finder that its report is being checked, so that it does not consider this node dead.
func (n *judge) pend(o *record, f found) {
	if !n.IsSelf(f.finder) {
		n.Env.Send(f.finder, &Heard{Channel: o.ID(), Hash: f.update.Hash, Version: o.Version(), Pending: true})
	}
}

// examine makes a candidate of a report.
func (n *judge) examine(o *record, f found) update.Steps {
	c := &candidate{found: f}
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
	case f.update.Fits(n.Contents) && (n.config.Believe || own &&
		(!n.soon(o) || o.limit.Interval > 0 || n.pollsAlone(o))):
		return n.keep(o, c)
	default:
		return n.check(o, c)
	}
	return nil
}

// foundAgain handles a repeated find of a candidate's content. This node's poll is proof. The same finder repeats its
// report. Another finder confirms it.
func (n *judge) foundAgain(o *record, c *candidate, f found) update.Steps {
	switch {
	case c.stage == awaiting && f.finder.ID == c.finder.ID: // another finder is needed
	case c.stage < accepted && n.IsSelf(f.finder):
		if !n.IsSelf(c.finder) {
			c.replace(&f.update)
		}
		return n.keep(o, c)
	case c.stage == fetching && !f.update.IsBare():
		c.update.Base, c.update.Payload, c.update.Size = f.update.Base, f.update.Payload, f.update.Size
		return n.keep(o, c)
	case c.stage != awaiting:
	default:
		c.witness = f.finder
		if update.Vouched(&n.Base, &f.update) {
			if n.IsSelf(c.finder) {
				c.finder, c.update.FoundBy, c.update.FoundAt, c.update.Modified, c.update.Seal = f.finder,
					f.update.FoundBy, f.update.FoundAt, f.update.Modified, f.update.Seal
			}
			return n.keep(o, c)
		}
		n.Env.Send(f.finder, &update.Verify{Channel: o.ID(), Hash: f.update.Hash})
	}
	return nil
}

// keep accepts a candidate.
func (n *judge) keep(o *record, c *candidate) update.Steps {
	c.timer.Stop()
	c.stage = accepted
	return update.Steps{Accepted{o.ID(), c.update}}
}

// soon reports whether the latest version was numbered less than an interval ago.
func (n *judge) soon(o *record) bool {
	return o.Version() > 0 && n.Env.Now() < o.contents.numberedAt+n.config.Interval
}

// lacksLatest reports whether the library does not have the latest version.
func (n *judge) lacksLatest(o *record) bool {
	held, _ := n.Contents.Held(o.ID())
	return held < o.Version()
}

// considerLatest handles a report of the latest version: the finder lacks it, or this node does.
func (n *judge) considerLatest(o *record, f found) update.Steps {
	if n.lacksLatest(o) && f.update.Fits(n.Contents) {
		u := f.update
		u.Version = o.Version()
		return update.Steps{Lacked{f.finder, &u, !o.Primary()}}
	}
	var next update.Steps
	if !o.Primary() && o.contents.reunions.Spend(n.Env.Now(), n.config.Interval, maxReunions) {
		next = append(next, Resend{o.ID()}) // the primary has not
	}
	return next.Do(func() { n.dismiss(o, f, update.Known) })
}

// dismiss ends a report without a version.
func (n *judge) dismiss(o *record, f found, why update.Why) {
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
func (n *judge) end(o *record) update.Steps {
	o.contents.now.timer.Stop()
	o.contents.now = nil
	return update.Steps{Ended{o.ID()}}.Then(func() update.Steps {
		if o.contents.next == nil || o.Gone() {
			return nil
		}
		return n.considerNext(o)
	})
}

// refuse ends the check of a candidate without a version.
func (n *judge) refuse(o *record, c *candidate, why update.Why) update.Steps {
	f := c.found
	return n.end(o).Do(func() { n.dismiss(o, f, why) })
}
