package tidings

import (
	"fmt"
	"strings"
	"time"
)

// Schedule says when something may be sent to a target. The zero Schedule: each update at once, at any time.
type Schedule struct {
	Zone   string     `json:"zone,omitempty"`   // IANA name of the time zone of Quiet and Digest; "": UTC
	Quiet  *Hours     `json:"quiet,omitempty"`  // of each day, in which nothing is sent; nil: none
	Digest *TimeOfDay `json:"digest,omitempty"` // when all of a day is sent in one message; nil: each update for itself
	Paused time.Time  `json:"paused,omitzero"`  // nothing is sent before
}

// Hours are a part of each day, from a time up to another, which may be that of the next day.
type Hours struct {
	From TimeOfDay `json:"from"`
	To   TimeOfDay `json:"to"` // not From
}

// TimeOfDay is a time of a day, in minutes since midnight: 0 to 1439. Its text is that of a clock, such as 07:30.
type TimeOfDay int

const minutesOfDay = 24 * 60

// ParseTimeOfDay reads a time of day such as 7:30 or 07:30.
func ParseTimeOfDay(text string) (TimeOfDay, error) {
	for _, layout := range []string{"15:04", "3:04pm", "3pm"} {
		if t, err := time.Parse(layout, text); err == nil {
			return TimeOfDay(t.Hour()*60 + t.Minute()), nil
		}
	}
	return 0, Invalidf("%s is no time of day: write it as 07:30", Quote(text))
}

// ParseHours reads a part of each day such as 22:00-07:00.
func ParseHours(text string) (h Hours, err error) {
	from, to, found := strings.Cut(text, "-")
	if !found {
		return h, Invalidf("%s are no hours of a day: write them as 22:00-07:00", Quote(text))
	}
	if h.From, err = ParseTimeOfDay(strings.TrimSpace(from)); err != nil {
		return h, err
	}
	h.To, err = ParseTimeOfDay(strings.TrimSpace(to))
	return h, err
}

func (h Hours) String() string { return h.From.String() + "-" + h.To.String() }

func (t TimeOfDay) String() string { return fmt.Sprintf("%02d:%02d", t/60, t%60) }

// MarshalText returns the time as a clock shows it.
func (t TimeOfDay) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText is ParseTimeOfDay.
func (t *TimeOfDay) UnmarshalText(text []byte) (err error) {
	*t, err = ParseTimeOfDay(string(text))
	return err
}

// Validate reports why a schedule cannot be kept: its zone is not known, or its quiet hours are none or the whole day.
func (s Schedule) Validate() error {
	if _, err := time.LoadLocation(s.Zone); err != nil || s.Zone == "Local" {
		return Invalidf("there is no time zone %s: write one as Europe/Berlin", Quote(s.Zone))
	}
	if q := s.Quiet; q != nil && (q.From == q.To || !q.From.valid() || !q.To.valid()) {
		return Invalidf("quiet hours begin at one time of day and end at another")
	}
	if s.Digest != nil && !s.Digest.valid() {
		return Invalidf("a digest comes at a time of day")
	}
	return nil
}

func (t TimeOfDay) valid() bool { return t >= 0 && t < minutesOfDay }

// Next returns the earliest time, not before now, at which an update may be sent that came at a time made. A schedule
// that is not valid is kept as if its zone were UTC.
func (s Schedule) Next(now, made time.Time) time.Time {
	zone, err := time.LoadLocation(s.Zone)
	if err != nil {
		zone = time.UTC
	}
	next := now
	if s.Digest != nil {
		next = later(next, s.Digest.after(made.In(zone)))
	}
	next = later(next, s.Paused)
	if s.Quiet != nil {
		next = later(next, s.Quiet.end(next.In(zone)))
	}
	return next
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// after returns the first time after another at which it is this time of day. Where a clock is put forward past it,
// that is as much later.
func (t TimeOfDay) after(at time.Time) time.Time {
	for day := at.Day(); ; day++ {
		next := time.Date(at.Year(), at.Month(), day, int(t)/60, int(t)%60, 0, 0, at.Location())
		if next.After(at) {
			return next
		}
	}
}

// end returns when the quiet hours end that a time lies in; the zero time if it lies in none.
func (h Hours) end(at time.Time) time.Time {
	clock := TimeOfDay(at.Hour()*60 + at.Minute())
	quiet := h.From <= clock && clock < h.To
	if h.To < h.From {
		quiet = clock >= h.From || clock < h.To
	}
	if !quiet {
		return time.Time{}
	}
	return h.To.after(at)
}
