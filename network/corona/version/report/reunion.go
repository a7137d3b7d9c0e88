package report

import (
	"time"

	"tidings/network/corona/version/update"
)

// Bounds of how a primary merges the versions of two sides of a ring.
const (
	reunionWait  = 10 * time.Second // until the tables of the owners are likely to be one
	reunionTries = 6
	maxReunions  = 4 // in each interval
)

// reunite is called when the primary finds that another owner has assigned other versions, most likely while the ring
// was split. The highest number holds, but its content need not be the newest. The primary asks the origin, and sends
// what it sees to all, and once more when the owners' tables agree.
func (n *judge) reunite(o *record) update.Steps {
	w, now := o.remember(), n.Env.Now()
	if w.apart || !w.reunions.Spend(now, n.config.Interval, maxReunions) {
		return nil
	}
	w.apart = true
	return n.compareWithOrigin(o).Do(func() { n.awaitTables(o, 0) })
}

// compareWithOrigin checks whether the held content is the newest. If this node may not poll, the held content counts
// as the newest.
func (n *judge) compareWithOrigin(o *record) update.Steps {
	w, now := o.contents, n.Env.Now()
	if o.limit.Interval == 0 && now >= o.limit.NotBefore {
		w.verifying = w.limitChecks.Spend(now, n.config.Interval, FreeChecks) && n.verify(o)
	}
	if w.verifying {
		return nil
	}
	return n.renumber(o, true)
}

// awaitTables sends the latest version once more when the owners' tables agree.
func (n *judge) awaitTables(o *record, tries int) {
	n.Host.After(reunionWait, func() update.Steps {
		primary, w := !o.Gone() && o.Primary(), o.contents
		if primary && !o.Shared() && tries < reunionTries {
			n.awaitTables(o, tries+1)
			return nil
		}
		w.apart, w.verifying = false, false
		if primary {
			return update.Steps{Resend{o.ID()}}
		}
		return nil
	})
}

// reunited handles what the primary sees at the origin.
func (n *judge) reunited(o *record, r *update.PollResult) update.Steps {
	w := o.contents
	w.verifying = false
	doubled := n.Host.Floor(o.ID()) >= o.Version()
	switch {
	case r.Hash == update.Hash{}:
		return n.renumber(o, true)
	case r.Hash == w.latest && (r.Update == nil || !doubled):
		return n.renumber(o, false)
	// a mirror lags, or the highest version is not the origin's: one poll does not show which
	case w.recent.has(r.Hash) && r.Hash != w.latest:
		return n.renumber(o, false).Do(func() { n.doubtAtOnce(o, r.Hash) })
	case r.Update == nil: // the library here has it, under a lower number
		return n.reissue(o, r.Hash)
	}
	return n.issue(o, r.Update, maxChecks)
}

// renumber sends the latest version to all, under a new number if a node holds a higher one, or the same for another
// content. If seen, the primary cannot poll the origin now. Then the content that the origin showed this node after the
// latest was numbered counts as the newest, and becomes a version.
func (n *judge) renumber(o *record, seen bool) update.Steps {
	w, content := o.contents, n.Contents.Content(o.ID())
	switch {
	case seen && content != (update.Hash{}) && content != w.latest && w.sawSinceNumbered() && w.now == nil:
		return n.reissue(o, content)
	case w.latest == (update.Hash{}): // this node first has to learn the content
		return nil
	case n.Host.Floor(o.ID()) < o.Version() || w.now != nil || n.lacksLatest(o):
		return update.Steps{Resend{o.ID()}}
	}
	return n.reissue(o, w.latest)
}

// reissue makes a version of a content that is here, issue of one that needs no more checks than it had.
func (n *judge) reissue(o *record, h update.Hash) update.Steps {
	u := &update.Update{Channel: o.ID(), Base: h, Hash: h}
	n.Host.FoundAs(u)
	return n.issue(o, u, maxChecks)
}

func (n *judge) issue(o *record, u *update.Update, checks int) update.Steps {
	o.contents.now = &candidate{found: n.found(u), checks: checks}
	return n.keep(o, o.contents.now)
}
