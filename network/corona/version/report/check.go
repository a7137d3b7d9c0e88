package report

import (
	"slices"
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// How a primary finds out whether a report is true.
const (
	checkWait   = 30 * time.Second // for an answer of the origin, or of a poller that asks it
	confirmWait = 10 * time.Second // for the finder to confirm its report
	maxChecks   = 2                // by this node for one candidate
	maxAsked    = 2                // pollers that are asked about one candidate
	// FreeChecks is how many checks others cause in each interval, of one channel; or as many as there are pollers, if
	// more.
	FreeChecks = 6
)

// after sets a candidate's timer.
func (n *judge) after(o *record, c *candidate, d time.Duration, f func() update.Steps) {
	s := c.stage
	c.timer.Stop()
	c.timer = n.Host.After(d, func() update.Steps {
		if o.current(c, s) {
			return f()
		}
		return nil
	})
}

// confirm asks the finder to confirm its report.
func (n *judge) confirm(o *record, c *candidate) {
	c.stage = confirming
	n.after(o, c, confirmWait, func() update.Steps { return n.end(o) })
	n.Env.Send(c.finder, &update.Verify{Channel: o.ID(), Hash: c.update.Hash})
}

// awaitWitness waits until another poller finds the same in its turn. That is the only check if an origin wants no more
// requests.
func (n *judge) awaitWitness(o *record, c *candidate) {
	c.stage = awaiting
	n.after(o, c, 2*max(n.config.Interval, o.limit.Interval),
		func() update.Steps { return n.refuse(o, c, update.Unconfirmed) })
}

// check polls the origin.
func (n *judge) check(o *record, c *candidate) update.Steps {
	own := n.IsSelf(c.finder)
	if o.limit.Interval > 0 && !own {
		n.awaitWitness(o, c)
		return nil
	}
	c.stage = checking
	c.checks++
	if most := max(FreeChecks, n.pollers(o)); !own && !o.contents.checks.Spend(n.Env.Now(), n.config.Interval, most) {
		n.LimitHit("freeChecks", most)
		return n.refuse(o, c, update.Unconfirmed)
	}
	switch {
	case n.verify(o):
		n.after(o, c, checkWait, func() update.Steps { return n.askPoller(o, c) })
		if !own && !n.soon(o) {
			return update.Steps{Early{o.ID(), c.update}}
		}
	case !o.Primary(): // a node that acts for the primary may have no permit to poll
		n.awaitWitness(o, c)
	default:
		return n.refuse(o, c, update.Unconfirmed) // without a poll of its own it accuses nobody
	}
	return nil
}

// IsChecking reports whether this node polls a channel now, for a candidate.
func (n *Machine) IsChecking(channel engine.ID) bool {
	o := n.find(channel)
	return o != nil && o.contents != nil && o.contents.now != nil && o.contents.now.stage == checking
}

// fetch requests the content from the finder: others see the same, but this node sees something else.
func (n *judge) fetch(o *record, c *candidate) {
	c.stage = fetching
	n.after(o, c, checkWait, func() update.Steps { return n.refuse(o, c, update.Unfit) })
	n.Env.Send(c.finder, &Heard{Channel: o.ID(), Hash: c.update.Hash, Version: o.Version(), Whole: true})
}

// polled handles this node's poll. It returns false if that was not for a candidate.
func (n *judge) polled(o *record, r *update.PollResult) (next update.Steps, was bool) {
	w := o.contents
	switch {
	case w == nil:
		return nil, false
	case w.now == nil && w.verifying:
		return n.reunited(o, r), true
	case w.now == nil:
		return n.verifiedAgain(o, r)
	case w.now.stage != checking:
		return nil, false
	}
	w.now.timer.Stop()
	return n.checked(o, w.now, r), true
}

// checked handles this node's poll for a candidate.
func (n *judge) checked(o *record, c *candidate, r *update.PollResult) update.Steps {
	w := o.contents
	switch {
	case r.Hash == update.Hash{}:
		return n.askPoller(o, c)
	case r.Hash == c.update.Hash:
		if r.Update != nil {
			c.replace(r.Update)
		}
		return n.keep(o, c)
	case r.Hash == w.latest && n.lacksLatest(o) && r.Update != nil:
		return n.end(o).Then(func() update.Steps { return n.considerLatest(o, n.found(r.Update)) })
	case o.Version() > 0 && r.Hash == w.latest || w.recent.has(r.Hash):
		if n.IsSelf(c.finder) { // the second poll does not confirm the first
			return n.refuse(o, c, update.Unconfirmed)
		}
		c.denied = true
		return n.askPoller(o, c)
	case r.Update == nil:
		return n.refuse(o, c, update.Unconfirmed)
	}
	return n.sawAnother(o, c, r)
}

// sawAnother handles a poll that shows neither the reported content nor any version. The origin has changed in between,
// or serves each request something else.
func (n *judge) sawAnother(o *record, c *candidate, r *update.PollResult) update.Steps {
	w := o.contents
	n.dismiss(o, c.found, update.Replaced)
	w.replaced, w.replacedAt = c.update.Hash, n.Env.Now()
	learned := c.learned
	c.found = n.found(r.Update)
	c.learned = learned
	switch {
	case !n.soon(o):
		return n.keep(o, c)
	case c.checks < maxChecks:
		return n.check(o, c)
	}
	w.quiet = w.numberedAt + n.config.Interval
	w.next = nil
	return n.refuse(o, c, update.Noise)
}

// askPoller asks another poller, or reaches a verdict: at least one must have been asked, and all must agree with the
// finder.
func (n *judge) askPoller(o *record, c *candidate) update.Steps {
	if c.differ == 0 && len(c.asked) < maxAsked {
		if p, ok := n.poller(o, c); ok {
			c.stage = asking
			c.asked = append(c.asked, p.ID)
			n.after(o, c, checkWait, func() update.Steps { return n.verdict(o, c) })
			n.Env.Send(p, &update.Verify{Channel: o.ID()})
			return nil
		}
	}
	return n.verdict(o, c)
}

// poller draws a node that polls the channel and can be asked.
func (n *judge) poller(o *record, c *candidate) (engine.Peer, bool) {
	all := slices.DeleteFunc(n.Plan.Below(o.ID()),
		func(p engine.Peer) bool { return p.ID == c.finder.ID || slices.Contains(c.asked, p.ID) })
	if len(all) == 0 {
		return engine.Peer{}, false
	}
	return all[n.Env.Rand().IntN(len(all))], true
}

// answered handles the finder's confirmation, or counts what a poller sees.
func (n *judge) answered(o *record, c *candidate, from engine.Peer, m *update.Verified) update.Steps {
	switch {
	case c.stage == confirming && c.finder.ID == from.ID && c.update.Hash == m.Hash:
		return n.check(o, c)
	case c.stage == awaiting && c.witness.ID == from.ID && c.update.Hash == m.Hash:
		return n.keep(o, c)
	case c.stage == asking && c.asked[len(c.asked)-1] == from.ID:
		switch m.Hash {
		case c.update.Hash:
			c.agree++
		case update.Hash{}:
		default:
			c.differ++
		}
		return n.askPoller(o, c)
	}
	return nil
}

// verdict decides by what pollers have seen. A report is false if no node that has polled since sees its content. This
// node's own poll alone counts if there is nobody to ask. A report is not false if nobody could poll in time, there was
// a version meanwhile, or it had to wait. The content may have been replaced then.
func (n *judge) verdict(o *record, c *candidate) update.Steps {
	if c.agree > 0 && c.differ == 0 {
		return n.keep(o, c)
	}
	if !n.IsSelf(c.finder) && !c.waited && (c.denied && len(c.asked) == 0 || c.differ > 0) &&
		o.contents.numberedAt <= c.learned {
		n.Env.Trace(FalseReport{o.ID(), c.finder.ID, n.offenders.Count(c.finder.ID, c.update.Hash, n.Env.Now())})
	}
	return n.refuse(o, c, update.Unconfirmed)
}
