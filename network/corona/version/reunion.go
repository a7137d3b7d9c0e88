package version

import "time"

// How a primary brings together what was given while the ring was apart.
const (
	reunionWait  = 10 * time.Second // until the tables of the owners are likely to be one
	reunionTries = 6
	maxReunions  = 4 // in each interval
)

// reunite is called when the primary finds that another owner has given other versions, most likely while the ring was apart. The highest number holds, but its
// content need not be the newest: the primary asks the origin, sends what it sees to all, and once more when the owners' tables have become one.
func (n *giver) reunite(o *record) {
	w, now := o.remember(), n.Env.Now()
	if w.apart || !w.reunions.take(now, n.config.Interval, maxReunions) {
		return
	}
	w.apart = true
	n.compareWithOrigin(o)
	n.awaitTables(o, 0)
}

// compareWithOrigin has the primary see whether what it holds is the newest. Where it may not poll, what it holds counts as the newest. But a node that was cut
// off for long holds something old, and has lost its permit to poll: it waits for that.
func (n *giver) compareWithOrigin(o *record) {
	w, now := o.contents, n.Env.Now()
	w.unpermitted = false
	if o.limit.Interval == 0 && now >= o.limit.NotBefore {
		_, permitted := n.Ceilings.Certified(o.ID())
		if w.unpermitted = !permitted && now >= max(w.seen, w.given)+2*n.config.Interval; w.unpermitted {
			return
		}
		w.verifying = w.limitChecks.take(now, n.config.Interval, freeChecks) && n.origins.verify(o)
	}
	if !w.verifying {
		n.renumber(o)
	}
}

// awaitTables sends the latest version once more when the owners' tables have become one.
func (n *giver) awaitTables(o *record, tries int) {
	n.Env.After(reunionWait, func() {
		primary, w := !o.Gone() && o.Primary(), o.contents
		switch {
		case primary && w.unpermitted:
			n.compareWithOrigin(o)
			n.awaitTables(o, 0)
			return
		case primary && !o.Shared() && tries < reunionTries:
			n.awaitTables(o, tries+1)
			return
		}
		w.apart, w.verifying, w.unpermitted = false, false, false
		if primary {
			n.resend(o)
		}
	})
}

// reunited takes what the primary sees at the origin.
func (n *giver) reunited(o *record, r *PollResult) {
	o.contents.verifying = false
	doubled := n.seals.floors[o.ID()] >= o.Version()
	switch {
	case r.Hash == Hash{}, r.Hash == o.hash && (r.Update == nil || !doubled):
		n.renumber(o)
	case o.contents.recent.has(r.Hash) && r.Hash != o.hash: // a mirror lags behind, or what holds is not the origin's: one poll does not tell
		n.renumber(o)
		n.judge.doubtAtOnce(o, r.Hash)
	case r.Update == nil: // the library here has it, under a lower number
		n.giveAgain(o, r.Hash)
	default:
		n.giveNow(o, r.Update)
	}
}

// renumber sends the latest version to all; under a new number if somebody has been given a higher one, or the same for another content. If the origin has shown
// this node something else after the latest was given, that is the newest, and becomes a version.
func (n *giver) renumber(o *record) {
	content := n.Library.Content(o.ID())
	switch {
	case content != (Hash{}) && content != o.hash && o.contents.seen > o.contents.given && o.contents.now == nil:
		n.giveAgain(o, content)
	case o.hash == (Hash{}): // this node has to be told first what there is
	case n.seals.floors[o.ID()] < o.Version() || o.contents.now != nil || n.lacksLatest(o):
		n.resend(o)
	default:
		n.giveAgain(o, o.hash)
	}
}

// giveAgain makes a version of a content that is here, giveNow of one that needs no more checks.
func (n *giver) giveAgain(o *record, h Hash) {
	u := &Update{Channel: o.ID(), Base: h, Hash: h}
	n.seals.foundAs(u)
	n.giveNow(o, u)
}

func (n *giver) giveNow(o *record, u *Update) {
	o.contents.now = &candidate{report: n.reportOf(u), checks: maxChecks}
	n.keep(o, o.contents.now)
}
