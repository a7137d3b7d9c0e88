package version

import (
	"time"

	"tidings/network/engine"
	"tidings/network/table"
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
	reunions         table.Allowance

	now  *candidate // being checked
	next *report    // the latest report found meanwhile

	replaced   Hash          // the last report that was replaced before it could be polled
	replacedAt time.Duration // when this node saw that

	quiet       time.Duration   // until when reports are not checked, as the content differs from request to request
	checks      table.Allowance // caused by others' reports
	waits       table.Allowance // claimed by others for the origin
	limitChecks table.Allowance // polls to check such claims
	verifies    table.Allowance // polls for all of these, where the load of hosts is bounded
	doubt       doubt
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
