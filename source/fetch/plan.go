package fetch

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"tidings"
)

// Plan decides what to ask an origin and when. It is a plain value: time, chance and
// what is remembered are handed to it.
type Plan struct {
	// Interval is how often a channel is polled when nothing asks for more patience.
	Interval time.Duration
	// Regular is what a poll is called that is made for no other reason; empty: its regular
	// poll.
	Regular string
	// MaxHint bounds how far hints (max-age, Expires, ttl, skipHours, skipDays,
	// sy:updatePeriod) may put off a poll. Some origins say ten years.
	MaxHint time.Duration
	// FullEvery is how often a whole document is asked for, in case the validators never move: news comes so late at
	// most, unless the origin wants fewer polls.
	FullEvery time.Duration
	// Distrust is for how long validators are not used once they stayed while the document changed.
	Distrust time.Duration
	// MaxBackoff bounds how far repeated failures put off a poll.
	MaxBackoff time.Duration
	// LimitedFirst is how long to wait after the first 429 or 503 that names no time.
	LimitedFirst time.Duration
	// ChallengedFirst is how long to wait after the first challenge.
	ChallengedFirst time.Duration
	// Confirmations is how many times in a row a permanent redirect must be seen until it is believed for ever.
	// ConfirmSpan is the least time that these must span.
	Confirmations int
	ConfirmSpan   time.Duration
	// A 404 counts as lasting after MissingPolls polls over MissingSpan; after another
	// MissingGrace of daily polls the channel has ended.
	MissingPolls int
	MissingSpan  time.Duration
	MissingGrace time.Duration
	// NoisyAfter is how many changes in a row make a channel noisy.
	NoisyAfter int
	// Lab is for tests and replays: hints are reported but not obeyed, and redirects need no
	// time to be believed. Retry-After is obeyed all the same.
	Lab bool
}

// DefaultPlan returns how an ordinary node watches the open web.
func DefaultPlan() Plan {
	const day = 24 * time.Hour
	return Plan{
		Interval:        30 * time.Minute,
		MaxHint:         7 * day,
		FullEvery:       day,
		Distrust:        7 * day,
		MaxBackoff:      day,
		LimitedFirst:    10 * time.Minute,
		ChallengedFirst: 6 * time.Hour,
		Confirmations:   3,
		ConfirmSpan:     day,
		MissingPolls:    5,
		MissingSpan:     7 * day,
		MissingGrace:    30 * day,
		NoisyAfter:      200,
	}
}

// Validate says what cannot be meant.
func (p Plan) Validate() error {
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"interval", p.Interval}, {"longest hint", p.MaxHint}, {"time between full fetches", p.FullEvery},
		{"time without validators", p.Distrust},
		{"longest back-off", p.MaxBackoff}, {"first wait when limited", p.LimitedFirst},
		{"first wait when challenged", p.ChallengedFirst},
	} {
		if d.value <= 0 {
			return fmt.Errorf("plan of checks: the %s must be positive: %w", d.name, tidings.ErrInvalid)
		}
	}
	if p.ConfirmSpan < 0 || p.MissingSpan < 0 || p.MissingGrace < 0 {
		return fmt.Errorf("plan of checks: spans must not be negative: %w", tidings.ErrInvalid)
	}
	if p.Confirmations < 1 || p.MissingPolls < 1 || p.NoisyAfter < 1 {
		return fmt.Errorf("plan of checks: counts must be positive: %w", tidings.ErrInvalid)
	}
	return nil
}

// Request returns what to ask the origin now: with validators if there are any to trust,
// and whole from time to time all the same. Credentials are the caller's to add.
func (p Plan) Request(m *Memory, origin string, now time.Time) Request {
	r := Request{URL: origin}
	// Channels that were added together need not all be fetched whole together. The next poll would be too late. Where
	// polls are rare, every other one is conditional all the same.
	every := max(p.FullEvery-m.share(p.FullEvery/4)-p.Interval, p.Interval+p.Interval/2)
	if m.LastFull.IsZero() || now.Sub(m.LastFull) > every || now.Before(m.DistrustUntil) {
		return r
	}
	r.ETag, r.LastModified, r.ValidFor = m.ETag, m.LastModified, m.ValidFor
	r.Delta = m.Kind == tidings.KindFeed && m.ETag != "" && !m.NoDelta
	return r
}

// Resume returns when to poll a channel after a restart. Polls that became due while
// nobody was there are spread over the interval, by the channels' own phases; a time to
// come stays. The zero time (never by itself) stays too.
func Resume(now, next time.Time, interval time.Duration, id tidings.ChannelID) time.Time {
	if next.IsZero() || next.After(now) {
		return next
	}
	m := NewMemory(id)
	return now.Add(m.share(interval))
}

// Sooner returns when a poll is due by this plan. Another plan, with a longer interval, has put it at next for the
// reason why. Sooner reports false where nothing changes: the interval does not put the poll off, or not for longer
// than this plan would.
func (p Plan) Sooner(m *Memory, next time.Time, why string, chance *rand.Rand) (time.Time, string, bool) {
	if !strings.HasPrefix(why, p.regularWhy()) || next.IsZero() || m.LastRead.IsZero() {
		return next, why, false
	}
	sooner, soonerWhy := p.after(m, m.LastRead, chance)
	if !sooner.Before(next) {
		return next, why, false
	}
	return sooner, soonerWhy, true
}

// regularWhy begins the reason of a poll that is made for no other.
func (p Plan) regularWhy() string { return cmp.Or(p.Regular, "its regular check") }

// share is the part of d that corresponds to the channel's phase.
func (m *Memory) share(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (float64(m.Phase) / (1 << 32)))
}

// onGrid returns the first of the channel's own times, an interval apart, that is not
// before t. All channels' times together are spread evenly.
func (p Plan) onGrid(m *Memory, t time.Time) time.Time {
	offset := t.UnixNano() - int64(m.share(p.Interval))
	late := offset % int64(p.Interval)
	if late < 0 {
		late += int64(p.Interval)
	}
	if late == 0 {
		return t
	}
	return t.Add(p.Interval - time.Duration(late))
}

// regular returns the next poll if nothing asks for more patience. A poll made out of
// turn does not cause another one right after it.
func (p Plan) regular(m *Memory, now time.Time) time.Time {
	return p.onGrid(m, now.Add(p.Interval/2))
}

// backoff returns how long to wait after the row-th trouble in a row. It begins with first and doubles each time, up to
// MaxBackoff (or the interval, if that is longer). Up to a fifth is random, so that channels that failed together do
// not come back together.
func (p Plan) backoff(first time.Duration, row int, chance *rand.Rand) time.Duration {
	most := max(p.MaxBackoff, p.Interval)
	d := first
	for i := 1; i < row && d < most; i++ {
		d *= 2
	}
	fifth := 0.2 * chance.Float64()
	if d += time.Duration(float64(d) * fifth); d < most {
		return d
	}
	return most - time.Duration(float64(most)*fifth)
}
