package version

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// giver is how owners agree on numbers, and what they know of versions. All that it knows stands in records.
type giver struct{ *core }

// commitWait is how long the other owners have to take note of a version's number. They are asked twice; who has not answered by then is gone, or cut off.
const commitWait = time.Second

// keep gives a candidate its number and has the library keep it. Nobody else hears of it before the library has found that it fits.
func (n *giver) keep(o *record, c *candidate) {
	if !n.number(o, &c.update) {
		n.LimitHit("maxCounter", maxCounter)
		n.judge.refuse(o, c, Impossible)
		return
	}
	c.stage, c.version = keeping, c.update.Version
	c.update.Seal.Giver, c.update.Seal.Given = engine.Peer{}, nil
	n.after(o, c, checkWait, func() { n.judge.refuse(o, c, Unfit) })
	u := c.update
	n.intake.bring(&arrival{update: &u, done: func(fits bool) { n.kept(o, c, fits) }})
}

// number gives an update the number that follows those that this node knows, and reports whether there is one.
func (n *giver) number(o *record, u *Update) (ok bool) {
	last := max(o.Version(), n.held(o.ID()), n.seals.floors[o.ID()])
	u.Version, ok = follow(last, u.Hash, u.Modified, n.seals.calendar(clockSkew))
	return ok
}

// kept has the other owners take note of a number.
func (n *giver) kept(o *record, c *candidate, fits bool) {
	switch {
	case !o.current(c, keeping):
		return
	case !fits && c.checks == 0:
		n.judge.check(o, c)
		return
	case !fits && c.update.isBare() && !n.IsSelf(c.finder):
		n.judge.fetch(o, c)
		return
	case !fits:
		n.judge.refuse(o, c, Unfit)
		return
	case c.version <= o.Version():
		n.judge.refuse(o, c, Overtaken) // another owner was faster
		return
	}
	c.stage = committing
	if c.update.FoundBy == n.Env.Self().ID {
		n.seals.signFound(&c.update)
	}
	n.seals.give(&c.update)
	o.raise(c.version, c.update.Hash, c.update.Size, n.Env.Now())
	n.judge.falseReporters.acquit(c.update.Hash)
	n.clothe(o, c)
	n.attests.ask(o, c)
	for _, p := range o.Others() {
		c.waitFor = append(c.waitFor, p.ID)
	}
	n.sendCommits(o, c)
}

func (n *giver) sendCommits(o *record, c *candidate) {
	if len(c.waitFor) == 0 {
		n.committed(o, c)
		return
	}
	for _, p := range o.Others() {
		if slices.Contains(c.waitFor, p.ID) {
			m := &Commit{Channel: o.ID(), State: n.Host.State(o.ID())}
			if n.Keys != nil {
				m.Header = c.update.Header()
			}
			n.Env.Send(p, m)
		}
	}
	n.after(o, c, commitWait, func() {
		if c.again {
			n.committed(o, c)
			return
		}
		c.again = true
		n.sendCommits(o, c)
	})
}

// takeCommit takes note of a number that the primary has given, and of how, so that another content for it is noticed.
func (n *giver) takeCommit(from engine.Peer, m *Commit) {
	o, h := n.find(m.Channel), &m.Header
	switch {
	case o == nil:
		return
	case !n.Roster.Near(m.Channel, from):
		n.Env.Trace(Refused{m.Channel, m.State.Version, from.ID, Stranger})
		return
	}
	n.merge(o, from, &m.State)
	if n.Keys != nil && h.Channel == m.Channel && h.Version == o.Version() && h.Hash == o.hash && n.seals.isSigned(h) {
		n.seals.compareHeaders(h)
		n.seals.noteHeader(&seal{header: *h})
	}
	n.Env.Send(from, &Committed{m.Channel, o.Version()})
}

// takeCommitted publishes once all others have taken note. Who has a higher number has heard of another version.
func (n *giver) takeCommitted(from engine.Peer, m *Committed) {
	o := n.find(m.Channel)
	if o == nil || o.candidate() == nil {
		return
	}
	c := o.candidate()
	i := slices.Index(c.waitFor, from.ID)
	if c.stage != committing || i < 0 || m.Version < c.version {
		return
	}
	if m.Version > c.version {
		n.gaps.maybeBehind(from, m.Channel, m.Version)
	}
	c.waitFor = slices.Delete(c.waitFor, i, i+1)
	if len(c.waitFor) == 0 {
		n.committed(o, c)
	}
}

// committed publishes a version that the other owners have noted, once witnesses have seen it, or had time to.
func (n *giver) committed(o *record, c *candidate) {
	if !n.attests.awaits(o, c) {
		n.publish(o, c)
		return
	}
	c.stage = witnessing
	n.after(o, c, attestWait+n.Ring.Patience(), func() { n.publish(o, c) })
}

