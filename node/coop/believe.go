package coop

import (
	"context"
	"errors"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
)

// pollWhy is what a poll is called that is made because a distrusted node has told of something.
const pollWhy = "a node that is distrusted here has told of a change"

// doubtsPart is how often this node polls, at most, because distrusted nodes tell of changes of a channel: so many
// times an interval.
const doubtsPart = 8

// believe returns nil if the word of whoever stands for a version is enough for readers here. Where it is
// not, the node polls itself, soon; once that has found the content, the version's number is all that is
// lacking. Trust is asked for here alone, before a version is stored for readers: what this node passes on to other nodes,
// and the numbers it gives, do not depend on it.
func (s *library) believe(c *channel, u *corona.Update) error {
	by, given := vouchedBy(u)
	if !given || s.trust.Level(by) != tidings.Distrusted {
		return nil
	}
	s.trust.Doubt(c.id, u.Hash, by)
	if s.trust.MayPoll(c.id, s.params.now().Interval/doubtsPart, time.Now()) {
		s.Work(func(context.Context) { s.config.Scheduler.CheckWhole(c.url, pollWhy) })
	}
	return ErrDistrusted
}

// vouchedBy returns who vouches for what a version says: the finder, by its signature; where it is not known any
// more who that was, the owner that has given the number. A version that this node is about to give a number
// itself (not given) was seen by it, or by another node than the finder.
func vouchedBy(u *corona.Update) (by engine.ID, given bool) {
	if u.FoundBy != (engine.ID{}) {
		return u.FoundBy, len(u.Seal.Given) > 0
	}
	return u.Seal.Giver.ID, len(u.Seal.Given) > 0
}

// Stated returns what an update of a channel that the store does not have says of who found it; not, if its word is not enough here.
func (c *Coop) Stated(u *corona.Update) (f tidings.Change, ok bool) {
	if !fits(c.core, corona.Channel{ID: u.Channel, URL: u.URL}) {
		return f, false // the owners of one channel do not speak for another
	}
	if by, given := vouchedBy(u); given && c.trust.Level(by) == tidings.Distrusted {
		return f, false // no poll of this node's own will show whether it is true
	}
	attribute(&f, u)
	f.ConfirmedBy = c.witnesses(u)
	return f, true
}

// ErrDistrusted says that the word of a distrusted node is not enough.
var ErrDistrusted = errors.New("who has found it is distrusted here")
