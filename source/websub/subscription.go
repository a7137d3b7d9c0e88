package websub

import (
	"crypto/rand"
	"time"

	"tidings"
)

// subscription is one at a hub, of a channel. It is stored as JSON but for the fields that say otherwise.
type subscription struct {
	Protocol Protocol `json:"protocol"`
	Hub      string   `json:"hub"` // URL
	Topic    string   `json:"topic"`
	Token    string   `json:"token"`            // the end of the callback
	Secret   string   `json:"secret,omitempty"` // by which pushes are signed; "": they are not

	State   tidings.HubState `json:"state"`
	Since   time.Time        `json:"since"`            // when the hub was found
	Due     time.Time        `json:"due"`              // when there is something to do
	Expires time.Time        `json:"expires,omitzero"` // end of the lease

	Failures int    `json:"failures,omitempty"` // requests in a row that came to nothing
	Problem  string `json:"problem,omitempty"`

	LastPush time.Time `json:"last_push,omitzero"`
	Pushes   int64     `json:"pushes,omitempty"`
	Brought  int64     `json:"brought,omitempty"`  // pushes after which a poll found news
	Missed   int64     `json:"missed,omitempty"`   // changes that polls by plan found and nothing pushed
	InARow   int       `json:"in_a_row,omitempty"` // of them, since a push has brought news
	Proved   bool      `json:"proved,omitempty"`

	channel string      // its URL
	checked bool        // the topic was read again for the renewal that is due
	asking  bool        // a request is under way
	found   time.Time   // when a poll by plan found news; zero: no push is missed
	polled  time.Time   // when the last push had the channel polled
	again   []time.Time // when it is polled again
	dirty   bool        // it differs from what is stored
}

// newSubscription returns one that is to be requested at once.
func newSubscription(channel string, p Protocol, hub, topic string, now time.Time) *subscription {
	s := &subscription{
		channel: channel, Protocol: p, Hub: hub, Topic: topic, Token: rand.Text(),
		State: tidings.HubWanted, Since: now, Due: now, dirty: true,
	}
	if p == WebSub && (isTLS(hub) || isOnThisMachine(hub)) {
		s.Secret = rand.Text() // 128 bits, and never sent where others could read it
	}
	return s
}

// covers reports whether pushes are relied on.
func (s *subscription) covers(now time.Time) bool {
	return s.State == tidings.HubActive && s.Proved && now.Before(s.Expires)
}

// Bounds on leases and waits.
const (
	lease     = 10 * 24 * time.Hour // that is asked for
	maxLease  = 14 * 24 * time.Hour // that is relied on
	minLease  = 5 * time.Minute
	cloudTime = 25 * time.Hour // of rssCloud: what a server keeps

	// BackupEvery is how often a channel is polled whose hub has proved that it pushes.
	BackupEvery = 6 * time.Hour

	verifyWithin = time.Hour       // after a request, for the hub to verify it
	checkBefore  = 2 * time.Minute // a renewal the topic is read again
	firstRetry   = 10 * time.Minute
	maxRetry     = 24 * time.Hour
	missAfter    = 5 * time.Minute  // a poll by plan has found news, and no push came
	bringWithin  = 10 * time.Minute // after a push, what a poll finds was pushed
	maxInARow    = 2
)

// granted notes that a hub has confirmed a subscription for a time.
func (s *subscription) granted(now time.Time, length time.Duration) {
	length = min(max(length, minLease), maxLease)
	s.State, s.Expires, s.Due = tidings.HubActive, now.Add(length), now.Add(length*2/3)
	s.Failures, s.Problem, s.checked, s.dirty = 0, "", false, true
}

// failed notes that a request came to nothing.
func (s *subscription) failed(now time.Time, problem string) {
	if s.State != tidings.HubActive {
		s.State = tidings.HubFailed
	}
	wait := maxRetry
	if s.Failures < 8 {
		wait = min(firstRetry<<s.Failures, maxRetry)
	}
	s.Failures++
	s.Problem, s.Due, s.dirty = problem, now.Add(wait), true
}

// changed notes that a poll has found news.
func (s *subscription) changed(now time.Time) {
	switch {
	case !s.LastPush.IsZero() && now.Sub(s.LastPush) < bringWithin:
		s.bring()
	case s.State == tidings.HubActive:
		s.found = now
	}
}

// bring notes that a push has brought news.
func (s *subscription) bring() {
	s.Brought++
	s.InARow, s.Proved, s.again, s.dirty = 0, true, nil, true
	s.found = time.Time{}
}

// pushed notes a push.
func (s *subscription) pushed(now time.Time) {
	s.Pushes++
	s.LastPush, s.dirty = now, true
	if !s.found.IsZero() { // the poll by plan was a moment before it
		s.bring()
	}
}

// miss notes that nothing has pushed what a poll by plan has found, once that is certain.
func (s *subscription) miss(now time.Time) {
	if s.found.IsZero() || now.Sub(s.found) < missAfter {
		return
	}
	s.found = time.Time{}
	s.Missed++
	s.InARow++
	s.Proved, s.dirty = s.Proved && s.InARow < maxInARow, true
}

// shown returns the subscription as people see it.
func (s *subscription) shown(now time.Time) tidings.HubPush {
	p := tidings.HubPush{
		Protocol: string(s.Protocol), Hub: s.Hub, State: s.State, Since: s.Since, Expires: s.Expires,
		LastPush: s.LastPush,
		Pushes:   s.Pushes, Brought: s.Brought, Missed: s.Missed, Problem: s.Problem,
	}
	switch {
	case s.covers(now):
		p.State = tidings.HubGood
	case s.State == tidings.HubActive && s.InARow >= maxInARow:
		p.State = tidings.HubUnreliable
	}
	return p
}
