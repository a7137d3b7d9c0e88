package news

import (
	"strings"
	"time"
)

// layouts are the forms of dates that IPTC's formats allow: ISO 8601 in its extended form (NewsML-G2, ninjs), and in
// its basic form, which the NITF DTD asks for ("20020225T143000-0500"). Each may be cut short. Fractions of a second
// are read where seconds are.
var layouts = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700", "2006-01-02T15:04",
	"20060102T150405Z0700", "20060102T150405Z07:00", "20060102T150405Z07", "20060102T150405",
	"20060102T1504Z0700", "20060102T1504Z07:00", "20060102T1504",
	"2006-01-02Z07:00", "2006-01-02", "20060102", "2006-01", "2006",
}

// maxDate is the most bytes of a date.
const maxDate = 64

// parseDate reads a date of any of these forms. A date without a zone is in UTC; one that is only a day, month or year
// is its first moment. The result is in UTC, with a year from 1 to 9999.
func parseDate(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > maxDate {
		return time.Time{}, false
	}
	if len(s) > len("2006-01-02") && s[len("2006-01-02")] == ' ' { // as databases write it
		s = s[:len("2006-01-02")] + "T" + s[len("2006-01-02 "):]
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			t = t.UTC()
			return t, t.Year() >= 1 && t.Year() <= 9999 && !t.IsZero()
		}
	}
	return time.Time{}, false
}

// formatDate writes a date as NewsML-G2 and ninjs want it, "" for none.
func formatDate(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// formatNorm writes a date as NITF requires. A date with parts of a second, which NITF's form cannot hold, is in ISO's
// extended form.
func formatNorm(t time.Time) string {
	if t.IsZero() || t.Nanosecond() != 0 {
		return formatDate(t)
	}
	return t.UTC().Format("20060102T150405-0700")
}
