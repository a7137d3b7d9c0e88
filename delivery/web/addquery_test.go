package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tidings/delivery/web/shell"

	"tidings"
	"tidings/view"
)

// The form writes a query of its fields. It shows where a text is wrong, and what it would have selected, and it
// follows the query. All that works without a script.
func TestFollowingAQuery(t *testing.T) {
	f := sample()
	v := visit(t, f, false)
	if text := v.get("/add").Body.String(); !strings.Contains(text, `href="/add/query"`) {
		t.Error("the form for addresses does not lead to that for queries")
	}
	if text := v.get("/add/query?publisher=x.example").Body.String(); !strings.Contains(text, `value="x.example"`) ||
		len(f.queries) > 0 {
		t.Errorf("an address fills the form in and does nothing; it has checked %q", f.queries)
	}

	f.check.Error = &view.QueryRemark{Line: 1, Column: 5, Message: "a column is missing", Hint: "write one",
		Context: "NOT <x>\n    ^"}
	w := v.post("/add/query/check", "query", "NOT <x>\r\nAND", "do", "check")
	text := w.Body.String()
	if w.Code != 422 || !strings.Contains(text, "Line 1, column 5: a column is missing") ||
		!strings.Contains(text, "NOT &lt;x&gt;\n    ^</pre>") ||
		!strings.Contains(text, "NOT &lt;x&gt;\nAND</textarea>") ||
		strings.Contains(text, `formaction="/add/query/follow"`) {
		t.Errorf("what is no query: %d\n%s", w.Code, text)
	}

	f.check = view.QueryCheck{
		Wide: true, Network: true, Searched: view.MaxQuerySearch, Matching: 2,
		Warnings: []view.QueryRemark{{Line: 1, Column: 1, Message: "never true", Context: "x\n^"}},
		Matches: []view.QueryMatch{{Channel: "https://x.example/feed", Title: "The <b>X", Received: time.Now(),
			Item: tidings.Item{ID: "1", Title: "Goal <script>", URL: "https://x.example/1"}}},
	}
	w = v.post("/add/query/check", "publisher", "x.example", "query", "old", "do", "build")
	text = w.Body.String()
	for _, want := range []string{"publisher = &#39;x.example&#39;</textarea>", "Line 1, column 1: never true",
		"Nothing narrows it down", "2 of the newest 20,000 items",
		"Goal &lt;script&gt;", "The &lt;b&gt;X", "and 1 more", `formaction="/add/query/follow"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the checked query lacks %q", want)
		}
	}
	if w.Code != 200 {
		t.Errorf("a query: %d", w.Code)
	}

	channel := tidings.QueryURL("publisher = 'x.example'")
	f.preview = tidings.Preview{Channel: channel, Kind: tidings.KindQuery, Title: "publisher = 'x.example'",
		Privacy: tidings.Unlisted,
		Items: []tidings.Item{{ID: "https://x.example/feed 1", Title: "Goal",
			Source: &tidings.Source{URL: "https://x.example/feed", Title: "The X"}}}}
	v.goesTo(v.post("/add/query/follow", "query", "publisher = 'x.example'", "name", "X", "folder", "Press"),
		shell.ChannelPath(channel)+"&said=followed")
	if got, want := fmt.Sprintf("%+v", f.orders),
		fmt.Sprintf("%+v",
			[]tidings.SubscribeRequest{{Query: "publisher = 'x.example'", Name: "X", Folder: "Press"}}); got != want {
		t.Errorf("ordered %s, want %s", got, want)
	}
	text = v.get(shell.ChannelPath(channel)).Body.String()
	if !strings.Contains(text, "publisher = &#39;x.example&#39;</code>") || !strings.Contains(text, "from The X") ||
		strings.Contains(text, "Check now") || strings.Contains(text, "Next check") ||
		strings.Contains(text, `value="privacy"`) {
		t.Errorf("the channel of a query:\n%s", text)
	}
	if text := v.get("/channels").Body.String(); !strings.Contains(text, "publisher = &#39;x.example&#39; · Query") {
		t.Error("the list does not say what the query is")
	}

	zone := tidings.ZoneURL("/eu/de")
	f.preview = tidings.Preview{Channel: zone, Kind: tidings.KindZone, Title: "Zone /eu/de", Privacy: tidings.Unlisted,
		Items: []tidings.Item{{ID: zone + " abc 1", Title: "Goal",
			Source: &tidings.Source{URL: zone, Title: "node abc"}}}}
	if _, err := f.Subscribe(t.Context(), tidings.Owner, tidings.SubscribeRequest{URL: zone}); err != nil {
		t.Fatal(err)
	}
	text = v.get(shell.ChannelPath(zone)).Body.String()
	if !strings.Contains(text, "Zone") || !strings.Contains(text, "/eu/de</code>") ||
		!strings.Contains(text, "from node abc") || strings.Contains(text, "Check now") {
		t.Errorf("the channel of a zone:\n%s", text)
	}
}
