package query

import (
	"strings"
	"time"

	"tidings"
)

// Type is what a column is compared with.
type Type string

// The types.
const (
	Text   Type = "text"
	Number Type = "number"
	Time   Type = "time"
)

// Column describes a column, for forms and help pages.
type Column struct {
	Name    string
	Type    Type
	Many    bool // it has many values: a comparison holds if it holds for one of them
	NoCase  bool // = and the like ignore the case of ASCII letters
	Help    string
	Example string // a condition
}

// column is a column with access to an item's value. Exactly one of text, number, time and labels is set.
type column struct {
	Column
	text   func(*Item) string // "": NULL
	number func(*Item) int64  // none: NULL
	time   func(*Item) time.Time
	labels func(*Item) []label

	filter bool // of conditions of filters alone

	known []string // all values that there are; nil: any
	other []string // names that people try instead
	share int      // as topics: how many of 10,000 items carry one of them, roughly; 0: there are no such topics
}

// wholeText is the column with the item's whole text.
const wholeText = "text"

// noNumber is a number that an item does not have. No item's number is negative.
const noNumber = -1

// orNone returns a number of which 0 says that there is none.
func orNone(n int64) int64 {
	if n == 0 {
		return noNumber
	}
	return n
}

// urgency is the column with the few numbers that are topics.
const urgency = "urgency"

