package fetch

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"time"
)

// Hints is what a document asks of its pollers.
type Hints struct {
	TTL          time.Duration  // RSS: may be cached so long; 0: not said
	SkipHours    []int          // RSS: hours without polls, GMT, 0 to 24 (24 is 0)
	SkipDays     []time.Weekday // RSS: days without polls, GMT
	UpdatePeriod time.Duration  // syndication module: updatePeriod over updateFrequency; 0: not said
}

const (
	allHours = 1<<24 - 1
	allDays  = 1<<7 - 1
)

// hint keeps what a document asks. One that asks never to be polled is not believed.
func (m *Memory) hint(h Hints) {
	m.TTL, m.UpdatePeriod = max(h.TTL, 0), max(h.UpdatePeriod, 0)
	m.SkipHours, m.SkipDays = 0, 0
	for _, hour := range h.SkipHours {
		if hour >= 0 && hour <= 24 {
			m.SkipHours |= 1 << (hour % 24)
		}
	}
	for _, day := range h.SkipDays {
		if day >= time.Sunday && day <= time.Saturday {
			m.SkipDays |= 1 << day
		}
	}
	if m.SkipHours == allHours {
		m.SkipHours = 0
	}
	if m.SkipDays == allDays {
		m.SkipDays = 0
	}
}

// lower is a lower bound on the time of the next poll.
type lower struct {
	until time.Time
	why   string // in a node that obeys it
	says  string // in a lab
}

// lowerBounds lists what the origin said against polling again soon.
func (p Plan) lowerBounds(m *Memory, now time.Time) []lower {
	var all []lower
	add := func(span time.Duration, why, says string) { // formats, of the span
		if span = min(span, p.MaxHint); span > 0 {
			all = append(all, lower{now.Add(span), fmt.Sprintf(why, inWords(span)), fmt.Sprintf(says, inWords(span))})
		}
	}
	if !m.FreshUntil.IsZero() {
		name := "Cache-Control"
		if d := directives(m.CacheControl); d.maxAge < 0 && d.shared < 0 {
			name = "Expires"
		}
		add(m.FreshUntil.Sub(now), "when the origin says that its document may be stale ("+name+": %s)",
			"the origin's "+name+" says %s")
	}
	add(m.TTL, "as often as the feed allows (ttl: %s)", "the origin's ttl says %s")
	add(m.UpdatePeriod, "as often as the feed says that it is updated (sy:updatePeriod: %s)",
		"the origin's sy:updatePeriod says %s")
	return all
}

// after returns the time and reason of the poll after one that read the document.
func (p Plan) after(m *Memory, now time.Time, chance *rand.Rand) (time.Time, string) {
	next := p.regular(m, now)
	why := p.regularWhy() + ", every " + inWords(p.Interval)
	told := ""
	for _, b := range p.lowerBounds(m, now) {
		switch {
		case !b.until.After(next):
		case p.Lab:
			told += "; " + b.says + "; not obeyed in a lab"
		default:
			// Just after the bound, and not all channels of an origin in the same moment.
			next, why = b.until.Add(p.jitter(chance)), b.why
		}
	}
	open := p.skip(m, next, now)
	switch {
	case open.Equal(next):
	case p.Lab:
		told += "; the origin's skipHours or skipDays say to wait " + inWords(open.Sub(now)) + "; not obeyed in a lab"
	default:
		next, why = open, "when the hours are over in which the feed wants no checks (skipHours, skipDays)"
	}
	return next, why + told
}

// wishes returns until when the origin wants no poll, and how much time it wants between two.
func (p Plan) wishes(m *Memory, now time.Time) (until time.Time, least time.Duration) {
	if p.Lab {
		return until, 0
	}
	for _, b := range p.lowerBounds(m, now) {
		if b.until.After(until) {
			until = b.until
		}
	}
	// What is left of a document's freshness differs from poll to poll, its lifetime does not.
	fresh := m.FreshUntil.Sub(now)
	if d := directives(m.CacheControl); !m.FreshUntil.IsZero() && max(d.shared, d.maxAge) > 0 {
		fresh = d.maxAge
		if d.shared >= 0 {
			fresh = d.shared
		}
	}
	return until, min(max(fresh, m.TTL, m.UpdatePeriod, 0), p.MaxHint).Round(time.Second)
}

// jitter is a short time by chance: at most a minute, and a twentieth of the interval.
func (p Plan) jitter(chance *rand.Rand) time.Duration {
	return time.Duration(chance.Float64() * float64(min(time.Minute, p.Interval/20)))
}

// skip moves a poll out of the hours and days in which the feed wants none. It moves it to the channel's own time after
// them, but not beyond MaxHint.
func (p Plan) skip(m *Memory, next, now time.Time) time.Time {
	if bits.OnesCount32(m.SkipHours)+bits.OnesCount8(m.SkipDays) == 0 {
		return next
	}
	last := now.Add(p.MaxHint)
	at := next
	for at.Before(last) {
		gmt := at.UTC()
		skipped := m.SkipHours&(1<<gmt.Hour()) != 0 || m.SkipDays&(1<<gmt.Weekday()) != 0
		if !skipped {
			return at
		}
		at = gmt.Truncate(time.Hour).Add(time.Hour)
		at = at.Add(m.share(min(p.Interval, time.Hour)))
	}
	if next.After(last) {
		return next
	}
	return last
}
