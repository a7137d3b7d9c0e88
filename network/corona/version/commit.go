package version

import (
	"slices"
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// numbering agrees with the other owners on numbers, and publishes versions. Its state is in records.
type numbering struct {
	*core
	floors map[engine.ID]uint64 // by channel, at most maxFloors: the next number has to be above it
}

// commitWait is how long the other owners have to note a version's number. They are asked twice. One that has not
// answered by then is gone, or cut off.
const commitWait = time.Second

// attestWait is how long a version waits for its witnesses, from when it has its number.
const attestWait = 3 * time.Second

// keep assigns a candidate its number, and has the library store it. No other node learns of it before the library has
// found that it fits.
func (n *numbering) keep(o *record, c *candidate) {
	if !n.number(o, &c.update) {
		n.LimitHit("maxCounter", maxCounter)
		n.verifier.refuse(o, c, Impossible)
		return
	}
	c.stage, c.version = keeping, c.update.Version
	c.update.Seal.Giver, c.update.Seal.Given = engine.Peer{}, nil
	n.after(o, c, checkWait, func() { n.verifier.refuse(o, c, Unfit) })
	u := c.update
	n.intake.bring(&arrival{update: &u, done: func(fits bool) { n.kept(o, c, fits) }})
}

// number assigns an update the number after those that this node knows, and reports whether there is one.
func (n *numbering) number(o *record, u *Update) (ok bool) {
	last := max(o.Version(), n.held(o.ID()), n.numbering.floors[o.ID()])
	u.Version, ok = follow(last, u.Hash, u.Modified, update.Calendar(n.Env.Wall(), clockSkew))
	return ok
}

// kept sends a number to the other owners.
func (n *numbering) kept(o *record, c *candidate, fits bool) {
	switch {
	case !o.current(c, keeping):
		return
	case !fits && c.checks == 0:
		n.verifier.check(o, c)
		return
	case !fits && c.update.IsBare() && !n.IsSelf(c.finder):
		n.verifier.fetch(o, c)
		return
	case !fits:
		n.verifier.refuse(o, c, Unfit)
		return
	case c.version <= o.Version():
		n.verifier.refuse(o, c, Overtaken) // another owner was faster
		return
	}
	c.stage = committing
	if c.update.FoundBy == n.Env.Self().ID {
		update.SignFound(&n.Base, &c.update)
	}
	n.believe.SignNumber(&c.update)
	o.raise(c.version, c.update.Hash, c.update.Size, n.Env.Now())
	n.verifier.falseReporters.Acquit(c.update.Hash)
	n.lookUpDelta(o, c)
	n.believe.Ask(o.Channel(), c.update, n.witnessable(o))
	for _, p := range o.Others() {
		c.waitFor = append(c.waitFor, p.ID)
	}
	n.sendCommits(o, c)
}

func (n *numbering) sendCommits(o *record, c *candidate) {
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

// receiveCommit notes a number that the primary has assigned. It also notes the header, to notice another content with
// this number.
func (n *numbering) receiveCommit(from engine.Peer, m *Commit) {
	o, h := n.find(m.Channel), &m.Header
	switch {
	case o == nil:
		return
	case !n.Roster.Near(m.Channel, from):
		update.Refuse(&n.Base, m.Channel, m.State.Version, from, Stranger)
		return
	}
	n.merge(o, from, &m.State)
	if n.Keys != nil && h.Channel == m.Channel && h.Version == o.Version() && h.Hash == o.hash && update.IsSigned(n.Keys, h) {
		n.excluded(n.believe.Compare(h), engine.Peer{})
		n.believe.NoteHeader(*h)
	}
	n.Env.Send(from, &Committed{m.Channel, o.Version()})
}

// receiveCommitted publishes once all others have noted the number. One with a higher number knows another version.
func (n *numbering) receiveCommitted(from engine.Peer, m *Committed) {
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
func (n *numbering) committed(o *record, c *candidate) {
	if !n.believe.Awaits(o.ID(), c.version) {
		n.publish(o, c)
		return
	}
	c.stage = witnessing
	n.after(o, c, attestWait+n.Ring.Patience(), func() { n.publish(o, c) })
}

// attested publishes a version that has its witnesses. If it has been sent already, they are kept for nodes that
// request it again.
func (n *numbering) attested(u *Update) {
	o := n.find(u.Channel)
	switch c := o.candidate(); {
	case c != nil && c.version == u.Version && c.stage == witnessing:
		n.publish(o, c)
	case c != nil && c.version == u.Version: // the other owners have not noted it
	case o.Version() == u.Version:
		n.believe.Note(u)
	}
}

// publish sends a version to all nodes that poll or subscribe.
func (n *numbering) publish(o *record, c *candidate) {
	now := n.Env.Now()
	if seen, asks := n.believe.Seen(o.ID(), c.version); asks {
		c.update.Seal.Seen = seen
		n.believe.Note(&c.update)
		if c.complete != nil {
			c.complete.Seal = c.update.Seal
		}
	}
	n.Plan.Rest(o.ID(), n.believe.Polls(&c.update))
	u := c.update
	n.Env.Trace(Numbered{o.ID(), u.Version, u.Hash, u.FoundBy, now - c.learned})
	o.estimate.change(now, n.config.Interval)
	o.contents.unsent = false
	n.verifier.end(o)
	switch {
	case u.Base == u.Hash: // the content is not new here, but may be to others
		n.resend(o)
	case c.lookingUp:
		c.published = true
	default:
		n.distribute(o, c.sendable())
	}
	for _, l := range c.lacking {
		n.gaps.answer(l.from, l.request)
	}
}

// lookUpDelta lets the library look up the change to a bare update, as soon as it has the content. A later poll may
// soon replace that.
func (n *numbering) lookUpDelta(o *record, c *candidate) {
	if !c.update.IsBare() || o.contents.previous == (Hash{}) {
		return
	}
	c.lookingUp = true
	asked := n.gaps.lend(o.ID(), o.contents.previous, func(u *Update) {
		c.lookingUp = false
		if u != nil && u.Version == c.version && n.believe.Sealed(u) {
			c.complete = u
		}
		if c.published {
			n.distribute(o, c.sendable())
		}
	})
	c.lookingUp = c.lookingUp && asked
}

// distribute sends an update to the pollers and the subscribers.
func (n *numbering) distribute(o *record, u *Update) {
	sent := *u
	sent.Trim()
	m := &Shared{Update: sent}
	// the content differed from request to request lately
	if q := o.contents.quiet; q > 0 && n.Env.Now() < q+4*n.config.Interval {
		m.Quiet = inSeconds(n.config.Interval)
	}
	n.distribution.reconsider(o)
	for _, p := range n.Plan.Below(o.ID()) {
		if m.Quiet > 0 || !n.distribution.reaches(o, p) {
			n.Env.Send(p, m)
		}
	}
	n.distribution.publish(o, &sent)
}

// A version that may not have reached all is sent once more.
const (
	// resendAge is how long after a version was numbered a new primary does that: the one before may have died
	// half-way.
	resendAge = 2 * time.Minute
	// resendPause is how long a node waits if it has too much to send on.
	resendPause = 5 * time.Second
)

// maybeResend gets a new primary the latest content, and sends it on if that may not have been done.
func (n *numbering) maybeResend(o *record) {
	w := o.contents
	if !o.Primary() || w == nil || o.Version() == 0 {
		return
	}
	if w.unsent && n.Env.Now() < w.numberedAt+resendAge {
		n.resend(o)
		return
	}
	w.unsent = false
	if n.lacksLatest(o) {
		n.gaps.missOf(o)
	}
}

// resend sends the latest version to all nodes that poll or subscribe. Those that have it ignore it.
func (n *numbering) resend(o *record) {
	w := o.contents
	w.unsent = true
	if n.lacksLatest(o) {
		n.gaps.missOf(o) // it is sent once it is here
		return
	}
	if w.now != nil && w.now.stage >= committing {
		return // it is about to be sent
	}
	sent := n.gaps.lend(o.ID(), w.previous, func(u *Update) {
		if n.duties.makesVersions(o) && w.unsent && u != nil && u.Version == o.Version() && n.believe.Sealed(u) {
			w.unsent = false
			n.distribute(o, u)
		}
	})
	if !sent {
		n.Env.After(n.Jitter(resendPause), func() {
			if n.duties.makesVersions(o) && w.unsent {
				n.resend(o)
			}
		})
	}
}

// sendOn sends the version that the library has just stored, if it was not sent before.
func (n *numbering) sendOn(o *record, u *Update) {
	if !n.duties.makesVersions(o) || o.Version() != u.Version || !o.contents.unsent {
		return
	}
	if u.Base == u.Hash { // it is of no use to nodes with another content
		n.resend(o)
		return
	}
	o.contents.unsent = false
	if n.believe.Sealed(u) {
		n.distribute(o, u)
	}
}
