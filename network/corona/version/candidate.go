package version

import (
	"time"

	"tidings/network/engine"
)

// report is what a poll found, and its finder. The ring does not authenticate finders.
type report struct {
	update  Update
	finder  engine.Peer
	learned time.Duration // when this node first learned of it, by Env.Now
	waited  bool          // it was not checked at once
}

// reportOf returns a report of a find by this node.
func (c *core) reportOf(u *Update) report {
	r := report{update: *u, finder: c.Env.Self(), learned: c.Env.Now()}
	r.update.URL = ""
	return r
}

// candidate is a content that may become a version.
type candidate struct {
	report
	stage   stage
	timer   engine.Timer
	checks  int         // by this node
	asked   []engine.ID // pollers that were asked what they see
	agree   int         // of them, how many see the same
	differ  int         // and how many see something else
	denied  bool        // this node has polled, and seen the content before
	witness engine.Peer // another finder, which is asked to confirm
	version uint64      // once it has one
	waitFor []engine.ID // other owners that have not noted it
	again   bool        // it was sent to them twice

	lacking []lacking // deferred requests for the version; at most maxLacking

	complete  *Update // with what leads to the content; nil: unknown
	lookingUp bool    // the library is asked for that
	published bool    // and the version waits for it
}

// lacking is a request for a version that has its number, and is not published yet.
type lacking struct {
	from    engine.Peer
	request *Missing
}

// maxLacking is how many such requests wait. Only other owners learn of a number before it is published.
const maxLacking = 8

// stage is what a candidate waits for; see the package's diagram.
type stage uint8

const (
	confirming stage = iota // for the finder to confirm its report
	checking                // for this node's poll of the origin
	asking                  // for the poll of another poller
	awaiting                // for another finder: the origin wants no more requests
	fetching                // for the finder's report with its payload
	keeping                 // for the library to store it
	committing              // for the other owners to note its number
	witnessing              // for witnesses to poll the origin
)

// after sets a candidate's timer.
func (n *core) after(o *record, c *candidate, d time.Duration, f func()) {
	s := c.stage
	c.timer.Stop()
	c.timer = n.Env.After(d, func() {
		if o.current(c, s) {
			f()
		}
	})
}

// replace adopts this node's own update instead of the finder's: it is sure to fit.
func (c *candidate) replace(own *Update) {
	found := c.update
	c.update = *own
	c.update.URL = ""
	c.update.FoundBy, c.update.FoundAt, c.update.Seal = found.FoundBy, found.FoundAt, found.Seal
	if len(found.Seal.Found) > 0 {
		c.update.Modified = found.Modified // the finder has signed it
	}
}

// sendable returns the update, with what leads to it if that is known.
func (c *candidate) sendable() *Update {
	if c.complete != nil {
		return c.complete
	}
	return &c.update
}
