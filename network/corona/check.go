package corona

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// How a primary finds out whether a report is true.
const (
	checkWait  = 30 * time.Second // for an answer of the origin, or of a member that asks it
	maxChecks  = 2                // of this node for one candidate
	maxAsked   = 2                // members that are asked about one candidate
	freeChecks = 6                // in each interval, of one channel, for what others say
)

// confirmWait is how long the finder has to say that it has found something.
const confirmWait = 10 * time.Second

// confirm asks the finder whether it is the finder.
func (n *versioner) confirm(o *owned, c *candidate) {
	c.stage = confirming
	n.after(o, c, confirmWait, func() { n.endCandidate(o) })
	n.Env.Send(c.finder, &Verify{o.ID(), c.update.Hash})
}

// awaitWitness waits until another poller finds the same in its turn. It is what is left where an
// origin wants no more requests than there are.
func (n *versioner) awaitWitness(o *owned, c *candidate) {
	c.stage = awaiting
	n.after(o, c, 2*max(n.config.Interval, o.limit.Interval), func() { n.refuse(o, c, Unconfirmed) })
}

// check has this node poll the origin itself.
func (n *versioner) check(o *owned, c *candidate) {
	if o.limit.Interval > 0 && !n.IsSelf(c.finder) {
		n.awaitWitness(o, c)
		return
	}
	c.stage = checking
	c.checks++
	if !n.IsSelf(c.finder) && !o.contents.checks.take(n.Env.Now(), n.config.Interval, freeChecks) {
		n.LimitHit("freeChecks", freeChecks)
		n.refuse(o, c, Unconfirmed)
		return
	}
	if !n.verify(o) {
		if !o.Primary() { // who stands in for the primary may have no permit to poll
			n.awaitWitness(o, c)
			return
		}
		n.refuse(o, c, Unconfirmed) // without a poll of its own it accuses nobody
		return
	}
	n.after(o, c, checkWait, func() { n.askMember(o, c) })
}

// fetch has the finder tell what it has found: members see the same, and this node is shown something else.
func (n *versioner) fetch(o *owned, c *candidate) {
	c.stage = fetching
	n.after(o, c, checkWait, func() { n.refuse(o, c, Unfit) })
	n.Env.Send(c.finder, &Heard{Channel: o.ID(), Hash: c.update.Hash, Version: o.Version(), Whole: true})
}

// checked takes what this node has seen itself. It returns false if the poll was not for a candidate.
func (n *versioner) checked(o *owned, r *PollResult) bool {
	switch {
	case o.contents == nil:
		return false
	case o.contents.now == nil && o.contents.verifying:
		n.reunited(o, r)
		return true
	case o.contents.now == nil:
		return n.verifiedAgain(o, r)
	case o.contents.now.stage != checking:
		return false
	}
	c := o.contents.now
	c.timer.Stop()
	switch {
	case r.Hash == Hash{}:
		n.askMember(o, c)
	case r.Hash == c.update.Hash:
		if r.Update != nil {
			c.replace(r.Update)
		}
		n.keep(o, c)
	case r.Hash == o.hash && n.lacksLatest(o) && r.Update != nil:
		f := report{update: *r.Update, finder: n.Env.Self(), heard: n.Env.Now()}
		n.endCandidate(o)
		n.considerLatest(o, f)
	case o.Version() > 0 && r.Hash == o.hash || o.contents.recent.has(r.Hash):
		if n.IsSelf(c.finder) { // the second poll does not confirm the first
			n.refuse(o, c, Unconfirmed)
			return true
		}
		c.denied = true
		n.askMember(o, c)
	case r.Update == nil:
		n.refuse(o, c, Unconfirmed)
	default:
		n.sawAnother(o, c, r)
	}
	return true
}

// replace takes this node's own update for the finder's: it is sure to fit.
func (c *candidate) replace(own *Update) {
	found := c.update
	c.update = *own
	c.update.URL = ""
	c.update.FoundBy, c.update.FoundAt, c.update.Seal = found.FoundBy, found.FoundAt, found.Seal
	if len(found.Seal.Found) > 0 {
		c.update.Modified = found.Modified // the finder has signed it
	}
}

// sawAnother deals with a content that is neither what was found nor any version. The origin has
// changed in between, or serves each request something else.
func (n *versioner) sawAnother(o *owned, c *candidate, r *PollResult) {
	n.dismissReport(o, c.report, Replaced)
	o.contents.replaced, o.contents.replacedAt = c.update.Hash, n.Env.Now()
	c.report = report{update: *r.Update, finder: n.Env.Self(), heard: c.heard}
	c.update.URL = ""
	switch {
	case !n.soon(o):
		n.keep(o, c)
	case c.checks < maxChecks:
		n.check(o, c)
	default:
		w := o.contents
		w.quiet = w.given + n.config.Interval
		w.next = nil
		n.refuse(o, c, Noise)
	}
}

// askMember asks another member of the wedge what it sees, or comes to a verdict: those asked
// have to agree with the finder, and there has to be one.
func (n *versioner) askMember(o *owned, c *candidate) {
	if c.differ == 0 && len(c.asked) < maxAsked {
		if p, ok := n.member(o, c); ok {
			c.stage = asking
			c.asked = append(c.asked, p.ID)
			n.after(o, c, checkWait, func() { n.verdict(o, c) })
			n.Env.Send(p, &Verify{Channel: o.ID()})
			return
		}
	}
	n.verdict(o, c)
}

// verdict decides by what members have said. A report is counted as false if nobody who has polled since sees its
// content; this node's own poll alone counts if there is nobody to ask. It is not counted where nobody could poll in
// time, where there was a version meanwhile, or where the report had to wait before it was checked: what is seen now may
// have replaced what was found.
func (n *versioner) verdict(o *owned, c *candidate) {
	if c.agree > 0 && c.differ == 0 {
		n.keep(o, c)
		return
	}
	if !n.IsSelf(c.finder) && !c.waited && (c.denied && len(c.asked) == 0 || c.differ > 0) && o.contents.given <= c.heard {
		n.Env.Trace(FalseReport{o.ID(), c.finder.ID, n.versions.falseReporters.count(c.finder.ID, c.update.Hash, n.Env.Now())})
	}
	n.refuse(o, c, Unconfirmed)
}

// member draws a member of the wedge that can be asked.
func (n *versioner) member(o *owned, c *candidate) (engine.Peer, bool) {
	var members []engine.Peer
	for _, p := range n.node.plan.Below(o.ID()) {
		if p.ID != c.finder.ID && !slices.Contains(c.asked, p.ID) {
			members = append(members, p)
		}
	}
	if len(members) == 0 {
		return engine.Peer{}, false
	}
	return members[n.Env.Rand().IntN(len(members))], true
}
