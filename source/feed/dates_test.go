package feed

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// 05/06/2024 is read as the feed's other dates are written, else as its language writes them, else as Americans do.
func TestOrderOfDayAndMonth(t *testing.T) {
	const american, european = "2024-05-06", "2024-06-05"
	for _, c := range []struct{ language, others, want string }{
		{"", "", american},
		{"", "25/06/2024", european},
		{"", "25/06/2024 06/25/2024", american}, // they differ
		{"", "06/25/2024", american},
		{"en-US", "", american},
		{"en-us", "25/06/2024", european}, // what is written counts before what is declared
		{"en", "", american},
		{"en-GB", "", european},
		{"en_AU", "", european},
		{"en-CA", "", american},
		{"es-US", "", american},
		{"fr", "", european},
		{"de-DE", "", european},
		{"es", "", european},
		{"it-it", "", european},
		{"pt-BR", "", european},
		{"nl", "", european},
		{"nl", "06/25/2024", american},
		{"ja", "", american},
		{"", "Fri,05/06/2020", european},
		{"fr", "Wed,05/06/2020", american},
		{"", "25.06.2024", american}, // says nothing of slashes
	} {
		var doc strings.Builder
		fmt.Fprintf(&doc,
			"<rss><channel><language>%s</language><item><guid>x</guid><pubDate>05/06/2024</pubDate><dc:date>1</dc:date></item>", c.language)
		for i, date := range strings.Fields(c.others) {
			fmt.Fprintf(&doc, "<item><guid>%d</guid><pubDate>%s</pubDate></item>", i, date)
		}
		doc.WriteString("</channel></rss>")
		d, err := Parse([]byte(doc.String()), "", "", Default())
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Items[0].Published.Format("2006-01-02"); got != c.want {
			t.Errorf("language %q, others %q: %s, want %s", c.language, c.others, got, c.want)
		}
	}
}

func TestOrderOfDayAndMonthInJSON(t *testing.T) {
	d, err := Parse([]byte(`{"version":"https://jsonfeed.org/version/1.1","language":"en-GB","items":[
		{"id":"1","date_published":"05/06/2024 10:00","date_modified":"07/06/2024"}]}`), "", "", Default())
	if err != nil {
		t.Fatal(err)
	}
	if it := d.Items[0]; it.Published.Format("01-02 15") != "06-05 10" || it.Updated.Format("01-02") != "06-07" {
		t.Errorf("published %v, updated %v", it.Published, it.Updated)
	}
}

// hostile 72: that a date gave none is noted, whatever the format.
func TestHostile72LostDatesAreNoted(t *testing.T) {
	for _, doc := range []string{
		rssDoc(`<item><title>a</title><pubDate>DATE</pubDate></item>`),
		atomDoc(`<entry><id>1</id><updated>DATE</updated></entry>`),
		`{"version":"https://jsonfeed.org/version/1","items":[{"id":"1","date_published":"DATE"}]}`,
		`[{"title":"a","url":"/b","date":"DATE"}]`,
	} {
		for date, noted := range map[string]bool{"3 jui 2020": true, "3 juin 2020": false, "": false} {
			d := mustParse(t, strings.Replace(doc, "DATE", date, 1))
			if slices.Contains(d.Notes, "left out dates that cannot be read for certain") != noted ||
				d.Items[0].latest().IsZero() != (date != "3 juin 2020") {
				t.Errorf("%q in %.40s: %v, notes %q", date, doc, d.Items[0].latest(), d.Notes)
			}
		}
	}
}
