package sharing

import (
	"time"

	"tidings/network/corona"
)

// Telling is how far the network has learned of a content without a version.
type Telling struct {
	verifying time.Time // when Corona has asked for a poll, which is the first that begins later; zero: it has not

	hash  corona.Hash // of the content that was to be reported last
	times int
	again time.Time // of the next report
	// withheld says that the first content here is unreported so far: the owners may have a number for it. first is its
	// report, if brief; nil: all that leads there.
	withheld bool
	first    *corona.Update
	owned    uint64 // version that the owners had when they acknowledged that the channel is followed; 0: none
}

// maxDoublings is how often the pause before a repeated report doubles: by default, up to half a day.
const maxDoublings = 5

// Poll is what a poll of this node has found, as far as reports depend on it.
type Poll struct {
	Terms
	Began, Ended time.Time
	Found        time.Time   // of a change; zero: there was none
	Read         bool        // the origin's content was read
	Hash         corona.Hash // of the content then; zero: there is none
	// Brief is a report without what leads to the content; nil: that is to be reported too. Its Base, Hash and Version
	// are filled in.
	Brief *corona.Update
}

// Report is what the network is to learn of a poll.
type Report struct {
	Hash     corona.Hash    // of the content; zero: it says nothing that was not said
	Update   *corona.Update // nil: none, or Whole
	Whole    bool           // an update with all that leads from the version held to the content
	Confirms bool           // a poll of this node has seen what it had from others
	First    bool           // Corona may wait to have the number of what is here
}

// Polled notes a poll whose result is stored, and decides what the network is to learn of it.
//
// The network learns only that there is a new content, as long as nothing stands against it: its owners poll themselves
// before they believe it, and have it then. It learns the rest if the origin wants to be polled rarely, or if the
// report is repeated because no number came: then the owners may not reach the origin.
func (c *Channel) Polled(p Poll) Report {
	r := Report{First: c.Version == 0}
	if !p.Found.IsZero() {
		c.Seen = p.Found
	}
	if !p.Read {
		return r
	}
	r.Hash, r.Confirms = p.Hash, c.see(p.Hash)
	if !c.IsAhead(p.Hash) {
		return r
	}
	tells := c.reports(p)
	brief := p.Brief
	if c.times > 1 {
		brief = nil
	}
	if brief != nil {
		brief.Base, brief.Hash, brief.Version = c.Holding.Hash, p.Hash, c.Version
	}
	switch {
	case !tells:
		if r.Hash = (corona.Hash{}); c.withheld && brief != nil {
			c.first = brief
		}
	case brief != nil:
		r.Update = brief
	default:
		r.Whole = true
	}
	return r
}

// reports reports whether a content without a number is to be reported to the network. It is when it is new or
// requested, and then ever more rarely, as long as no number comes. Corona itself ensures that reports arrive. If every
// poll reported everything it sees, each poll would cost as much as a change in a slow network, and make it slower.
func (c *Channel) reports(p Poll) bool {
	t, requested := &c.Telling, c.Verifies(p.Began)
	if t.hash != p.Hash {
		t.hash, t.times, t.again, t.first = p.Hash, 0, time.Time{}, nil
	}
	if p.Ended.Before(t.again) && !requested {
		return false
	}
	if t.times == 0 && c.mayBeNumbered(p.Terms) && !requested {
		t.withheld, t.times = true, 1 // whatever the owners answer, it is reported at the next poll
		return false
	}
	t.withheld, t.first = false, nil
	t.again = p.Ended.Add(p.Interval << min(t.times, maxDoublings))
	t.times++
	return true
}

// mayBeNumbered reports whether the owners are likely to have a number for the first content here. It comes when they
// acknowledge that the channel is followed. If many nodes begin to follow a channel, one reports its content.
func (c *Channel) mayBeNumbered(t Terms) bool {
	return c.Version == 0 && c.Subscribes(t) && c.Suspicion == corona.Trusted && (!c.Acked || c.owned > 0)
}

// Acknowledge notes what the owners know: whether the channel is followed here, and the version that they had. It
// reports whether the former has changed, and whether the content here is to be reported: they have no number for it.
func (c *Channel) Acknowledge(acked bool, owned uint64) (changed, offer bool) {
	changed, c.owned = set(&c.Acked, acked), owned
	if offer = acked && c.withheld && owned == 0; offer {
		c.withheld = false
	}
	return changed, offer
}

// Offer returns the report of the content here that was withheld. known is false if there is none, and what leads to
// the content is to be reported; nil: nothing is, as the network has gone on.
func (c *Channel) Offer() (u *corona.Update, known bool) {
	u, c.first = c.first, nil
	switch {
	case u == nil || u.Hash != c.Holding.Content:
		return nil, false
	case u.Base != c.Holding.Hash || u.Hash == c.Holding.Hash:
		return nil, true
	}
	u.Version = c.Version
	return u, true
}

// Verify notes that Corona waits for a poll that begins from now on.
func (t *Telling) Verify(now time.Time) { t.verifying = now }

// Verifies reports whether a poll that began at a time is the one that Corona has asked for. One that was under way
// then may have seen what was there before.
func (t *Telling) Verifies(began time.Time) bool {
	return !t.verifying.IsZero() && !began.Before(t.verifying)
}

// Verified is Verifies for a poll whose report is sent: Corona waits for no other then.
func (t *Telling) Verified(began time.Time) (verifies bool) {
	if verifies = t.Verifies(began); verifies {
		t.verifying = time.Time{}
	}
	return verifies
}
