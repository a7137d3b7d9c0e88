package feedtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// dateStyle is a way to write a date.
type dateStyle struct {
	name string
	// write writes a time, which is in a zone of its own, to the precision, below which it is cut off.
	write     func(t time.Time) string
	precision time.Duration
	legalIn   string // RSS or Atom
}

func layout(l string) func(time.Time) string {
	return func(t time.Time) string { return t.Format(l) }
}

func utc(l string) func(time.Time) string {
	return func(t time.Time) string { return t.UTC().Format(l) }
}

// german and others are months as blogs abroad write them into pubDate.
var (
	german = strings.Fields("Januar Februar März April Mai Juni Juli August September Oktober November Dezember")
	french = strings.Fields("janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.")
)

const day = 24 * time.Hour

// dateStyles are the ways in which publishers were seen to write a date.
var dateStyles = []dateStyle{
	{"RFC 822 with an offset", layout(time.RFC1123Z), time.Second, "RSS"},
	{"RFC 822 in GMT", utc("Mon, 02 Jan 2006 15:04:05 GMT"), time.Second, "RSS"},
	{"RFC 822 with two digits of the year", utc("Mon, 02 Jan 06 15:04:05 GMT"), time.Second, "RSS"},
	{"RFC 822 without weekday", layout("02 Jan 2006 15:04:05 -0700"), time.Second, "RSS"},
	{"RFC 822 without seconds", layout("Mon, 02 Jan 2006 15:04 -0700"), time.Minute, "RSS"},
	{"RFC 822 with one digit of the day", layout("Mon, 2 Jan 2006 15:04:05 -0700"), time.Second, "RSS"},
	{"RFC 822 in a named zone", func(t time.Time) string {
		return t.In(time.FixedZone("EST", -5*3600)).Format("Mon, 02 Jan 2006 15:04:05 EST")
	}, time.Second, "RSS"},
	{"RFC 822 with the zone in brackets", utc("Mon, 02 Jan 2006 15:04:05 +0000 (UTC)"), time.Second, ""},
	{"RFC 822 with a colon in the offset", layout("Mon, 02 Jan 2006 15:04:05 -07:00"), time.Second, ""},
	{"RFC 822 without zone", utc("Mon, 02 Jan 2006 15:04:05"), time.Second, ""},
	{"RFC 822 without comma", layout("Mon 02 Jan 2006 15:04:05 -0700"), time.Second, ""},
	{"RFC 822 with long names", layout("Monday, 02 January 2006 15:04:05 -0700"), time.Second, ""},
	{"RFC 822 in lower case", func(t time.Time) string {
		return strings.ToLower(t.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"))
	}, time.Second, ""},
	{"RFC 822 with the wrong weekday", func(t time.Time) string {
		return t.AddDate(0, 0, 1).Format("Mon") + t.Format(", 02 Jan 2006 15:04:05 -0700")
	}, time.Second, ""},
	{"RFC 822 among blanks", layout("  Mon,  02 Jan 2006\n 15:04:05   -0700 "), time.Second, ""},
	{"RFC 850", utc("Monday, 02-Jan-06 15:04:05 GMT"), time.Second, ""},
	{"asctime", utc(time.ANSIC), time.Second, ""},
	{"Unix date", utc("Mon Jan _2 15:04:05 UTC 2006"), time.Second, ""},
	{"RFC 3339 in UTC", utc("2006-01-02T15:04:05Z"), time.Second, "Atom"},
	{"RFC 3339 with an offset", layout(time.RFC3339), time.Second, "Atom"},
	{"RFC 3339 with fractions", utc("2006-01-02T15:04:05.000Z"), time.Millisecond, "Atom"},
	{"RFC 3339 with nine decimals", layout("2006-01-02T15:04:05.000000000-07:00"), time.Nanosecond, "Atom"},
	{"RFC 3339 in lower case", utc("2006-01-02t15:04:05z"), time.Second, ""},
	{"ISO 8601 without zone", utc("2006-01-02T15:04:05"), time.Second, ""},
	{"ISO 8601 without seconds", layout("2006-01-02T15:04-07:00"), time.Minute, ""},
	{"ISO 8601 without colon in the offset", layout("2006-01-02T15:04:05-0700"), time.Second, ""},
	{"ISO 8601 with a blank", utc("2006-01-02 15:04:05"), time.Second, ""},
	{"ISO 8601 with blanks and a zone", layout("2006-01-02 15:04:05 -0700"), time.Second, ""},
	{"ISO 8601, basic", utc("20060102T150405Z"), time.Second, ""},
	{"ISO 8601, digits only", utc("20060102150405"), time.Second, ""},
	{"ISO 8601, day only", utc("2006-01-02"), day, ""},
	{"ISO 8601, basic day", utc("20060102"), day, ""},
	{"ISO 8601, day of the year", utc("2006-002"), day, ""},
	{"American", utc("01/02/2006 15:04:05"), time.Second, ""},
	{"European", utc("02.01.2006 15:04"), time.Minute, ""},
	{"month first", utc("January 2, 2006"), day, ""},
	{"month first with a time", layout("Jan 2, 2006 15:04:05 -0700"), time.Second, ""},
	{"German", func(t time.Time) string {
		return fmt.Sprintf("%d. %s %s", t.UTC().Day(), german[t.UTC().Month()-1], t.UTC().Format("2006 15:04:05"))
	}, time.Second, ""},
	{"French", func(t time.Time) string {
		return fmt.Sprintf("%d %s %s", t.UTC().Day(), french[t.UTC().Month()-1], t.UTC().Format("2006 15:04:05"))
	}, time.Second, ""},
}

// nonDates stand where a date should, and are none.
var nonDates = []string{"yesterday", "", "0000-00-00T00:00:00Z", "2024-02-31T00:00:00Z",
	"Mon, 32 Foo 2024 25:61:00 GMT", "{{ post.date }}"}

// dated returns a document of the format for every style, and one with what is no date.
func dated(r *rand.Rand, f *format) []Document {
	if !f.can(hasPublished) {
		return nil
	}
	var out []Document
	add := func(name string, as []string, want []time.Time, legal bool) {
		tw := twist{name: name, legal: legal, before: func(_ *format, c *channel) {
			for i := range as {
				s := newStory(r, mixed, i)
				s.Files = nil
				if f.can(hasUpdated) {
					s.Updated = epoch
				}
				s.date, s.Published = as[i], want[i]
				c.stories = append(c.stories[:i], s)
			}
		}}
		out = append(out, document(r, f, &charsets[0], &tw))
	}
	for _, style := range dateStyles {
		var as []string
		var want []time.Time
		for range 3 {
			zone := time.FixedZone("", 1800*(r.IntN(40)-20))
			t := epoch.AddDate(0, 0, -r.IntN(7000)).Add(time.Duration(r.Int64N(int64(day)))).Truncate(
				style.precision).In(zone)
			as, want = append(as, style.write(t)), append(want, t)
		}
		legal := style.legalIn == "Atom" && (f.isAtom() || f.kind == "json feed" || f.kind == "rdf") ||
			style.legalIn == "RSS" && f.kind == "rss"
		add("dates: "+style.name, as, want, legal)
	}
	if !f.single {
		for _, no := range nonDates { // a date that cannot be read is none
			if no != "" {
				add("no date: "+no, []string{no}, []time.Time{{}}, false)
			}
		}
	}
	return out
}
