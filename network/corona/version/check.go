package version

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// How a primary finds out whether a report is true.
const (
	checkWait   = 30 * time.Second // for an answer of the origin, or of a poller that asks it
	confirmWait = 10 * time.Second // for the finder to confirm its report
	maxChecks   = 2                // by this node for one candidate
	maxAsked    = 2                // pollers that are asked about one candidate
	// in each interval, of one channel, caused by others; or as many as there are pollers, if more
	freeChecks = 6
)

// confirm asks the finder to confirm its report.
func (n *verifier) confirm(o *record, c *candidate) {
	c.stage = confirming
	n.after(o, c, confirmWait, func() { n.end(o) })
	n.Env.Send(c.finder, &Verify{Channel: o.ID(), Hash: c.update.Hash})
}

// awaitWitness waits until another poller finds the same in its turn. That is the only check if an origin wants no more
// requests.
func (n *verifier) awaitWitness(o *record, c *candidate) {
	c.stage = awaiting
	n.after(o, c, 2*max(n.config.Interval, o.limit.Interval), func() { n.refuse(o, c, Unconfirmed) })
}

// check polls the origin.
func (n *verifier) check(o *record, c *candidate) {
	if o.limit.Interval > 0 && !n.IsSelf(c.finder) {
		n.awaitWitness(o, c)
		return
	}
	c.stage = checking
	c.checks++
	if most := max(freeChecks, n.pollers(o)); !n.IsSelf(c.finder) &&
		!o.contents.checks.Spend(n.Env.Now(), n.config.Interval, most) {
		n.LimitHit("freeChecks", most)
		n.refuse(o, c, Unconfirmed)
		return
	}
	switch {
	case n.origins.verify(o):
		n.after(o, c, checkWait, func() { n.askPoller(o, c) })
		if !n.IsSelf(c.finder) {
			n.askEarly(o, c)
		}
	case !o.Primary(): // a node that acts for the primary may have no permit to poll
		n.awaitWitness(o, c)
	default:
		n.refuse(o, c, Unconfirmed) // without a poll of its own it accuses nobody
	}
}

// fetch requests the content from the finder: others see the same, but this node sees something else.
func (n *verifier) fetch(o *record, c *candidate) {
	c.stage = fetching
	n.after(o, c, checkWait, func() { n.refuse(o, c, Unfit) })
	n.Env.Send(c.finder, &Heard{Channel: o.ID(), Hash: c.update.Hash, Version: o.Version(), Whole: true})
}

// polled handles this node's poll. It returns false if that was not for a candidate.
func (n *verifier) polled(o *record, r *PollResult) bool {
	w := o.contents
	switch {
	case w == nil:
		return false
	case w.now == nil && w.verifying:
		n.numbering.reunited(o, r)
		return true
	case w.now == nil:
		return n.verifiedAgain(o, r)
	case w.now.stage != checking:
		return false
	}
	c := w.now
	c.timer.Stop()
	switch {
	case r.Hash == Hash{}:
		n.askPoller(o, c)
	case r.Hash == c.update.Hash:
		if r.Update != nil {
			c.replace(r.Update)
		}
		n.numbering.keep(o, c)
	case r.Hash == o.hash && n.lacksLatest(o) && r.Update != nil:
		n.end(o)
		n.considerLatest(o, n.reportOf(r.Update))
	case o.Version() > 0 && r.Hash == o.hash || w.recent.has(r.Hash):
		if n.IsSelf(c.finder) { // the second poll does not confirm the first
			n.refuse(o, c, Unconfirmed)
			break
		}
		c.denied = true
		n.askPoller(o, c)
	case r.Update == nil:
		n.refuse(o, c, Unconfirmed)
	default:
		n.sawAnother(o, c, r)
	}
	return true
}

// sawAnother handles a poll that shows neither the reported content nor any version. The origin has changed in between,
// or serves each request something else.
func (n *verifier) sawAnother(o *record, c *candidate, r *PollResult) {
	w := o.contents
	n.dismiss(o, c.report, Replaced)
	w.replaced, w.replacedAt = c.update.Hash, n.Env.Now()
	learned := c.learned
	c.report = n.reportOf(r.Update)
	c.learned = learned
	switch {
	case !n.soon(o):
		n.numbering.keep(o, c)
	case c.checks < maxChecks:
		n.check(o, c)
	default:
		w.quiet = w.numberedAt + n.config.Interval
		w.next = nil
		n.refuse(o, c, Noise)
	}
}

// askPoller asks another poller, or reaches a verdict: at least one must have been asked, and all must agree with the
// finder.
func (n *verifier) askPoller(o *record, c *candidate) {
	if c.differ == 0 && len(c.asked) < maxAsked {
		if p, ok := n.poller(o, c); ok {
			c.stage = asking
			c.asked = append(c.asked, p.ID)
			n.after(o, c, checkWait, func() { n.verdict(o, c) })
			n.Env.Send(p, &Verify{Channel: o.ID()})
			return
		}
	}
	n.verdict(o, c)
}

// poller draws a node that polls the channel and can be asked.
func (n *verifier) poller(o *record, c *candidate) (engine.Peer, bool) {
	all := slices.DeleteFunc(n.Plan.Below(o.ID()),
		func(p engine.Peer) bool { return p.ID == c.finder.ID || slices.Contains(c.asked, p.ID) })
	if len(all) == 0 {
		return engine.Peer{}, false
	}
	return all[n.Env.Rand().IntN(len(all))], true
}

// receiveVerified handles the finder's confirmation, or counts what a poller sees.
func (n *verifier) receiveVerified(from engine.Peer, m *Verified) {
	o := n.find(m.Channel)
	if o == nil || o.candidate() == nil {
		return
	}
	switch c := o.candidate(); {
	case c.stage == confirming && c.finder.ID == from.ID && c.update.Hash == m.Hash:
		n.check(o, c)
	case c.stage == awaiting && c.witness.ID == from.ID && c.update.Hash == m.Hash:
		n.numbering.keep(o, c)
	case c.stage == asking && c.asked[len(c.asked)-1] == from.ID:
		switch m.Hash {
		case c.update.Hash:
			c.agree++
		case Hash{}:
		default:
			c.differ++
		}
		n.askPoller(o, c)
	}
}

// verdict decides by what pollers have seen. A report is false if no node that has polled since sees its content. This
// node's own poll alone counts if there is nobody to ask. A report is not false if nobody could poll in time, there was
// a version meanwhile, or it had to wait. The content may have been replaced then.
func (n *verifier) verdict(o *record, c *candidate) {
	if c.agree > 0 && c.differ == 0 {
		n.numbering.keep(o, c)
		return
	}
	if !n.IsSelf(c.finder) && !c.waited && (c.denied && len(c.asked) == 0 || c.differ > 0) &&
		o.contents.numberedAt <= c.learned {
		n.Env.Trace(FalseReport{o.ID(), c.finder.ID, n.falseReporters.Count(c.finder.ID, c.update.Hash, n.Env.Now())})
	}
	n.refuse(o, c, Unconfirmed)
}
