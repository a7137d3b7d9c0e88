package query_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"tidings"
	"tidings/source/query"
)

var seeds = []string{
	example,
	"NOT (byline IS NULL OR note IS NOT NULL) AND version NOT BETWEEN -1 AND +7",
	"Publisher=='it''s' or guid!='x' AND (TRUE OR NOT FALSE)",
	`headline NOT LIKE '%10\%_' ESCAPE '\' AND language LIKE 'en-%'`,
	"created >= '2026-11-24 21:00+01:00' AND expires<'2027-01-01T00:00:00.5Z'",
	"subject NOT IN ('a', 'x:1') AND place <> 'Zürich'",
}

// Any text either is a query, whose canonical form is the same query, or has an error with a place inside it.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		if _, err := query.Parse(s); err != nil {
			f.Fatalf("a seed is no query: %v", err)
		}
		f.Add(s)
	}
	for _, s := range []string{"", "(", "publisher = 'x", "urgency = 'x'", "a\nb\n  subjct = 1", "version IN (1,",
		"ü = \"x\"", "\xff", "note LIKE '!' ESCAPE '!'"} {
		if _, err := query.Parse(s); err == nil {
			f.Fatalf("a seed is a query: %s", s)
		}
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := query.Parse(text)
		if err != nil {
			checkError(t, text, err)
			return
		}
		again, err := query.Parse(q.String())
		if err != nil || again.String() != q.String() || strings.Join(again.Topics(), "\n") != strings.Join(q.Topics(),
			"\n") {
			t.Errorf("%s\nbecomes\n%s\n%v", text, q, err)
		}
		for _, w := range q.Warnings() {
			if w.Context() == "" || w.String() == "" {
				t.Error("an empty warning")
			}
		}
		if len(q.Topics()) > query.MaxTopics {
			t.Errorf("%d topics", len(q.Topics()))
		}
	})
}

func checkError(t *testing.T, text string, err error) {
	var wrong *query.SyntaxError
	if !errors.As(err, &wrong) || wrong.Message == "" || wrong.Offset < 0 || wrong.Offset > len(text) {
		t.Fatalf("%#v", err)
	}
	lines := strings.Split(wrong.Context(), "\n")
	if len(lines) != 2 || utf8.RuneCountInString(lines[1]) > 77 ||
		utf8.RuneCountInString(lines[1]) > utf8.RuneCountInString(lines[0])+1 || len(wrong.Error()) > 600 {
		t.Errorf("%s\n%v", wrong.Context(), err)
	}
}

// No query does harm to any item, the canonical form matches the same, and a matching item carries a topic of the
// query.
func FuzzMatches(f *testing.F) {
	matched := 0
	item := func(text, publisher, label, headline, body string, urgency int) (*query.Query, tidings.News, bool) {
		news := tidings.News{Publisher: publisher, Headline: headline, Language: label, Urgency: urgency,
			Subjects: []tidings.Subject{{Name: label}, {Scheme: publisher, Code: label}}}
		q, err := query.Parse(text)
		return q, news, err == nil && q.Matches(query.NewItem(news, body))
	}
	for _, s := range seeds {
		if _, _, ok := item(s, "reuters", "sport", "10%", "body", 2); ok {
			matched++
		}
		f.Add(s, "reuters", "sport", "10%", "body", 2)
	}
	if matched == 0 {
		f.Fatal("no seed matches")
	}
	f.Fuzz(func(t *testing.T, text, publisher, label, headline, body string, urgency int) {
		q, news, ok := item(text, publisher, label, headline, body, urgency)
		if q == nil {
			return
		}
		if ok && !carriesOne(topicsOf(news), q.Topics()) {
			t.Errorf("%s\nmatches %+v, which carries none of %v", q, news, q.Topics())
		}
		if _, _, again := item(q.String(), publisher, label, headline, body, urgency); again != ok {
			t.Errorf("%s\nmatches otherwise than\n%s", text, q)
		}
	})
}
