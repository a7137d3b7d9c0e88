package proxy

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"tidings"
)

// Withdrawn entries stay in feeds and say so, to readers that ask for all and to readers that ask for what is new.
// Other readers' copies are not confirmed as current. Once an entry is no longer withdrawn, it is as it was.
func TestWithdrawnEntriesSaySo(t *testing.T) {
	d := open(t)
	d.item(1, "True", tidings.New)
	d.item(2, "False", tidings.New)
	d.version(1, "0a1\n> tea 3\n")
	atom, jsonFeed, page := "/feed?url="+url.QueryEscape(feedChannel), "/feed.json?url="+url.QueryEscape(feedChannel),
		"/feed?url="+url.QueryEscape(pageChannel)
	r, before := d.get(atom)
	tag := r.Header.Get("ETag")
	if strings.Contains(before, "ithdrawn") {
		t.Error("something is withdrawn from the beginning")
	}
	w := &tidings.Withdrawal{Time: noon.Add(30 * time.Minute), Reason: "its <origin> does not show it",
		VouchedBy: []string{"91aa", "<b>"}}
	d.entries[1].Withdrawn, d.entries[2].Withdrawn = w, w

	r, after := d.get(atom, "If-None-Match", tag)
	var feed struct {
		Entries []struct {
			Title    string `xml:"title"`
			Updated  string `xml:"updated"`
			Content  string `xml:"content"`
			Category []struct {
				Term   string `xml:"term,attr"`
				Scheme string `xml:"scheme,attr"`
			} `xml:"category"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal([]byte(after), &feed); err != nil || r.StatusCode != http.StatusOK ||
		len(feed.Entries) != 2 {
		t.Fatalf("status %d, %v: %s", r.StatusCode, err, after)
	}
	e := feed.Entries[0]
	if e.Title != "Withdrawn: False" || e.Updated != "2026-03-01T12:30:00Z" || e.Category[0].Term != "withdrawn" ||
		e.Category[0].Scheme != withdrawnScheme ||
		!strings.Contains(e.Content, "its &lt;origin&gt; does not show it.") ||
		!strings.Contains(e.Content, "91aa, &lt;b&gt;") || !strings.Contains(e.Content, "<del><p>Text of False") {
		t.Errorf("%+v", e)
	}
	if other := feed.Entries[1]; other.Title != "True" || strings.Contains(other.Content, "ithdrawn") ||
		len(other.Category) != 1 {
		t.Errorf("%+v", other)
	}
	if r, delta := d.get(atom, "If-None-Match", tag, "A-IM", "feed"); r.StatusCode != http.StatusIMUsed ||
		strings.Count(delta, "<entry>") != 1 || !strings.Contains(delta, "Withdrawn: False") {
		t.Errorf("what is new: %d %s", r.StatusCode, delta)
	}
	var items struct {
		Items []struct {
			Title     string
			Withdrawn bool `json:"_tidings_withdrawn"`
		}
	}
	_, text := d.get(jsonFeed)
	if err := json.Unmarshal([]byte(text), &items); err != nil || len(items.Items) != 2 ||
		items.Items[0].Title != "Withdrawn: False" || !items.Items[0].Withdrawn || items.Items[1].Withdrawn {
		t.Errorf("%v: %s", err, text)
	}
	if _, text := d.get(page); !strings.Contains(text, "<title>Withdrawn: My prices: first version</title>") {
		t.Errorf("of a page: %s", text)
	}
	d.entries[1].Withdrawn = nil
	if _, again := d.get(atom); again != before {
		t.Errorf("when it is not withdrawn any more: %s", again)
	}
}

// For news systems a withdrawn item is withheld, whether or not it says of itself that it is news.
func TestWithdrawnNewsIsWithheld(t *testing.T) {
	f := newFake()
	f.item(1, "Ordinary", tidings.New)
	f.item(2, "News", tidings.New)
	own := &tidings.News{GUID: "g", Version: 3, Status: tidings.Usable, Urgency: 2}
	f.entries[1].Content.News = own
	for i := range f.entries {
		f.entries[i].Withdrawn = &tidings.Withdrawal{Time: noon, Reason: "false"}
	}
	channel, entries := f.channels[feedChannel], []tidings.Entry{f.entries[1], f.entries[0]}
	_, err := newDocument(channel, entries, "",
		"").renderNews(func(_ tidings.Channel, items []tidings.Item) ([]byte, error) {
		for i, want := range []tidings.News{
			{GUID: "g", Version: 3, Status: tidings.Withheld, Urgency: 2, Note: "Withdrawn: false"},
			{GUID: items[1].ID, Version: 1, Status: tidings.Withheld, Urgency: tidings.DefaultUrgency,
				Publisher: "A & B <blog>", Headline: "Withdrawn: Ordinary"},
		} {
			got := *items[i].News
			got.Created, got.Revised = time.Time{}, time.Time{}
			if got.GUID != want.GUID || got.Version != want.Version || got.Status != want.Status ||
				got.Urgency != want.Urgency || got.Note != want.Note || got.Headline != want.Headline ||
				got.Publisher != want.Publisher {
				t.Errorf("%+v, not %+v", got, want)
			}
		}
		return nil, nil
	})
	if err != nil || own.Status != tidings.Usable {
		t.Errorf("%v; the store's own item is %+v", err, own)
	}
}
