package version

import (
	"time"

	"tidings/network/engine"
)

// record is this machine's state of a channel that is owned here, for as long as the roster knows it.
type record struct {
	Owned
	hash     Hash   // of the version; zero without one
	size     uint32 // of the document, in bytes; 0: unknown
	estimate estimate
	limit    Limits    // as the origin asked
	contents *contents // nil while there is nothing to remember
	tree     tree
}

// contents is what owners remember of a channel's contents and pending reports. Channels without a version or a report
// have none.
type contents struct {
	recent     recent
	previous   Hash          // of the version before the latest; zero: unknown
	numberedAt time.Duration // when the latest was numbered, by Env.Now
	seen       time.Duration // when this node last saw the origin's content, by Env.Now
	unsent     bool          // the latest may not have reached all subscribers: another primary was to send it

	// another owner had assigned other versions; this node is asking the origin because of that; see reunite
	apart, verifying bool
	unpermitted      bool // this node is to ask it, and waits for a permit
	reunions         allowance

	attesting *attesting    // the version with witnesses that are being asked, or nil
	wasted    time.Duration // when witnesses were last asked for a content that became no version; 0: never

	now  *candidate // being checked
	next *report    // the latest report found meanwhile

	replaced   Hash          // the last report that was replaced before it could be polled
	replacedAt time.Duration // when this node saw that

	quiet       time.Duration // until when reports are not checked, as the content differs from request to request
	checks      allowance     // caused by others' reports
	waits       allowance     // claimed by others for the origin
	limitChecks allowance     // polls to check such claims
	verifies    allowance     // polls for all of these, where the load of hosts is bounded
	doubt       doubt
}

// allowance counts events that may happen only so often in each period.
type allowance struct {
	spent, before int // in this period, and in the one before
	since         time.Duration
}

// spend counts one event, and returns false if most of them have happened in this period.
func (b *allowance) spend(now, period time.Duration, most int) bool {
	b.renew(now, period)
	if b.spent >= most {
		return false
	}
	b.spent++
	return true
}

// renew begins another period when the current one is over.
func (b *allowance) renew(now, period time.Duration) {
	switch passed := now - b.since; {
	case passed >= 2*period:
		b.spent, b.before, b.since = 0, 0, now
	case passed >= period:
		b.spent, b.before, b.since = 0, b.spent, now
	}
}

// most returns the higher count of the two latest periods.
func (b *allowance) most(now, period time.Duration) int {
	b.renew(now, period)
	return max(b.spent, b.before)
}

// ID returns the channel's ID.
func (o *record) ID() engine.ID { return o.Channel().ID }

// remember returns what this owner remembers of the contents, and begins to if it did not.
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
	w.numberedAt = now
	w.doubt.end()
}

// candidate returns the report that is being checked, or nil.
func (o *record) candidate() *candidate {
	if o.contents == nil {
		return nil
	}
	return o.contents.now
}

// current reports whether a candidate is the one being checked, in stage s. Late answers and timers find that it is
// not.
func (o *record) current(c *candidate, s stage) bool {
	return !o.Gone() && o.contents.now == c && c.stage == s
}