var columns = []column{
	{Column: Column{Name: "guid", Type: Text, Help: "What identifies the item, the same for all its versions.",
		Example: "guid = 'urn:newsml:example.com:20261124:4711'"},
		text: func(it *Item) string { return it.news.GUID }, share: 1, other: []string{"id"}},
	{Column: Column{Name: "version", Type: Number,
		Help:    "The number of the version. NULL if the item does not have one.",
		Example: "version > 1"},
		number: func(it *Item) int64 { return orNone(int64(it.news.Version)) }},
	{Column: Column{Name: "publisher", Type: Text, NoCase: true,
		Help:    "The publisher's code or name, or the host of a feed.",
		Example: "publisher IN ('reuters', 'www.example.com')"},
		text: func(it *Item) string { return it.news.Publisher }, share: 100,
		other: []string{"source", "provider", "agency", "host"}},
	{Column: Column{Name: "status", Type: Text,
		Help:    "Whether the item may be used: 'usable', 'withheld' or 'canceled'.",
		Example: "status <> 'canceled'"},
		text:  func(it *Item) string { return string(it.news.Status) },
		known: []string{string(tidings.Usable), string(tidings.Withheld), string(tidings.Canceled)}, share: 9000},
	{Column: Column{Name: "signal", Type: Text,
		Help:    "What a new version is: 'update' or 'correction'. NULL for other items.",
		Example: "signal = 'correction'"},
		text:  func(it *Item) string { return string(it.news.Signal) },
		known: []string{string(tidings.Updated), string(tidings.Corrected)}, share: 1000},
	{Column: Column{Name: urgency, Type: Number,
		Help:    "From 1, the most urgent, to 9. An item that does not give it has 5.",
		Example: "urgency <= 3"},
		number: func(it *Item) int64 { return int64(it.news.Urgency) }, share: 1000, other: []string{"priority"}},
	{Column: Column{Name: "subject", Type: Text, Many: true, NoCase: true,
		Help:    "What the item is about: the name of a subject, its code, or scheme:code.",
		Example: "subject IN ('sport', 'medtop:15000000')"},
		labels: func(it *Item) []label { return it.subjects }, share: 100,
		other: []string{"topic", "category", "keyword", "tag"}},
	{Column: Column{Name: "place", Type: Text, Many: true, NoCase: true,
		Help:    "Where it happens: the name of a place, its code, or scheme:code.",
		Example: "place = 'Zürich'"},
		labels: func(it *Item) []label { return it.places }, share: 100,
		other: []string{"location", "city", "country"}},
	{Column: Column{Name: "language", Type: Text, NoCase: true,
		Help:    "The language tag of the text. 'en' is not 'en-GB': use both comparisons of the example.",
		Example: "(language = 'en' OR language LIKE 'en-%')"},
		text: func(it *Item) string { return it.news.Language }, share: 3000, other: []string{"lang"}},
	{Column: Column{Name: "genre", Type: Text, NoCase: true, Help: "The kind of text, such as an interview.",
		Example: "genre NOT IN ('obituary', 'opinion')"},
		text: func(it *Item) string { return it.news.Genre }, share: 1000},
	{Column: Column{Name: "headline", Type: Text, Help: "The headline.",
		Example: "headline LIKE '%election%'"},
		text: func(it *Item) string { return it.news.Headline }, other: []string{"title"}},
	{Column: Column{Name: "slugline", Type: Text, Help: "The short name by which the newsroom knows the story.",
		Example: "slugline LIKE 'OLY-%'"},
		text: func(it *Item) string { return it.news.Slugline }, other: []string{"slug"}},
	{Column: Column{Name: "byline", Type: Text, Help: "Who wrote it.",
		Example: "byline LIKE '%Jane Doe%'"},
		text: func(it *Item) string { return it.news.Byline }, other: []string{"author", "creator"}},
	{Column: Column{Name: "note", Type: Text,
		Help:    "What editors tell other editors, such as what a correction corrects.",
		Example: "note IS NOT NULL"},
		text: func(it *Item) string { return it.news.Note }},
	{Column: Column{Name: "created", Type: Time, Help: "When the first version was made, as the publisher says.",
		Example: "created >= '2026-11-24'"},
		time: func(it *Item) time.Time { return it.news.Created }, other: []string{"date", "published", "time"}},
	{Column: Column{Name: "revised", Type: Time, Help: "When this version was made, as the publisher says.",
		Example: "revised BETWEEN '2026-11-24T06:00:00Z' AND '2026-11-24T18:00:00Z'"},
		time: func(it *Item) time.Time { return it.news.Revised }, other: []string{"updated", "modified"}},
	{Column: Column{Name: "embargo", Type: Time, Help: "The item must not be shown before.",
		Example: "embargo IS NULL"},
		time: func(it *Item) time.Time { return it.news.Embargo }},
	{Column: Column{Name: "expires", Type: Time, Help: "The item is of no use afterwards.",
		Example: "(expires IS NULL OR expires > '2027-01-01')"},
		time: func(it *Item) time.Time { return it.news.Expires }},
	{Column: Column{Name: wholeText, Type: Text, Help: "Headline, body and note together.",
		Example: "text LIKE '%figure skating%'"},
		text: func(it *Item) string { return it.whole() }, other: []string{"body", "content"}},

	{Column: Column{Name: "link", Type: Text, NoCase: true, Help: "The address of the article.",
		Example: "link LIKE 'https://www.example.com/sport/%'"},
		text: func(it *Item) string { return it.article.Link }, filter: true,
		other: []string{"url", "uri", "address", "href"}},
	{Column: Column{Name: "channel", Type: Text, Many: true, NoCase: true,
		Help:    "The channel: its address, or its title.",
		Example: "channel = 'https://www.example.com/feed'"},
		labels: func(it *Item) []label { return it.channel }, filter: true, other: []string{"feed", "site"}},
	{Column: Column{Name: "age", Type: Number,
		Help:    "Whole days from the article's date to its arrival. NULL if it gives no date.",
		Example: "age > 30"},
		number: func(it *Item) int64 { return it.age() }, filter: true, other: []string{"days", "old"}},
}

// Columns describes all columns of queries.
func Columns() []Column { return dialect(false).describe() }

// FilterColumns describes those that conditions of filters have beside them.
func FilterColumns() []Column { return dialect(true).describe()[len(Columns()):] }

// dialect is a set of columns: those of queries, or if it is true those of filters, which are more.
type dialect bool

func (d dialect) columns() (list []*column) {
	for i := range columns {
		if !columns[i].filter || bool(d) {
			list = append(list, &columns[i])
		}
	}
	return list
}

func (d dialect) describe() (list []Column) {
	for _, c := range d.columns() {
		list = append(list, c.Column)
	}
	return list
}

// column returns the column that a word names in any case; nil if there is none.
func (d dialect) column(word string) *column {
	for _, c := range d.columns() {
		if strings.EqualFold(c.Name, word) {
			return c
		}
	}
	return nil
}
