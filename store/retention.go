package store

import (
	"math"
	"time"
)

// Retention says what Prune removes. In every limit 0 is the default and a negative value means no limit.
//
// Never removed: an item that is starred or labelled; the latest version of a followed channel, and the items that
// stood in it. The marks of removed items stay, up to the limit of Marks, so that no item comes back as new.
type Retention struct {
	Age      time.Duration // versions received longer ago; default one year
	Versions int           // newest versions kept of a channel; default 5,000
	Bytes    int64         // of the whole store: above it the oldest versions go, whatever their age; default 10 GiB
	Marks    int           // newest marks kept of a channel's items that have no content any more; default 20,000
	Orphans  time.Duration // how long the content of a channel stays that nobody follows; default 30 days
	Guests   time.Duration // how long that of a channel stays that was polled for others alone; default 2 hours
}

// DefaultRetention returns the limits that hold where nothing else is said.
func DefaultRetention() Retention {
	return Retention{
		Age:      365 * 24 * time.Hour,
		Versions: 5_000,
		Bytes:    10 << 30,
		Marks:    20_000,
		Orphans:  30 * 24 * time.Hour,
		Guests:   2 * time.Hour,
	}
}

func (r Retention) withDefaults() Retention {
	d := DefaultRetention()
	if r.Age == 0 {
		r.Age = d.Age
	}
	if r.Versions == 0 {
		r.Versions = d.Versions
	}
	if r.Bytes == 0 {
		r.Bytes = d.Bytes
	}
	if r.Marks == 0 {
		r.Marks = d.Marks
	}
	if r.Orphans == 0 {
		r.Orphans = d.Orphans
	}
	if r.Guests <= 0 {
		r.Guests = d.Guests
	}
	return r
}

// orphansBefore returns the time before which a channel must have lost its last follower to go.
func (r Retention) orphansBefore(now time.Time) time.Time {
	if r.Orphans < 0 {
		return time.UnixMicro(math.MinInt64)
	}
	return now.Add(-r.Orphans)
}
