package coop

import (
	"context"
	"errors"
	"time"

	"tidings"
	"tidings/network/corona"
	"tidings/network/engine"
)

// pollWhy is the logged reason of a poll after a distrusted node's report.
const pollWhy = "a node that is distrusted here has told of a change"

// doubtsPart bounds the polls of a channel because of distrusted nodes' reports: so many an interval.
const doubtsPart = 8

// believe returns nil if the voucher of a version is trusted enough for readers here. If it is not, the node polls
// itself, soon. Once that has found the content, only the version's number is lacking. Trust is checked only here,
// before a version is stored for readers. What this node passes on to other nodes, and the numbers it gives, do not
// depend on it.
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

// vouchedBy returns the node that vouches for a version: the finder, by its signature. If the finder is not known any
// more, it is the owner that has given the number. A version that this node is about to number itself (not given) was
// seen by it, or by another node than the finder.
func vouchedBy(u *corona.Update) (by engine.ID, given bool) {
	if u.FoundBy != (engine.ID{}) {
		return u.FoundBy, len(u.Seal.Given) > 0
	}
	return u.Seal.Giver.ID, len(u.Seal.Given) > 0
}

// Stated returns the stated finder and time of an update of a channel that the store does not have. ok is false if the
// finder is not trusted enough here.
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
