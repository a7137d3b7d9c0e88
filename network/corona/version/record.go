package version

import (
	"time"

	"tidings/network/engine"
)

// record is what this machine knows of a channel that is owned here, as long as the roster knows it.
type record struct {
	Owned
	hash     Hash   // of the version; zero without one
	size     uint32 // of the document, in bytes; 0: unknown
	estimate estimate
	limit    Limits    // what the origin asked for
	contents *contents // nil as long as there is nothing to remember
	tree     tree
}

// contents is what owners remember of a channel's contents, and what is about to be made of what was found. Channels without a version or a report have none.
type contents struct {
	recent   recent
	previous Hash          // of the version before the latest; zero: not known
	given    time.Duration // when the latest was given, by Env.Now
	seen     time.Duration // when this node last saw the origin's content, by Env.Now
	unsent   bool          // the latest may not have been sent to all subscribers: another primary was to do that

	apart, verifying bool // another owner had given other versions, and this node asks the origin for that reason; see reunite
	unpermitted      bool // this node is to ask it, and waits for a permit
	reunions         allowance

	attesting *attesting    // whose witnesses are asked; nil: no version's
	wasted    time.Duration // when witnesses were last asked for what became no version; 0: never

	now  *candidate // what is being checked
	next *report    // found meanwhile: the latest report

	replaced   Hash          // what was found last and was replaced before it could be polled
	replacedAt time.Duration // when this node saw that

	quiet       time.Duration // until when reports are not checked: the content differs from request to request
	checks      allowance     // checks that others cause by what they find
	waits       allowance     // waits that others say the origin asks for
	limitChecks allowance     // polls for what they say that the origin asks for
	verifies    allowance     // polls for all these together, where the load of hosts is bounded
	doubt       doubt
}

// allowance counts what may happen only so often in each period.
type allowance struct {
	spent, before int // in this period, and in the one before
	since         time.Duration
}

// take reports whether there is some left, and takes it.
func (b *allowance) take(now, period time.Duration, most int) bool {
	b.renew(now, period)
	if b.spent >= most {
		return false
	}
	b.spent++
	return true
}

// renew begins another period if it is time.
func (b *allowance) renew(now, period time.Duration) {
	switch passed := now - b.since; {
	case passed >= 2*period:
		b.spent, b.before, b.since = 0, 0, now
	case passed >= period:
		b.spent, b.before, b.since = 0, b.spent, now
	}
}

// most returns how much was taken in one of the two latest periods.
func (b *allowance) most(now, period time.Duration) int {
	b.renew(now, period)
	return max(b.spent, b.before)
}

// ID returns the channel's ID.
func (o *record) ID() engine.ID { return o.Channel().ID }

// remember returns what this owner remembers of the contents, from now on if it did not before.
func (o *record) remember() *contents {
	if o.contents == nil {
		o.contents = &contents{}
	}
	return o.contents
}

// raise makes a version the channel's latest.
func (o *record) raise(version uint64, h Hash, size uint32, now time.Duration) {
	w := o.remember()
	if o.hash != h {
		w.previous = o.hash
	}
	o.SetState(version, o.Stamp())
	o.hash = h
	if size > 0 {
		o.size = size
	}
	w.recent.note(h.Start())
	w.given = now
	w.doubt.end()
}

// candidate returns what is being checked; nil: nothing.
func (o *record) candidate() *candidate {
	if o.contents == nil {
		return nil
	}
	return o.contents.now
}

// current reports whether a candidate is the one that is being checked, in a stage. Answers and timers that come late find that it is not.
func (o *record) current(c *candidate, s stage) bool {
	return !o.Gone() && o.contents.now == c && c.stage == s
}
