package report

import (
	"slices"
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/table"
)

// record is what this machine knows of a channel that is owned here, for as long as the roster knows it.
type record struct {
	Owned
	estimate estimate
	limit    Limits    // as the origin asked
	contents *contents // nil while there is nothing to remember
}

// contents is what owners remember of a channel's contents and pending reports. Channels without a version or a report
// have none.
type contents struct {
	latest     update.Hash // of the version; zero without one
	recent     recent
	numberedAt time.Duration // when the latest was numbered, by Env.Now; below 0: before this node started
	confirming time.Duration // from a report until its number, of late on average; 0: no report has got one
	seen       time.Duration // when this node last saw the origin's content, by Env.Now; 0: never

	// another owner had assigned other versions; this node is asking the origin because of that; see reunite
	apart, verifying bool
	reunions         table.Allowance

	now  *candidate // being checked
	next *found     // the latest report found meanwhile

	replaced   update.Hash   // the last report that was replaced before it could be polled
	replacedAt time.Duration // when this node saw that

	quiet       time.Duration   // until when reports are not checked, as the content differs from request to request
	checks      table.Allowance // caused by others' reports
	waits       table.Allowance // claimed by others for the origin
	limitChecks table.Allowance // polls to check such claims
	inVain      time.Duration   // when such a poll was last begun that has shown nothing new; 0: never
	checking    time.Duration   // when such a poll was begun that has not ended; 0: none
	verifies    table.Allowance // polls for all of these, where the load of hosts is bounded
	doubt       doubt
}

// sawSinceNumbered reports whether the origin has shown this node its content after the latest version was numbered.
func (w *contents) sawSinceNumbered() bool { return w.seen > max(0, w.numberedAt) }

// ID returns the channel's ID.
func (o *record) ID() engine.ID { return o.Channel().ID }

// confirmed notes how long it was from a report until its number. The newest such time counts for a quarter.
func (w *contents) confirmed(took time.Duration) {
	if w.confirming == 0 {
		w.confirming = took
	}
	w.confirming += (took - w.confirming) / 4
}

// remember returns what this owner remembers of the contents, and begins to if it did not.
func (o *record) remember() *contents {
	if o.contents == nil {
		o.contents = &contents{}
	}
	return o.contents
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

// found is what a poll found, and its finder. The ring does not authenticate finders.
type found struct {
	update  update.Update
	finder  engine.Peer
	learned time.Duration // when this node first learned of it, by Env.Now
	waited  bool          // it was not checked at once
}

// candidate is a content that may become a version.
type candidate struct {
	found
	stage   stage
	timer   engine.Timer
	checks  int         // by this node
	asked   []engine.ID // pollers that were asked what they see
	agree   int         // of them, how many see the same
	differ  int         // and how many see something else
	denied  bool        // this node has polled, and seen the content before
	witness engine.Peer // another finder, which is asked to confirm
}

// stage is what a candidate waits for; see the package's diagram.
type stage uint8

const (
	confirming stage = iota // for the finder to confirm its report
	checking                // for this node's poll of the origin
	asking                  // for the poll of another poller
	awaiting                // for another finder: the origin wants no more requests
	fetching                // for the finder's report with its payload
	accepted                // for its number, and until it is published
)

// replace adopts this node's own update instead of the finder's: it is sure to fit.
func (c *candidate) replace(own *update.Update) {
	found := c.update
	c.update = *own
	c.update.URL = ""
	c.update.FoundBy, c.update.FoundAt, c.update.Seal = found.FoundBy, found.FoundAt, found.Seal
	if len(found.Seal.Found) > 0 {
		c.update.Modified = found.Modified // the finder has signed it
	}
}

// recent holds the starts of the hashes of a channel's last versions, the latest last.
type recent []uint64

// maxRecent is how many contents are recognized. A mirror that lags further behind makes a version of its content.
const maxRecent = 16

func (r recent) has(h update.Hash) bool { return slices.Contains(r, h.Start()) }

// note makes the start of a hash the latest.
func (r *recent) note(start uint64) {
	if i := slices.Index(*r, start); i >= 0 {
		*r = slices.Delete(*r, i, i+1)
	}
	if len(*r) >= maxRecent {
		*r = slices.Delete(*r, 0, 1)
	}
	*r = append(*r, start)
}
