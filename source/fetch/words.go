package fetch

import (
	"strconv"
	"time"
)

// inWords writes a duration as a person would say it: "45 s", "30 min", "6 h", "7 days".
func inWords(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + inWords(-d)
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 2*time.Minute:
		return tenths(d, time.Second) + " s"
	case d < 2*time.Hour:
		return tenths(d, time.Minute) + " min"
	case d < 48*time.Hour:
		return tenths(d, time.Hour) + " h"
	default:
		return tenths(d, 24*time.Hour) + " days"
	}
}

// tenths writes d in units with at most one decimal.
func tenths(d, unit time.Duration) string {
	n := int64((d + unit/20) / (unit / 10))
	if n%10 == 0 {
		return strconv.FormatInt(n/10, 10)
	}
	return strconv.FormatFloat(float64(n)/10, 'f', 1, 64)
}

// onDay writes a day as "12 May 2026".
func onDay(t time.Time) string { return t.UTC().Format("2 January 2006") }
