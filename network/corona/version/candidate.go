package version

import (
	"time"

	"tidings/network/engine"
)

// report is what a poll found, and who says so. The ring does not authenticate finders.
type report struct {
	update Update
	finder engine.Peer
	heard  time.Duration // when this node heard of it first, by Env.Now
	waited bool          // it was not checked at once
}

// reportOf returns a report of what this node has found itself.
func (c *core) reportOf(u *Update) report {
	r := report{update: *u, finder: c.Env.Self(), heard: c.Env.Now()}
	r.update.URL = ""
	return r
}

// candidate is a content that may become a version.
type candidate struct {
	report
	stage   stage
	timer   engine.Timer
	checks  int         // that this node made
	asked   []engine.ID // pollers that were asked what they see
	agree   int         // of them, those who see the same
	differ  int         // and those who see something else
	denied  bool        // this node has polled, and seen what was there before
	witness engine.Peer // who has found the same, and is asked whether it has
	version uint64      // once it has one
	waitFor []engine.ID // other owners who have not committed it
	again   bool        // they were sent it twice

	lacking []lacking // who has asked for the version meanwhile; at most maxLacking

	clothes   *Update // with what leads to the content; nil: not known
	clothing  bool    // the library is asked for that
	published bool    // and it is waited for
}

// lacking is a request for a version that has its number, and is not published so far.
type lacking struct {
	from    engine.Peer
	request *Missing
}

// maxLacking is how many such requests wait: other owners learn of a number before it is published, and there are no more of them.
const maxLacking = 8

// stage is what a candidate waits for; see the package's diagram.
type stage uint8

const (
	confirming stage = iota // the finder says that it is the finder
	checking                // this node polls the origin itself
	asking                  // another poller does
	awaiting                // another node finds the same: the origin wants no more requests
	fetching                // the finder tells what it has found, not only that it has
	keeping                 // the library keeps it
	committing              // the other owners take note of its number
	witnessing              // witnesses poll the origin
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

// clothed returns the update with what leads to it, if that is known.
func (c *candidate) clothed() *Update {
	if c.clothes != nil {
		return c.clothes
	}
	return &c.update
}
