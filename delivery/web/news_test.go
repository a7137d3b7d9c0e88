package web

import (
	"reflect"
	"strings"
	"testing"
	"tidings/delivery/web/wording"
	"time"

	"tidings"
)

func TestNewsFacts(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	many := make([]tidings.Subject, 14)
	for i := range many {
		many[i].Code = "c"
	}
	for name, c := range map[string]struct {
		news *tidings.News
		want []string
		note string
		tag  string
	}{
		"no news item": {},
		"the least":    {&tidings.News{Version: 1, Urgency: 5}, []string{"of normal urgency", "version 1"}, "", ""},
		"everything": {&tidings.News{Publisher: "Agency", Version: 3, Status: tidings.Usable, Signal: tidings.Corrected,
			Urgency: 2, Genre: "Analysis", Slugline: "A-B", Note: "the score",
			Subjects: []tidings.Subject{{Name: "soccer", Code: "15054000"}, {Code: "x"}},
			Places:   []tidings.Subject{{Name: "Kyiv"}}, Embargo: now.Add(-time.Hour), Expires: now},
			[]string{"From Agency", "urgent (2 of 9)", "slugline A-B", "genre Analysis", "about soccer, x",
				"place Kyiv", "version 3",
				"under embargo until Friday 1 May 2026, 11:00:00 UTC", "expired Friday 1 May 2026, 12:00:00 UTC"},
			"Correction: the score", "correction"},
		"canceled": {&tidings.News{Version: 2, Status: tidings.Canceled, Urgency: 1},
			[]string{"most urgent (1 of 9)", "canceled", "version 2"}, "", "withdrawn"},
		"withheld": {&tidings.News{Version: 2, Status: tidings.Withheld, Urgency: 8},
			[]string{"not urgent (8 of 9)", "withheld", "version 2"}, "", "withdrawn"},
		"an update": {&tidings.News{Version: 2, Urgency: 5, Signal: tidings.Updated, Note: "adds quotes"},
			[]string{"of normal urgency", "version 2"}, "Editor’s note: adds quotes", ""},
		"corrected": {&tidings.News{Version: 2, Urgency: 5, Signal: tidings.Corrected},
			[]string{"of normal urgency", "version 2"}, "This is a correction of an earlier version.", "correction"},
		"too much": {&tidings.News{Version: 2, Urgency: 5, Subjects: many},
			[]string{"of normal urgency", "about " + strings.Repeat("c, ", maxSubjects) + "2 more", "version 2"}, "",
			""},
	} {
		if got := newsFacts(wording.Words{}, c.news, now); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
		if got := newsTag(wording.Words{}, c.news); got != c.tag {
			t.Errorf("%s: %q, not %q", name, got, c.tag)
		}
		if got := newsNote(wording.Words{}, c.news); got != c.note {
			t.Errorf("%s: %q, not %q", name, got, c.note)
		}
	}
}
