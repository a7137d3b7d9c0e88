package feed

import (
	"testing"

	"tidings"
)

// Of an item signed by somebody other than its publisher, what its mark proves is accepted: neither more than the feed
// has, nor another summary, nor files, nor a date.
func TestProvenIsWhatTheMarkIsOf(t *testing.T) {
	for _, date := range []string{"", "<pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate>"} {
		testProven(t, date)
	}
}

func testProven(t *testing.T, date string) {
	t.Helper()
	doc := mustParse(t, `<rss version="2.0"><channel><title>T</title><item><guid>1</guid><title>One</title>`+date+`
		<description>the &lt;b&gt;text&lt;/b&gt;</description></item></channel></rss>`)
	found := Match(nil, doc)[0]
	for name, forge := range map[string]func(*Carried){
		"as it is":             func(*Carried) {},
		"richer":               func(c *Carried) { c.Content = "<p>more</p>" },
		"another summary":      func(c *Carried) { c.Summary = "no text" },
		"a summary to content": func(c *Carried) { c.Content, c.Summary = c.Summary, "not in the feed" },
		"no text":              func(c *Carried) { c.Summary = "" },
		"files":                func(c *Carried) { c.Files = []tidings.File{{}} },
	} {
		c := Carried{FoundItem: found, Whole: true}
		forge(&c)
		known := []tidings.KnownItem{}
		taken, err := MatchCarried(known, []Carried{c.Proven()}, true, Default())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if text := taken[0].Content + taken[0].Summary; text != "the <b>text</b>" {
			t.Errorf("%s: the text is %q", name, text)
		}
		if p := c.Proven(); p.Files != nil || p.Mark.Date != noItemsDate || p.Mark.Print != found.Mark.Print {
			t.Errorf("%s: %+v", name, p)
		}
		// A poll that finds the same stores its date, and reports nothing. One that finds another text reports it.
		here := []tidings.KnownItem{{Row: 1, ItemIdentity: taken[0].Mark}}
		if again := Match(here, doc)[0]; again.Row != 1 || again.Change != "" || !again.Quiet {
			t.Errorf("%s: a poll that finds the same: %+v", name, again)
		}
	}
}
