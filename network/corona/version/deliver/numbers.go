package deliver

import (
	"slices"
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// A version waits for others before it is sent.
const (
	// keepWait is how long the library has to store it.
	keepWait = 30 * time.Second
	// commitWait is how long the other owners have to note a version's number. They are asked twice. One that has not
	// answered by then is gone, or cut off.
	commitWait = time.Second
	// attestWait is how long a version waits for its witnesses, from when it has its number.
	attestWait = 3 * time.Second
)

// Keep assigns an accepted content its number, and has the library store it. No other node learns of it before the
// library has found that it fits.
func (m *Machine) Keep(channel engine.ID, u update.Update) update.Steps {
	o := m.find(channel)
	m.noteLoss(o)
	if !m.Number(channel, &u) {
		m.LimitHit("maxCounter", update.MaxCounter)
		return update.Steps{Refused{channel, update.Impossible}}
	}
	u.Seal.Giver, u.Seal.Given = engine.Peer{}, nil
	c := &numbered{update: u}
	o.now = c
	m.after(o, c, keepWait, func() update.Steps {
		o.now = nil
		return update.Steps{Refused{channel, update.Unfit}}
	})
	next, _ := m.bring(&arrival{update: &u, own: c})
	return next
}

// Number assigns an update of a channel that is owned here the number after those that this node knows, and reports
// whether there is one.
func (m *Machine) Number(channel engine.ID, u *update.Update) (ok bool) {
	last := max(m.find(channel).Version(), m.held(channel), m.Floor(channel))
	u.Version, ok = update.Follow(last, u.Hash, u.Modified, update.Calendar(m.Env.Wall(), update.ClockSkew))
	return ok
}

// after sets a numbered content's timer.
func (m *Machine) after(o *record, c *numbered, d time.Duration, f func() update.Steps) {
	s := c.stage
	c.timer.Stop()
	c.timer = m.Host.After(d, func() update.Steps {
		if o.current(c, s) {
			return f()
		}
		return nil
	})
}

// kept sends a number to the other owners, if the library has stored the content. c is nil if another node has numbered
// it.
func (m *Machine) kept(c *numbered, fits bool) update.Steps {
	if c == nil {
		return nil
	}
	channel := c.update.Channel
	o := m.find(channel)
	switch {
	case o == nil || !o.current(c, keeping):
		return nil
	case !fits || c.update.Version <= o.Version():
		c.timer.Stop()
		if o.now = nil; !fits {
			return update.Steps{Unfit{channel}}
		}
		return update.Steps{Refused{channel, update.Overtaken}} // another owner was faster
	}
	c.stage = committing
	if c.update.FoundBy == m.Env.Self().ID {
		update.SignFound(&m.Base, &c.update)
	}
	o.raise(c.update.Version, c.update.Hash, c.update.Size, m.Env.Now())
	return update.Steps{Numbering{channel, &c.update}}.Then(func() update.Steps {
		m.lookUpDelta(o, c)
		return update.Steps{Attesting{channel, &c.update}}
	}).Then(func() update.Steps {
		for _, p := range o.Others() {
			c.waitFor = append(c.waitFor, p.ID)
		}
		return m.sendCommits(o, c)
	})
}

func (m *Machine) sendCommits(o *record, c *numbered) update.Steps {
	if len(c.waitFor) == 0 {
		return m.committed(o, c)
	}
	for _, p := range o.Others() {
		if slices.Contains(c.waitFor, p.ID) {
			commit := &Commit{Channel: o.ID(), State: m.Host.State(o.ID())}
			if m.Keys != nil {
				commit.Header = c.update.Header()
			}
			m.Env.Send(p, commit)
		}
	}
	m.after(o, c, commitWait, func() update.Steps {
		if c.again {
			return m.committed(o, c)
		}
		c.again = true
		return m.sendCommits(o, c)
	})
	return nil
}

// ReceiveCommitted publishes once all others have noted the number. One with a higher number knows another version.
func (m *Machine) ReceiveCommitted(from engine.Peer, r *Committed) (next update.Steps) {
	o := m.find(r.Channel)
	if o == nil || o.now == nil || o.now.stage != committing || r.Version < o.now.update.Version {
		return nil
	}
	c := o.now
	if !slices.Contains(c.waitFor, from.ID) {
		return nil
	}
	if r.Version > c.update.Version {
		next = m.MaybeBehind(from, r.Channel, r.Version)
	}
	return next.Then(func() update.Steps {
		c.waitFor = slices.DeleteFunc(c.waitFor, func(id engine.ID) bool { return id == from.ID })
		if len(c.waitFor) > 0 {
			return nil
		}
		return m.committed(o, c)
	})
}

// committed publishes a version that the other owners have noted, once witnesses have seen it, or had time to.
func (m *Machine) committed(o *record, c *numbered) update.Steps {
	if _, _, awaited := m.Host.Witnesses(o.ID(), c.update.Version); !awaited {
		return m.publish(o, c)
	}
	c.stage = witnessing
	m.after(o, c, attestWait+m.Ring.Patience(), func() update.Steps { return m.publish(o, c) })
	return nil
}

// Attested publishes a version that has its witnesses. It reports whether that has been sent already: then they are
// kept for nodes that request it again.
func (m *Machine) Attested(u *update.Update) (next update.Steps, late bool) {
	o := m.find(u.Channel)
	switch {
	case o == nil:
		return nil, false
	case o.now != nil && o.now.update.Version == u.Version && o.now.stage == witnessing:
		return m.publish(o, o.now), false
	case o.now != nil && o.now.update.Version == u.Version: // the other owners have not noted it
		return nil, false
	}
	return nil, o.Version() == u.Version
}

// publish sends a version to all nodes that poll or subscribe.
func (m *Machine) publish(o *record, c *numbered) update.Steps {
	if seen, asked, _ := m.Host.Witnesses(o.ID(), c.update.Version); asked {
		c.update.Seal.Seen = seen
		if c.complete != nil {
			c.complete.Seal = c.update.Seal
		}
	}
	c.timer.Stop()
	o.now, o.unsent = nil, nothing
	next := update.Steps{Published{o.ID(), &c.update}}.Then(func() update.Steps {
		switch {
		case c.update.Base == c.update.Hash: // the content is not new here, but may be to others
			return m.resend(o)
		case c.lookingUp:
			c.published = true
		default:
			m.distribute(o, c.sendable())
		}
		return nil
	})
	return next.Then(func() update.Steps {
		for _, l := range c.lacking {
			m.Answer(l.from, l.request)
		}
		return nil
	})
}

// lookUpDelta lets the library look up the change to a bare update, as soon as it has the content. A later poll may
// soon replace that.
func (m *Machine) lookUpDelta(o *record, c *numbered) {
	if !c.update.IsBare() || o.previous == (update.Hash{}) {
		return
	}
	c.lookingUp = true
	asked := m.lend(o.ID(), o.previous, func(u *update.Update) {
		c.lookingUp = false
		if u != nil && u.Version == c.update.Version && m.Host.Sealed(u) {
			c.complete = u
		}
		if c.published {
			m.distribute(o, c.sendable())
		}
	})
	c.lookingUp = c.lookingUp && asked
}

// distribute sends an update to the pollers and the subscribers.
func (m *Machine) distribute(o *record, u *update.Update) {
	sent := *u
	sent.Trim()
	s := &Shared{Update: sent}
	if m.Host.Noisy(o.ID()) {
		s.Quiet = uint32((m.config.Interval + time.Second - 1) / time.Second)
	}
	m.reconsider(o)
	for _, p := range m.Plan.Below(o.ID()) {
		if s.Quiet > 0 || !m.reaches(o, p) {
			m.Env.Send(p, s)
		}
	}
	m.publishAll(o, &sent)
}
