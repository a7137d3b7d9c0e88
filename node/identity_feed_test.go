package node

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/lab/dataset"
	"tidings/source"
)

// feedState is a feed as a site serves it: how its n-th story is addressed, and which stories it lists.
type feedState struct {
	address func(n int) (guid, link string)
	edited  int // this story has another title and text; 0: none
	stories []int
}

func (f feedState) body() []byte {
	var b strings.Builder
	b.WriteString(
		`<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>https://news.example/</link>`)
	for _, n := range f.stories {
		guid, link := f.address(n)
		title, text := fmt.Sprint("Story ", n), fmt.Sprint("What story ", n, " says.")
		if n == f.edited {
			title, text = "Corrected", "Something else."
		}
		fmt.Fprintf(&b, `<item><guid isPermaLink="false">%s</guid><link>%s</link><title>%s</title><pubDate>%s</pubDate><description>%s</description></item>`,
			guid, link, title, time.Date(2026, 1, n, 1, 2, 3, 0, time.UTC).Format(time.RFC1123Z), text)
	}
	return []byte(b.String() + `</channel></rss>`)
}

// shownOf replays states, and returns for each what was reported: "n" for each new item, "c" for each revision.
func shownOf(t *testing.T, states ...feedState) (said []string, last tidings.Poll, entries []tidings.Entry) {
	h := dataset.History{Name: "doc"}
	for i, s := range states {
		h.Snapshots =
			append(h.Snapshots,
				dataset.Snapshot{Run: "dense", N: i + 1, Time: time.Date(2026, 2, 1+i, 0, 0, 0, 0, time.UTC),
					Ext: "xml", Body: s.body()})
	}
	client, url := replay(t, h, func(_ int, poll tidings.Poll, updates []tidings.Update) {
		var b strings.Builder
		for _, u := range updates {
			for _, item := range u.Items {
				b.WriteString(string(item.Change)[:1])
			}
		}
		said, last = append(said, b.String()), poll
	})
	entries, err := client.Entries(t.Context(), tidings.EntryQuery{Channel: url, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	return said, last, entries
}

func at(base string) func(int) (guid, link string) {
	return func(n int) (string, string) { return fmt.Sprint(base, "/id/", n), fmt.Sprint(base, "/read/", n) }
}

// hostile 20: when a site moves, only new items are reported to readers. Its items are shown with their new links, and
// are known by their new addresses from then on.
func TestHostile20AMovedSiteIsToldOfOnce(t *testing.T) {
	said, _, entries := shownOf(t,
		feedState{at("http://localhost:4000"), 0, []int{3, 2, 1}},
		feedState{at("https://news.example"), 0, []int{3, 2, 1}},
		feedState{at("https://news.example"), 2, []int{3, 2, 1}},
		feedState{at("https://other.example/blog"), 2, []int{4, 3, 2, 1}},
		feedState{at("https://other.example/blog"), 2, []int{5, 4, 3, 2}},
	)
	if got := strings.Join(said, " "); got != "nnn  c n n" {
		t.Errorf("told %q", got)
	}
	latest := map[int64]bool{} // by item; of entries the latest comes first
	for _, e := range entries {
		if old := latest[e.Item]; old {
			continue
		}
		latest[e.Item] = true
		if !strings.HasPrefix(e.Content.URL, "https://other.example/blog/read/") {
			t.Errorf("%q leads to %s", e.Content.Title, e.Content.URL)
		}
	}
	if len(latest) != 5 {
		t.Errorf("%d items", len(latest))
	}
}

// hostile 71: nothing is reported twice of a feed with new guids and links at each fetch, and its health reports that.
func TestHostile71AFeedWithNewIdentifiersAtEveryFetch(t *testing.T) {
	fetch := func(f int) func(n int) (guid, link string) {
		return func(n int) (string, string) {
			return fmt.Sprintf("%x-%x", f*7919, n*31+f), fmt.Sprintf("https://news.example/?token=%x%x", n*17+f, f*31)
		}
	}
	said, last, entries := shownOf(t,
		feedState{fetch(1), 0, []int{3, 2, 1}},
		feedState{fetch(2), 0, []int{3, 2, 1}},
		feedState{fetch(3), 0, []int{5, 4, 3, 2}},
		feedState{fetch(4), 4, []int{5, 4, 3, 2}},
		feedState{fetch(5), 4, []int{6, 5, 4, 3}},
	)
	// An edited title under a new guid and link is a new item: nothing leads back to the old one.
	if got := strings.Join(said, " "); got != "nnn  nn n n" || len(entries) != 7 {
		t.Errorf("told %q, %d entries", got, len(entries))
	}
	if last.Error != source.ReissuedNote {
		t.Errorf("the check says %q", last.Error)
	}
}
