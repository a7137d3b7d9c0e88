package version

import "time"

// Bounds of how a primary merges the versions of two sides of a ring.
const (
	reunionWait  = 10 * time.Second // until the tables of the owners are likely to be one
	reunionTries = 6
	maxReunions  = 4 // in each interval
)

// reunite is called when the primary finds that another owner has assigned other versions, most likely while the ring
// was split. The highest number holds, but its content need not be the newest. The primary asks the origin, and sends
// what it sees to all, and once more when the owners' tables agree.
func (n *numbering) reunite(o *record) {
	w, now := o.remember(), n.Env.Now()
	if w.apart || !w.reunions.Spend(now, n.config.Interval, maxReunions) {
		return
	}
	w.apart = true
	n.compareWithOrigin(o)
	n.awaitTables(o, 0)
}

// compareWithOrigin checks whether the held content is the newest. If this node may not poll, the held content counts
// as the newest. But a node that was cut off for two intervals holds an old content, and has lost its permit to poll.
// It waits for one.
func (n *numbering) compareWithOrigin(o *record) {
	w, now := o.contents, n.Env.Now()
	w.unpermitted = false
	if o.limit.Interval == 0 && now >= o.limit.NotBefore {
		_, permitted := n.Ceilings.Certified(o.ID())
		if w.unpermitted = !permitted && now >= max(w.seen, w.numberedAt)+2*n.config.Interval; w.unpermitted {
			return
		}
		w.verifying = w.limitChecks.Spend(now, n.config.Interval, freeChecks) && n.origins.verify(o)
	}
	if !w.verifying {
		n.renumber(o, true)
	}
}

// awaitTables sends the latest version once more when the owners' tables agree.
func (n *numbering) awaitTables(o *record, tries int) {
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

// reunited handles what the primary sees at the origin.
func (n *numbering) reunited(o *record, r *PollResult) {
	o.contents.verifying = false
	doubled := n.numbering.floors[o.ID()] >= o.Version()
	switch {
	case r.Hash == Hash{}:
		n.renumber(o, true)
	case r.Hash == o.hash && (r.Update == nil || !doubled):
		n.renumber(o, false)
	// a mirror lags, or the highest version is not the origin's: one poll does not show which
	case o.contents.recent.has(r.Hash) && r.Hash != o.hash:
		n.renumber(o, false)
		n.verifier.doubtAtOnce(o, r.Hash)
	case r.Update == nil: // the library here has it, under a lower number
		n.reissue(o, r.Hash)
	default:
		n.issue(o, r.Update)
	}
}

// renumber sends the latest version to all, under a new number if a node holds a higher one, or the same for another
// content. If seen, the primary cannot poll the origin now. Then the content that the origin showed this node after the
// latest was numbered counts as the newest, and becomes a version.
func (n *numbering) renumber(o *record, seen bool) {
	content := n.Library.Content(o.ID())
	switch {
	case seen && content != (Hash{}) && content != o.hash && o.contents.seen > o.contents.numberedAt &&
		o.contents.now == nil:
		n.reissue(o, content)
	case o.hash == (Hash{}): // this node first has to learn the content
	case n.numbering.floors[o.ID()] < o.Version() || o.contents.now != nil || n.lacksLatest(o):
		n.resend(o)
	default:
		n.reissue(o, o.hash)
	}
}

// reissue makes a version of a content that is here, issue of one that needs no more checks.
func (n *numbering) reissue(o *record, h Hash) {
	u := &Update{Channel: o.ID(), Base: h, Hash: h}
	n.believe.FoundAs(u)
	n.issue(o, u)
}

func (n *numbering) issue(o *record, u *Update) {
	o.contents.now = &candidate{report: n.reportOf(u), checks: maxChecks}
	n.keep(o, o.contents.now)
}
