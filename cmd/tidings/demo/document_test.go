package demo

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/source/feed"
	"tidings/source/page"
)

// Each change of a feed is one new story, and each change of a page is another line. The report says what a reader
// sees.
func TestDocumentsSayWhatIsReported(t *testing.T) {
	for _, doc := range documents() {
		t.Run(doc.name, func(t *testing.T) {
			t.Parallel()
			var known []tidings.KnownItem
			var lines []string
			for state := range 40 {
				said := ""
				if state > 0 {
					said = doc.change(time.Now())
				}
				body := doc.body
				if strings.HasPrefix(string(body), "<?xml") {
					known = readFeed(t, body, known, state, said)
				} else {
					lines = readPage(t, body, lines, state, said)
				}
			}
		})
	}
}

func readFeed(t *testing.T, body []byte, known []tidings.KnownItem, state int, said string) []tidings.KnownItem {
	t.Helper()
	doc, err := feed.Parse(body, "", "http://a.example/", feed.Default())
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Notes) > 0 {
		t.Errorf("state %d: %q", state, doc.Notes)
	}
	var fresh []string
	for _, f := range feed.Match(known, doc) {
		if f.Change != "" {
			fresh = append(fresh, f.Title)
			known = append(known, tidings.KnownItem{Row: int64(len(known) + 1), ItemIdentity: f.Mark})
		}
	}
	if state > 0 && !slices.Equal(fresh, []string{said}) {
		t.Errorf("state %d says %q, reported is %q", state, fresh, said)
	}
	return known
}

func readPage(t *testing.T, body []byte, before []string, state int, said string) []string {
	t.Helper()
	core, err := page.Extract(body, "text/html", "http://a.example/", tidings.PageOptions{}, page.Noise{},
		page.Default())
	if err != nil {
		t.Fatal(err)
	}
	var fresh []string
	for _, l := range core.Lines {
		if !slices.Contains(before, l) {
			fresh = append(fresh, l)
		}
	}
	if state > 0 && (len(fresh) != 1 || !strings.Contains(fresh[0], said)) {
		t.Errorf("state %d says %q, reported is %q", state, fresh, said)
	}
	return core.Lines
}

// All stories of a paper differ until all pairs have come.
func TestStoriesDiffer(t *testing.T) {
	for _, p := range papers {
		seen := make(map[string]bool)
		for k := range len(p.begins) * len(p.ends) {
			if seen[p.story(k)] {
				t.Errorf("%s: %q comes again after %d", p.name, p.story(k), k)
			}
			seen[p.story(k)] = true
		}
	}
}
