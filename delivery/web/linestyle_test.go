package web

import (
	"strings"
	"testing"
	"tidings/delivery/web/wording"

	"tidings"
)

func TestDraw(t *testing.T) {
	for _, c := range []struct{ line, class, text string }{
		{"## Tickets", "heading", "Tickets"}, {"###### Deep", "heading", "Deep"},
		{"- Adults 12 €", "bullet", "Adults 12 €"},
		{"####### Too deep", "", "####### Too deep"}, {"#tag", "", "#tag"}, {"-5", "", "-5"}, {"plain", "", "plain"},
		{"", "", ""},
		{"# <b>&amp;", "heading", "<b>&amp;"}, // escaping is the template's
	} {
		if got := drawLine(c.line); got.Class != c.class || got.Text() != c.text {
			t.Errorf("%q is drawn as %+v", c.line, got)
		}
	}
}

// A difference is never removed, not even if it is the sign itself.
func TestDrawKeepsWhatDiffers(t *testing.T) {
	d := pageDifference(
		"1,2c1,2\n< ## Opening hours of the museum\n< - Adults 12 €\n---\n> ### Opening hours of the museum\n> - Adults 14 €\n", 10)
	var got []string
	for _, h := range d.Hunks {
		for _, r := range h.Rows {
			row := d.Draw(r)
			for _, shown := range []*drawn{row.Old, row.New} {
				if shown != nil {
					got = append(got, shown.Class+"|"+shown.Text())
				}
			}
		}
	}
	if text := strings.Join(got, "\n"); !strings.Contains(text, "bullet|Adults 12 €") ||
		!strings.Contains(text, "bullet|Adults 14 €") ||
		!strings.Contains(text, "|## ") || !strings.Contains(text, "|### ") {
		t.Errorf("drawn:\n%s", text)
	}
}

// An item's text may begin with anything; only a page's lines carry signs.
func TestItemsHaveNoSigns(t *testing.T) {
	d := itemDifference(tidings.Item{}, tidings.Item{Content: "<p># one</p>"})
	for _, h := range d.Hunks {
		for _, r := range h.Rows {
			if shown := d.Draw(r).New; shown != nil && shown.Class != "" {
				t.Errorf("drawn as %+v", shown)
			}
		}
	}
}

func TestSnippetsHaveNoHeadingSigns(t *testing.T) {
	e := tidings.Entry{Kind: tidings.KindPage, Version: 2, Label: "Page",
		Snippet: "… open. ## \x02Tickets\x03 C# is - as ever - \"#1\" …"}
	if got, want := lineOf(wording.Words{}, e, "/").Snippet,
		"… open. \x02Tickets\x03 C# is - as ever - \"#1\" …"; got != want {
		t.Errorf("snippet %q, want %q", got, want)
	}
}
