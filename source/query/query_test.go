package query_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/lab/cost"
	"tidings/source/query"
)

const example = "publisher = 'reuters' AND urgency <= 3 AND subject LIKE 'sport%'"

// newsItem is an item such as agencies send.
var newsItem = tidings.News{
	GUID: "urn:newsml:reuters.com:20261124:4711", Version: 2, Publisher: "Reuters", Signal: tidings.Corrected,
	Urgency: 2,
	Subjects: []tidings.Subject{{Scheme: "medtop", Code: "11000000", Name: "politics"},
		{Scheme: "medtop", Code: "15000000", Name: "Sport"}},
	Places:   []tidings.Subject{{Name: "Zürich"}, {Code: "CH"}},
	Language: "en-GB", Headline: "Skaters win in Zürich", Note: "corrects the date",
	Created: time.Date(2026, 11, 24, 20, 0, 0, 0, time.UTC), Revised: time.Date(2026, 11, 24, 21, 0, 0, 0, time.UTC),
}

var sample = query.NewItem(newsItem, "Figure skaters from Bern won.")

// What conditions of the item that people would write are true.
func TestMatches(t *testing.T) {
	for text, want := range map[string]bool{
		example:                                 true,
		"PUBLISHER = 'REUTERS' AND Urgency = 2": true,
		"subject = 'medtop:15000000'":           true,
		"subject = 'MEDTOP:15000000' AND subject = '15000000'": true,
		"subject = 'medtop' OR subject = 'medtop:'":            false,
		"subject <> 'sport'":                                   true,
		"NOT (subject = 'sport')":                              false,
		"NOT (subject = 'economy')":                            true,
		"subject NOT IN ('sport', 'politics')":                 false,
		"subject NOT LIKE '%o%'":                               false,
		"place = 'ZÜRICH'":                                     false, // only ASCII letters ignore case
		"place = 'ch' AND place = 'ZüRICH'":                    true,
		"status = 'usable' AND status IS NOT NULL":             true,
		"byline = 'x' OR NOT (byline = 'x')":                   false,
		"byline IS NULL":                                       true,
		"language = 'en'":                                      false,
		"language LIKE 'EN-%'":                                 true,
		"headline = 'skaters win in zürich'":                   false,
		"headline LIKE 'skaters WIN%'":                         true,
		"text LIKE '%skaters%bern%corrects%'":                  true,
		"text LIKE '%bern%skaters%'":                           false,
		"created < '2026-11-24 21:30+01:00'":                   true,
		"created BETWEEN '2026-11-24' AND '2026-11-25' AND expires > '0001-01-01'": false,
		"revised = '2026-11-24T22:00:00+01:00'":                                    true,
		"version IN (1, 2) AND urgency NOT BETWEEN 3 AND 9":                        true,
	} {
		q, err := query.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := q.Matches(sample); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// Patterns at their edges: parts that would overlap, and characters of several bytes.
func TestLike(t *testing.T) {
	for _, test := range []struct {
		text, pattern string
		want          bool
	}{
		{"a", "a%a", false}, {"aa", "a%a", true}, {"aba", "ab%ba", false}, {"abba", "ab%ba", true},
		{"ab", "%ab%b", false},
		{"é", "%é", true}, {"é", "_", true}, {"é", "__", false}, {"aé", "%_é", true}, {"É", "é", false},
		{"€", "%__%", false}, {"a€", "%__%", true}, {"€€", "__", true}, {"€", "%_", true}, {"€", "%__", false},
		{"abcabd", "%ab_", true}, {"xaab", "%ab%", true}, {"a", "%%%", true}, {"a", "", false}, {"K", "k", true},
	} {
		q := parse(t, "headline LIKE '"+test.pattern+"'")
		if q.Matches(query.NewItem(tidings.News{Headline: test.text}, "")) != test.want {
			t.Errorf("%s LIKE %s is not %v", test.text, test.pattern, test.want)
		}
	}
}

// What is beside each other is not deep.
func TestDepthIsNotLength(t *testing.T) {
	parse(t, strings.Repeat("(NOT TRUE) OR NOT (FALSE) OR ", 2*query.MaxDepth)+"TRUE")
}

// What reaches a bound is allowed, and one more is not.
func TestBounds(t *testing.T) {
	list := func(n int) string { return strings.TrimSuffix(strings.Repeat("1,", n), ",") }
	for name, test := range map[string]struct {
		text func(n int) string
		most int
	}{
		"bytes": {func(n int) string { return "byline = '" + strings.Repeat("x", n-11) + "'" }, query.MaxBytes},
		"parentheses": {func(n int) string { return strings.Repeat("(", n) + "TRUE" + strings.Repeat(")", n) },
			query.MaxDepth},
		"NOTs": {func(n int) string { return strings.Repeat("NOT ", n) + "TRUE" }, query.MaxDepth},
		"both": {func(n int) string { return strings.Repeat("NOT (", n) + "version=1" + strings.Repeat(")", n) },
			query.MaxDepth},
		"comparisons": {func(n int) string { return strings.Repeat("note>'' OR ", n-1) + "note>''" },
			query.MaxComparisons},
		"list": {func(n int) string { return "version IN (" + list(n) + ")" }, query.MaxListed},
	} {
		q, err := query.Parse(test.text(test.most))
		if err != nil {
			t.Errorf("%s: %d are refused: %v", name, test.most, err)
			continue
		}
		if again, err := query.Parse(q.String()); err != nil || again.String() != q.String() {
			t.Errorf("%s: the canonical form is refused: %v", name, err)
		}
		if _, err := query.Parse(test.text(test.most + 1)); err == nil || !strings.Contains(err.Error(), "more than") &&
			!strings.Contains(err.Error(), "too long") {
			t.Errorf("%s: %d are allowed: %v", name, test.most+1, err)
		}
	}
}

// A condition that only its canonical form makes too long is refused, so that every query can be stored as it prints.
func TestCanonicalFormIsBounded(t *testing.T) {
	text := strings.Repeat("version=1 or ", 254) + "version=1 and byline='" + strings.Repeat("x", 750) + "'"
	if _, err := query.Parse(text); len(text) > query.MaxBytes || err == nil ||
		!strings.Contains(err.Error(), "written out") {
		t.Errorf("%d bytes: %v", len(text), err)
	}
}

// What is no text is refused where it stands.
func TestNoText(t *testing.T) {
	for text, offset := range map[string]int{"byline = '\xff'": 10, "byline = 'a\x00'": 11, "\xc3": 0,
		"byline = '\ufffd\xe2\x82'": 13} {
		_, err := query.Parse(text)
		wrong, ok := err.(*query.SyntaxError)
		if !ok || wrong.Offset != offset || !strings.Contains(wrong.Message, "UTF-8") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := query.Parse("byline = '\ufffd'"); err != nil {
		t.Error(err)
	}
}

// More topics than the bound are any item, unless another condition of an AND needs fewer.
func TestTopicsAreBounded(t *testing.T) {
	list := func(n int) string {
		var parts []string
		for i := range n {
			parts = append(parts, "subject = '"+strings.Repeat("x", i)+"'")
		}
		return "(" + strings.Join(parts, " OR ") + ")"
	}
	for text, want := range map[string]int{list(64): 64, list(65): 1,
		list(65) + " AND (urgency = 1 OR urgency = 2)": 2} {
		if got := parse(t, text).Topics(); len(got) != want {
			t.Errorf("%d topics, want %d", len(got), want)
		}
	}
}

// Columns have what a form needs, and their examples are conditions without warnings.
func TestColumns(t *testing.T) {
	list := query.Columns()
	if len(list) != 19 {
		t.Errorf("%d columns", len(list))
	}
	for _, c := range list {
		if c.Help == "" || c.Type == "" || !strings.Contains(c.Example, c.Name) {
			t.Errorf("%s is not described", c.Name)
		}
		if q := parse(t, c.Example); len(q.Warnings()) > 0 || q.String() != strings.Trim(c.Example, "()") &&
			q.String() != c.Example {
			t.Errorf("%s: the example is printed as %s, with %d warnings", c.Name, q, len(q.Warnings()))
		}
	}
}

// What a caller does with what it was given does not change the query.
func TestQueryIsImmutable(t *testing.T) {
	q := parse(t, "publisher = 'a' OR urgency = 12")
	q.Topics()[0], q.Warnings()[0].Message = "x", "x"
	if !slices.Equal(q.Topics(), []string{"publisher:a"}) || q.Warnings()[0].Message == "x" {
		t.Error("it changes")
	}
}

// A hostile pattern costs at most text times pattern: here about a hundred million steps.
func TestHostilePatterns(t *testing.T) {
	item := query.NewItem(tidings.News{}, strings.Repeat("a", 100_000))
	for _, pattern := range []string{strings.Repeat("%a", 1900) + "%b", "%" + strings.Repeat("a", 1900) + "b%",
		"%" + strings.Repeat("_", 1900) + "b%", strings.Repeat("%_", 1900) + "b"} {
		q := parse(t, "text LIKE '"+pattern+"'")
		const most = 5 * time.Second // what grows faster needs hours
		took := cost.Best(most, func() {
			if q.Matches(item) {
				t.Errorf("%.10s… matches", pattern)
			}
		})
		if took > most {
			t.Errorf("%.10s… takes %v of the processor", pattern, took)
		}
	}
}

func BenchmarkMatches(b *testing.B) {
	for name, text := range map[string]string{
		"example": example,
		"text":    "text LIKE '%figure%won.%'",
		"list":    "publisher IN ('afp', 'ap', 'dpa', 'reuters') AND NOT (status = 'canceled')",
		"time":    "created >= '2026-11-24' AND (expires IS NULL OR expires > '2027-01-01')",
	} {
		b.Run(name, func(b *testing.B) {
			q, err := query.Parse(text)
			if err != nil || !q.Matches(sample) {
				b.Fatalf("%v: it does not match", err)
			}
			b.ReportAllocs()
			for b.Loop() {
				q.Matches(sample)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := query.Parse(example); err != nil {
			b.Fatal(err)
		}
	}
}