// attested takes the witnesses of a version. Where that has been sent already they are for those who ask for it again.
func (n *giver) attested(o *record, w *attesting) {
	switch c := o.candidate(); {
	case c != nil && c.version == w.update.Version && c.stage == witnessing:
		n.publish(o, c)
	case c != nil && c.version == w.update.Version: // the other owners have not noted it
	case o.Version() == w.update.Version:
		u := w.update
		u.Seal.Seen = w.seen
		n.seals.note(&u)
	}
}

// publish sends a version to all who poll or subscribe.
func (n *giver) publish(o *record, c *candidate) {
	now := n.Env.Now()
	if w := o.contents.attesting; w != nil && w.update.Version == c.version {
		c.update.Seal.Seen = w.seen
		n.seals.note(&c.update)
		if c.clothes != nil {
			c.clothes.Seal = c.update.Seal
		}
	}
	n.Plan.Rest(o.ID(), outOfTurn(&c.update, n.config.Witnesses))
	u := c.update
	n.Env.Trace(Numbered{o.ID(), u.Version, u.Hash, u.FoundBy, now - c.heard})
	o.estimate.change(now, n.config.Interval)
	o.contents.unsent = false
	n.judge.end(o)
	switch {
	case u.Base == u.Hash: // the content is not new here, and yet may be to others
		n.resend(o)
	case c.clothing:
		c.published = true
	default:
		n.distribute(o, c.clothed())
	}
	for _, l := range c.lacking {
		n.gaps.answer(l.from, l.request)
	}
}

// clothe has the library look up what leads to a bare update, as soon as it has the content: a later poll may soon replace that.
func (n *giver) clothe(o *record, c *candidate) {
	if !c.update.isBare() || o.contents.previous == (Hash{}) {
		return
	}
	c.clothing = true
	asked := n.gaps.lend(o.ID(), o.contents.previous, func(u *Update) {
		c.clothing = false
		if u != nil && u.Version == c.version && n.seals.sealed(u) {
			c.clothes = u
		}
		if c.published {
			n.distribute(o, c.clothed())
		}
	})
	c.clothing = c.clothing && asked
}

// distribute gives an update to the pollers and to the subscribers.
func (n *giver) distribute(o *record, u *Update) {
	sent := *u
	sent.trim()
	m := &Shared{Update: sent}
	if q := o.contents.quiet; q > 0 && n.Env.Now() < q+4*n.config.Interval { // the content differed from request to request of late
		m.Quiet = inSeconds(n.config.Interval)
	}
	n.carrier.reconsider(o)
	for _, p := range n.Plan.Below(o.ID()) {
		if m.Quiet > 0 || !n.carrier.reaches(o, p) {
			n.Env.Send(p, m)
		}
	}
	n.carrier.publish(o, &sent)
}

// Versions that may not have been sent to all are sent once more.
const (
	// resendAge is for how long after a version was given a new primary does that: the one before may have died in the middle.
	resendAge = 2 * time.Minute
	// resendPause is how long a node waits that has too much to send on.
	resendPause = 5 * time.Second
)

// maybeResend has a new primary get itself the latest content, and send it on if that may not have been done.
func (n *giver) maybeResend(o *record) {
	w := o.contents
	if !o.Primary() || w == nil || o.Version() == 0 {
		return
	}
	if w.unsent && n.Env.Now() < w.given+resendAge {
		n.resend(o)
		return
	}
	w.unsent = false
	if n.lacksLatest(o) {
		n.gaps.missOf(o)
	}
}

// resend sends the latest version to all who poll or subscribe: those who have it take no notice.
func (n *giver) resend(o *record) {
	w := o.contents
	w.unsent = true
	if n.lacksLatest(o) {
		n.gaps.missOf(o) // once it is here it is sent
		return
	}
	if w.now != nil && w.now.stage >= committing {
		return // it is about to be sent
	}
	sent := n.gaps.lend(o.ID(), w.previous, func(u *Update) {
		if n.duties.judges(o) && w.unsent && u != nil && u.Version == o.Version() && n.seals.sealed(u) {
			w.unsent = false
			n.distribute(o, u)
		}
	})
	if !sent {
		n.Env.After(n.Jitter(resendPause), func() {
			if n.duties.judges(o) && w.unsent {
				n.resend(o)
			}
		})
	}
}

// sendOn sends the version that the library has just taken, if it was not sent before.
func (n *giver) sendOn(o *record, u *Update) {
	if !n.duties.judges(o) || o.Version() != u.Version || !o.contents.unsent {
		return
	}
	if u.Base == u.Hash { // it says nothing to those who have another content
		n.resend(o)
		return
	}
	o.contents.unsent = false
	if n.seals.sealed(u) {
		n.distribute(o, u)
	}
}
