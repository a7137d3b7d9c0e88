package corona

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// commitWait is how long the other owners have to take note of a version's number. They are asked
// twice; who has not answered by then is gone, or cut off.
const commitWait = time.Second

// keep gives a candidate its number and has the library keep it. Nobody else hears of it before the
// library has found that it fits.
func (n *versioner) keep(o *owned, c *candidate) {
	held, _ := n.library.Held(o.ID())
	version, ok := follow(max(o.Version(), held, n.floor(o.ID())), c.update.Hash, c.update.Modified, n.calendar(clockSkew))
	if !ok {
		n.LimitHit("maxCounter", maxCounter)
		n.refuse(o, c, Impossible)
		return
	}
	c.stage, c.version, c.update.Version = keeping, version, version
	c.update.Seal.Giver, c.update.Seal.Given = engine.Peer{}, nil
	n.after(o, c, checkWait, func() { n.refuse(o, c, Unfit) })
	u := c.update
	n.bring(&arrival{update: &u, done: func(fits bool) { n.kept(o, c, fits) }})
}

// kept has the other owners take note of a number.
func (n *versioner) kept(o *owned, c *candidate, fits bool) {
	switch {
	case !o.current(c, keeping):
		return
	case !fits && c.checks == 0:
		n.check(o, c)
		return
	case !fits && c.update.isBare() && !n.IsSelf(c.finder):
		n.fetch(o, c)
		return
	case !fits:
		n.refuse(o, c, Unfit)
		return
	}
	if c.version <= o.Version() {
		n.refuse(o, c, Overtaken) // another owner was faster
		return
	}
	c.stage = committing
	if c.update.FoundBy == n.Env.Self().ID {
		n.signFound(&c.update)
	}
	n.give(&c.update)
	o.raise(c.version, c.update.Hash, c.update.Size, n.Env.Now())
	n.versions.falseReporters.acquit(c.update.Hash)
	n.clothe(o, c)
	for _, p := range o.Others() {
		c.waitFor = append(c.waitFor, p.ID)
	}
	n.sendCommits(o, c)
}

func (n *versioner) sendCommits(o *owned, c *candidate) {
	if len(c.waitFor) == 0 {
		n.publish(o, c)
		return
	}
	for _, p := range o.Others() {
		if slices.Contains(c.waitFor, p.ID) {
			n.Env.Send(p, &Commit{o.ID(), n.StateOf(o), n.ownHeader(&c.update)})
		}
	}
	n.after(o, c, commitWait, func() {
		if c.again {
			n.publish(o, c)
			return
		}
		c.again = true
		n.sendCommits(o, c)
	})
}

// takeCommit takes note of a number that the primary has given.
func (n *versioner) takeCommit(from engine.Peer, m *Commit) {
	o, s := n.node.roster.Find(m.Channel), &m.State
	switch {
	case o == nil:
		return
	case !n.node.roster.Near(m.Channel, from):
		n.Env.Trace(Refused{m.Channel, s.Version, from.ID, Stranger})
		return
	}
	n.MergeState(o, from, *s)
	n.takeHeader(o, &m.Header)
	n.Env.Send(from, &Committed{m.Channel, o.Version()})
}

// ownHeader returns the header of what this node has given; empty where nothing is signed.
func (n *versioner) ownHeader(u *Update) Header {
	if n.Keys == nil {
		return Header{}
	}
	return u.header()
}

// takeHeader remembers how a version was given, so that another content for it is noticed.
func (n *versioner) takeHeader(o *owned, h *Header) {
	if n.Keys == nil || h.Channel != o.ID() || h.Version != o.Version() || h.Hash != o.hash || !n.isSigned(h) {
		return
	}
	n.compareHeaders(h)
	n.noteHeader(&seal{header: *h})
}

// takeCommitted publishes once all others have taken note. Who has a higher number has heard
// of another version, which this node is told of when they compare what they have.
func (n *versioner) takeCommitted(from engine.Peer, m *Committed) {
	o := n.node.roster.Find(m.Channel)
	if o == nil || o.contents == nil || o.contents.now == nil {
		return
	}
	c := o.contents.now
	i := slices.Index(c.waitFor, from.ID)
	if c.stage != committing || i < 0 || m.Version < c.version {
		return
	}
	if m.Version > c.version {
		n.MaybeBehind(from, m.Channel, m.Version)
	}
	c.waitFor = slices.Delete(c.waitFor, i, i+1)
	if len(c.waitFor) == 0 {
		n.publish(o, c)
	}
}

// publish sends a version to all who poll or subscribe.
func (n *versioner) publish(o *owned, c *candidate) {
	u, now := c.update, n.Env.Now()
	n.Env.Trace(Numbered{o.ID(), u.Version, u.Hash, u.FoundBy, now - c.heard})
	o.estimate.change(now, n.config.Interval)
	o.contents.unsent = false
	if u.Base == u.Hash { // the content is not new here, and yet may be to others
		n.endCandidate(o)
		n.resend(o)
		return
	}
	n.endCandidate(o)
	if c.clothing {
		c.published = true
		return
	}
	n.distribute(o, c.clothed())
}

// isBare reports whether an update says only which content there is, by its hash, without what leads to it. Who has
// that content needs no more; others ask for it. Finders report so what they have found; and a channel's first
// version is sent so to its subscribers, who have mostly seen it themselves.
func (u *Update) isBare() bool { return len(u.Payload) == 0 && u.Size > 0 }

// clothe has the library look up what leads to a bare update from the version before. It is asked as soon as it
// has the content: by the time that the other owners have taken note a later poll may have replaced that.
func (n *versioner) clothe(o *owned, c *candidate) {
	if !c.update.isBare() || o.contents.previous == (Hash{}) {
		return
	}
	c.clothing = true
	asked := n.lend(o.ID(), o.contents.previous, func(u *Update) {
		c.clothing = false
		if u != nil && u.Version == c.version && n.sealed(u) {
			c.clothes = u
		}
		if c.published {
			n.distribute(o, c.clothed())
		}
	})
	c.clothing = c.clothing && asked
}

// clothed returns the update with what leads to it, if that is known.
func (c *candidate) clothed() *Update {
	if c.clothes != nil {
		return c.clothes
	}
	return &c.update
}

// distribute gives an update to the wedge and to the subscribers.
func (n *versioner) distribute(o *owned, u *Update) {
	sent := *u
	sent.trim()
	m := &Shared{Update: sent}
	if n.noisy(o) {
		m.Quiet = inSeconds(n.config.Interval)
	}
	n.dissemination.reconsider(o)
	for _, p := range n.node.plan.Below(o.ID()) {
		if m.Quiet > 0 || !n.dissemination.reaches(o, p) {
			n.Env.Send(p, m)
		}
	}
	n.dissemination.publish(o, &sent)
}

// trim leaves out a payload that is too long for a message: who gets the update asks the origin.
func (u *Update) trim() {
	if len(u.Payload) > MaxPayload {
		u.Payload = nil
	}
}

// noisy reports whether the content has been found to differ from request to request of late.
func (n *versioner) noisy(o *owned) bool {
	q := o.contents.quiet
	return q > 0 && n.Env.Now() < q+4*n.config.Interval
}
