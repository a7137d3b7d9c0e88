package corona

import (
	"time"

	"tidings/network/engine"
)

// contents is what owners remember of a channel's contents, and what a primary is about to make of
// what was found. Channels without a version or a report have none.
type contents struct {
	recent   recent
	previous Hash          // of the version before the latest; zero: not known
	given    time.Duration // when the latest was given, by Env.Now

	// unsent says that the latest may not have been sent to all subscribers: another primary
	// was to do that.
	unsent bool

	// apart says that another owner had given other versions; verifying, that this node asks the
	// origin for that reason. See reunion.go.
	apart, verifying bool
	reunions         budget

	now  *candidate // what is being checked
	next *report    // found meanwhile: the latest report

	replaced   Hash          // what was found last and was replaced before it could be polled
	replacedAt time.Duration // when this node saw that

	quiet       time.Duration // until when reports are not checked: the channel is noisy
	checks      budget        // of checks that others cause by what they find
	waits       budget        // that others say the origin asks for
	limitChecks budget        // and by what they say that the origin asks for
	verifies    budget        // polls for all these together, where the load of hosts is bounded
	doubt       doubt
}

// report is what a poll found, and who says so. The ring does not authenticate finders.
type report struct {
	update Update
	finder engine.Peer
	heard  time.Duration // when this node heard of it first, by Env.Now
	waited bool          // it was not checked at once
}

// candidate is a content that may become a version.
type candidate struct {
	report
	stage   stage
	timer   engine.Timer
	checks  int         // that this node made
	asked   []engine.ID // members of the wedge that were asked what they see
	agree   int         // of them, those who see the same
	differ  int         // and those who see something else
	denied  bool        // this node has polled, and seen what was there before
	witness engine.Peer // who has found the same, and is asked whether it has
	version uint64      // once it has one
	waitFor []engine.ID // other owners who have not committed it
	again   bool        // they were sent it twice

	clothes   *Update // with what leads to the content; nil: not known
	clothing  bool    // the library is asked for that
	published bool    // and it is waited for
}

// stage is what a candidate waits for.
type stage uint8

const (
	confirming stage = iota // the finder says that it is the finder
	checking                // this node polls the origin itself
	asking                  // a member of the wedge does
	awaiting                // another node finds the same: the origin wants no more requests
	fetching                // the finder tells what it has found, not only that it has
	keeping                 // the library keeps it
	committing              // the other owners take note of its number
)

// budget counts what may happen only so often in each period.
type budget struct {
	spent int
	since time.Duration
}

// take reports whether there is some left, and takes it.
func (b *budget) take(now, period time.Duration, most int) bool {
	if now-b.since >= period {
		b.spent, b.since = 0, now
	}
	if b.spent >= most {
		return false
	}
	b.spent++
	return true
}

// remember returns what this owner remembers of the contents, from now on if it did not before.
func (o *owned) remember() *contents {
	if o.contents == nil {
		o.contents = &contents{}
	}
	return o.contents
}

// raise makes a version the channel's latest.
func (o *owned) raise(version uint64, h Hash, size uint32, now time.Duration) {
	w := o.remember()
	if o.hash != h {
		w.previous = o.hash
	}
	o.hash = h
	o.SetState(version, o.Stamp())
	if size > 0 {
		o.size = size
	}
	w.recent.add(h)
	w.given = now
	w.doubt.end()
}
