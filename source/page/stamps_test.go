package page

import (
	"strings"
	"testing"
)

func TestNoiseOfEveryPoll(t *testing.T) {
	for text, want := range map[string]string{
		// Stamps.
		"Last updated: 3 May 2024":                                 "",
		"Last updated on Friday, May 3rd, 2024 at 12:00 PM UTC.":   "",
		"This page was last modified on 2024-05-03 12:00:01 +0200": "",
		"Page generated 2024-05-03T12:00:01Z":                      "",
		"Generated at 12:34:56":                                    "",
		"Built on 3. Mai 2024":                                     "",
		"© 2024 Example. Last updated: 3 May 2024 by cron":         "© 2024 Example. by cron",
		"Data as of 3 May 2024, 14:00 CET: 17 open cases":          "17 open cases",
		"Page generated in 0.123 seconds":                          "",
		"Rendered in 34 ms | Version 1.2":                          "Version 1.2",
		"Server time: 12:00:01 GMT":                                "",
		"Letzte Aktualisierung: 03.05.2024 12:00 Uhr":              "",
		"Dernière mise à jour : 3 mai 2024":                        "",
		"最終更新：2025-11-15T23:21:10.454Z":                            "",
		"| Last build | 2024-05-03 |":                              "",
		"- Updated 2024-05-03":                                     "",
		"Fri, 03 May 2024 12:00:01 GMT":                            "",
		"12:00:01":                                                 "",
		// Relative times and counters.
		"3 hours ago":                         "",
		"Ann wrote this about an hour ago":    "Ann wrote this",
		"- Release 1.2 (2 days, 3 hours ago)": "- Release 1.2",
		"just now":                            "",
		"12,345 views":                        "",
		"by Ann | 37 comments":                "by Ann",
		"Visitors: 10":                        "",
		"1.2k shares · 14 likes":              "",
		"- 5 replies":                         "",
		"No comments yet":                     "",
		// Tokens.
		"Request ID: 8f3b9c0d1e2f":                                     "",
		"See https://example.org/x?id=7&sid=abc123&utm_source=feed ok": "See https://example.org/x?id=7 ok",
		"https://example.org/x;jsessionid=0A1B2C?y=1":                  "https://example.org/x?y=1",

		// What must stay.
		"Posted on 3 May 2020":                      "Posted on 3 May 2020",
		"3 May 2020: Version 1.2.3 released":        "3 May 2020: Version 1.2.3 released",
		"2024-05-03":                                "2024-05-03",
		"May 03, 2015 06:02 PM":                     "May 03, 2015 06:02 PM",
		"12:30":                                     "12:30",
		"- Flink 1.1.4 - 2016-12-21 (Source)":       "- Flink 1.1.4 - 2016-12-21 (Source)",
		"Price: 12.50 EUR":                          "Price: 12.50 EUR",
		"Opening hours: 10:00 - 18:00":              "Opening hours: 10:00 - 18:00",
		"The train leaves at 10:30":                 "The train leaves at 10:30",
		"We built 3 houses in May":                  "We built 3 houses in May",
		"The committee received 500 comments on it": "The committee received 500 comments on it",
		"Smith | 12,345 votes":                      "Smith | 12,345 votes",
		"Version 2.0 was released as of today":      "Version 2.0 was released as of today",
		"Team A 3 : 2 Team B":                       "Team A 3 : 2 Team B",
		"Long ago, in 1984":                         "Long ago, in 1984",
		"This page lists 12 updated packages":       "This page lists 12 updated packages",
		"https://example.org/watch?v=abc&t=10":      "https://example.org/watch?v=abc&t=10",
		"  indented code = 1;":                      "  indented code = 1;",
		"}":                                         "}",
		"Order 12345678 ID card":                    "Order 12345678 ID card",
		"# Changes":                                 "# Changes",
	} {
		if got := newLineFilter().without(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestStampInTwoLines(t *testing.T) {
	for _, c := range []struct {
		label, text string
		want        bool
	}{
		{"Last updated:", "May 04, 2015 11:41 PM", true},
		{"- Last modified", "2024-05-03", true},
		{"Generated at", "Fri, 3 May 2024 12:00 UTC.", true},
		{"Published", "2024-05-03", false},
		{"Last updated:", "3 packages", false},
		{"Release 1.2", "2024-05-03", false},
	} {
		if got := newLineFilter().isStampInTwo(c.label, c.text); got != c.want {
			t.Errorf("%q, %q: %v", c.label, c.text, got)
		}
	}
}

// hostile 16: the slow expressions are tried on so much of a document and no more.
func TestHostile16ExpressionsAreTriedWithinBounds(t *testing.T) {
	for name, text := range map[string]string{
		"stamps":   strings.Repeat("Last updated on 3 May 2024 at ", 9),
		"ago":      strings.Repeat(" a few 1", 36) + " ago",
		"tokens":   "a://b?" + strings.Repeat("_=&", 96),
		"counters": strings.Repeat("1 comment, ", 17),
	} {
		f, tried := newLineFilter(), 0
		for range 20_000 {
			before := f.left
			f.without(text)
			f.isStampInTwo("Last updated:", "3 May 2024 12:00")
			if f.left < before {
				tried++
			}
		}
		if most := maxTried / len(text); tried == 0 || tried > most+1 {
			t.Errorf("%s: tried on %d lines, want at most %d", name, tried, most)
		}
		if got := f.without(text); got != text {
			t.Errorf("%s: %q is still tried", name, text)
		}
	}
}

// What announces a stamp has one of stampSigns in it, if it is all ASCII and has one of stampWords.
func TestStampSigns(t *testing.T) {
	for _, text := range []string{
		"last update", "lastly edited", "last sync", "auto-updated", "automatically modified", "regenerated", "rebuilt",
		"rendered", "compiled", "refreshed", "fetched", "retrieved", "crawled", "cached", "synced", "build date",
		"generation time", "server time", "local time", "update date", "date generated", "time now",
		"as of", "as at", "letzte aktualisierung", "zuletzt aktualisiert", "stand", "derniere mise a jour",
		"ultima actualizacion", "ultima modificacion", "ultima atualizacao", "laatst gewijzigd",
		"ostatnia aktualizacja",
	} {
		if text += ": 2024-05-03 12:00"; noiseIn(text)&hasStamp == 0 || newLineFilter().without(text) != "" {
			t.Errorf("%q is not known as a stamp", text)
		}
	}
	for _, text := range []string{"loaded", "generated", "rendered", "built", "took"} {
		if text += " 0.12 s"; newLineFilter().without(text) != "" {
			t.Errorf("%q is not known as a stamp", text)
		}
	}
}
