package proxy

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"tidings"
)

// A followed query or zone is served to feed readers as a feed is. It has its own address, in any spelling.
func TestQueriesAndZonesAreFeeds(t *testing.T) {
	const text = `subject LIKE 'a//b@c%' AND urgency < 3`
	for url, written := range map[string]string{
		// escapes that need not be
		tidings.QueryURL(text):   "query:" + text[:9] + "%49KE" + strings.ReplaceAll(text[12:], "%", "%25"),
		tidings.ZoneURL("/eu/d"): tidings.ZoneURL("/eu/d"),
	} {
		d := open(t)
		d.channels[url] = tidings.Subscription{Channel: tidings.Channel{URL: url, Kind: tidings.KindOf(url),
			Title: "Selected", Added: noon}, Since: noon}
		for n, title := range []string{"one", "two"} {
			d.add(tidings.Entry{Item: int64(n + 1), Channel: url, Kind: tidings.KindOf(url), Change: tidings.New,
				Content: tidings.Item{Title: title, URL: "https://blog.example/" + title, Summary: "<p>s</p>",
					Source: &tidings.Source{URL: feedChannel, Title: "A & B"}}})
		}
		for _, address := range []string{url, written} {
			r, body := d.get(path(address))
			f := parseAtom(t, body)
			if got := strings.Join(titles(f), "; "); r.StatusCode != http.StatusOK || got != "two; one" ||
				f.Title != "Selected" || f.Entries[0].ID == f.Entries[1].ID {
				t.Errorf("%s: %d, %s: %+v", address, r.StatusCode, got, f)
			}
			if self := d.url + path(url); f.Links[0] != (parsedLink{"self", self}) ||
				strings.Contains(body, `href="query:`) || strings.Contains(body, `href="zone:`) {
				t.Errorf("%s: links %v", address, f.Links)
			}
			var j jsonFeed
			if r, body := d.get(jsonPath(address)); r.StatusCode != http.StatusOK ||
				json.Unmarshal([]byte(body), &j) != nil || len(j.Items) != 2 {
				t.Errorf("%s as JSON: %d %s", address, r.StatusCode, body)
			}
			if again, _ := d.get(path(address), "If-None-Match",
				r.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
				t.Errorf("%s again: %d", address, again.StatusCode)
			}
		}
		if r, _ := d.get(path(url + "x")); r.StatusCode != http.StatusNotFound {
			t.Errorf("another that nobody follows: %d", r.StatusCode)
		}
	}
	d := open(t)
	if r, body := d.get("/feed?url=query:%25zz"); r.StatusCode != http.StatusBadRequest {
		t.Errorf("a query that cannot be read: %d %s", r.StatusCode, body)
	}
}
