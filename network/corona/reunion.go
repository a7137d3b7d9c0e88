package corona

import "time"

// How a primary brings together what was given while the ring was apart.
const (
	reunionWait  = 10 * time.Second // until the tables of the owners are likely to be one
	reunionTries = 6
	maxReunions  = 4 // in each interval
)

// reunite is called when the primary finds that another owner has given other versions than it
// knew, most likely while the ring was apart. The highest number holds; yet its content need not
// be the newest. So the primary asks the origin, makes a version of what it sees if it is not
// the one that holds, and sends that to all; and once more when the owners' tables have become
// one, for subscribers of whom it did not know. Who has the content takes the number alone.
func (n *versioner) reunite(o *owned) {
	w, now := o.remember(), n.Env.Now()
	if w.apart || !w.reunions.take(now, n.config.Interval, maxReunions) {
		return
	}
	w.apart = true
	if o.limit.Interval == 0 && n.Env.Now() >= o.limit.NotBefore && w.limitChecks.take(now, n.config.Interval, freeChecks) {
		w.verifying = n.verify(o)
	}
	if !w.verifying {
		n.renumber(o)
	}
	n.awaitTables(o, 0)
}

// awaitTables sends the latest version once more when the owners' tables have become one.
func (n *versioner) awaitTables(o *owned, tries int) {
	n.Env.After(reunionWait, func() {
		switch {
		case o.Gone() || !o.Primary():
			o.contents.apart, o.contents.verifying = false, false
		case !o.Shared() && tries < reunionTries:
			n.awaitTables(o, tries+1)
		default:
			o.contents.apart, o.contents.verifying = false, false
			n.resend(o)
		}
	})
}

// reunited takes what the primary sees at the origin.
func (n *versioner) reunited(o *owned, r *PollResult) {
	o.contents.verifying = false
	switch doubled := n.floor(o.ID()) >= o.Version(); {
	case r.Hash == Hash{}, r.Hash == o.hash && (r.Update == nil || !doubled):
		n.renumber(o)
		return
	}
	c := &candidate{report: report{update: Update{Channel: o.ID(), Base: r.Hash, Hash: r.Hash}, finder: n.Env.Self(), heard: n.Env.Now()}, checks: maxChecks}
	n.foundAs(&c.update)
	if r.Update != nil {
		c.update = *r.Update
		c.update.URL = ""
	} // else the library here has it, under a lower number
	o.contents.now = c
	n.keep(o, c)
}

// renumber sends the latest version to all; under a new number if somebody has been given a higher
// one, or the same for another content.
func (n *versioner) renumber(o *owned) {
	w := o.contents
	if o.hash == (Hash{}) {
		return // what there is this node has to hear of first
	}
	if n.floor(o.ID()) < o.Version() || w.now != nil || n.lacksLatest(o) {
		n.resend(o)
		return
	}
	u := Update{Channel: o.ID(), Base: o.hash, Hash: o.hash}
	n.foundAs(&u)
	w.now = &candidate{report: report{update: u, finder: n.Env.Self(), heard: n.Env.Now()}, checks: maxChecks}
	n.keep(o, w.now)
}
