package sync

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// DateOf returns the date of an item that all clients can show: never zero, before 1970 or after arrival.
// What feeds claim is wrong often enough that clients would sort by dates of the future.
func DateOf(claimed, arrived time.Time) time.Time {
	if claimed.Unix() <= 0 || claimed.After(arrived) {
		return arrived
	}
	return claimed
}

// Moment is a time that a client sent, with the unit in which it counted. Ends of ranges are included as a
// whole.
type Moment struct {
	time time.Time
	unit time.Duration
}

// latest is the last moment that there is, in the year 2255: its microseconds are exact as a float64, and its
// nanoseconds fit an int64. Clients say "everything" by later ones.
const latest = 1 << 53 // microseconds since 1970

// ParseMoment reads a time since 1970. Clients count it in different units, by the number of digits. 16 or more digits
// are microseconds, 13 to 15 milliseconds. Fewer are seconds, maybe with a fraction. It fails for text that is no
// number. Zero and times before 1970 are the zero Moment, which is no bound.
func ParseMoment(s string) (Moment, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(n) {
		return Moment{}, false
	}
	if n <= 0 {
		return Moment{}, true
	}
	whole := strconv.FormatFloat(math.Trunc(min(n, 1e17)), 'f', 0, 64) // exact up to 2^53, which has 16 digits
	micros, unit := n, time.Microsecond
	switch digits := len(whole); {
	case digits >= 16:
	case digits >= 13:
		micros, unit = n*1e3, time.Millisecond
	case n != math.Trunc(n):
		micros = n * 1e6
	default:
		micros, unit = n*1e6, time.Second
	}
	return Moment{time.UnixMicro(int64(min(micros, latest))), unit}, true
}

// From returns the begin of a range that begins with the moment. The zero time is no bound.
func (m Moment) From() time.Time { return m.time }

// Through returns the end, which is excluded, of a range that includes all of the moment.
func (m Moment) Through() time.Time {
	if m.time.IsZero() {
		return m.time
	}
	return m.time.Add(m.unit)
}

// Until returns the end, which is excluded, of a range in which clients mark items. A client that counts in
// seconds has not seen what arrives later in that second, so that is left out. Milliseconds and microseconds
// are those of an item that it has, which is included.
func (m Moment) Until() time.Time {
	if m.unit == time.Second {
		return m.time.Add(time.Microsecond)
	}
	return m.Through()
}
