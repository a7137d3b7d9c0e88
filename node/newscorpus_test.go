package node

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/cost"
	"tidings/lab/dataset"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source/feed"
	"tidings/source/news"
	"tidings/source/query"
)

// place is how a refusal names the wrong place of a document: by a line, or by the document as a whole.
var place = regexp.MustCompile(`line \d+, column \d+|document: |(NITF|NewsML-G2|ninjs)(, [^:]+)?: `)

// Every recorded document of news agencies goes the whole way, once published, once watched. Its own properties are
// found by a query, and are the same at all interfaces. For a wrong document, the place is reported.
func TestEveryRecordedDocumentGoesTheWholeWay(t *testing.T) {
	t.Parallel()
	if cost.RaceDetector() {
		t.Skip("sends documents through a node, one after the other")
	}
	dataset.NeedDir(t)
	data, err := dataset.Dir()
	if err != nil {
		t.Fatal(err)
	}
	docs, err := zip.OpenReader(filepath.Join(data, "news", "news.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	w := &wire{t: t, agency: newAgency(t), node: newRestartable(t)}
	mustKey(t, w.node, "agency")
	readable, refused := 0, 0
	for i, f := range docs.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err = errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		if f.FileInfo().IsDir() {
			continue
		}
		d, wrong := news.Parse(body, "", news.Default())
		if wrong != nil {
			refused++
			w.refuses(f.Name, body, wrong)
			continue
		}
		readable++
		items := d.Feed(feed.Default())
		w.publishes(f.Name, fmt.Sprintf("https://wire.example/%d", i), body, items)
		if news.Sniff(body, "") == news.Unknown { // tests of schemas are too short to recognize
			if !strings.Contains(f.Name, "/test_suite/") {
				t.Errorf("%s is not seen to be news", f.Name)
			}
			continue
		}
		w.watches(f.Name, fmt.Sprintf("%s/%d", w.agency.URL, i), body, items)
	}
	if readable < 240 || refused < 30 {
		t.Errorf("%d documents were read and %d refused: that is not the collection", readable, refused)
	}
}

// wire is a node that publishes and watches news.
type wire struct {
	t      *testing.T
	agency *agency
	node   *restartable
}

// refuses checks that a wrong document is refused everywhere, and with which words.
func (w *wire) refuses(name string, body []byte, wrong error) {
	w.t.Helper()
	_, err := w.node.client.PublishDocument(w.t.Context(), "https://wire.example/wrong", "", body)
	var told *api.Error
	if !errors.As(err, &told) || told.Status != http.StatusBadRequest || !place.MatchString(err.Error()) {
		w.t.Errorf("%s, which is wrong (%v), was published: %v", name, wrong, err)
	}
}

// publishes publishes a document, and opens what its readers are sent. One that has an item with nothing to show is
// refused.
func (w *wire) publishes(name, channel string, body []byte, want *feed.Document) {
	w.t.Helper()
	issued, err := w.node.client.PublishDocument(w.t.Context(), channel, "", body)
	if wrong := news.Complete(want); wrong != nil {
		var told *api.Error
		if !errors.As(err, &told) || told.Status != http.StatusBadRequest ||
			!strings.Contains(err.Error(), "neither a headline nor content") {
			w.t.Errorf("%s, which has nothing to show (%v), was published: %v", name, wrong, err)
		}
		return
	}
	if err != nil || len(issued.Items) != len(want.Items) {
		w.t.Errorf("%s: published %d items of %d: %v", name, len(issued.Items), len(want.Items), err)
		return
	}
	signed, err := w.node.store.Published.ItemsOf(w.t.Context(), channel, issued.Publication.Key, 0, 1000)
	if err != nil || len(signed) != len(want.Items) {
		w.t.Fatalf("%s: %d signed items, %v", name, len(signed), err)
	}
	for _, s := range signed {
		item := new(feedtree.Item)
		if err := item.UnmarshalBinary(s.Signed); err != nil {
			w.t.Fatal(err)
		}
		if err := item.Verify(engine.ID(s.Topic), time.Now(), time.Minute); err != nil {
			w.t.Errorf("%s: %v", name, err)
		}
		got := opened(w.t, item).Item
		at := slices.IndexFunc(want.Items, func(i feed.Item) bool { return i.ID == got.ID })
		if at < 0 || !alike(got.News, want.Items[at].News) {
			w.t.Errorf("%s: readers are sent %+v", name, got)
			continue
		}
		w.isFound(name, channel, got)
	}
}

// isFound checks that an item carries the topics of queries that match it, and no others match it.
func (w *wire) isFound(name, channel string, item tidings.Item) {
	w.t.Helper()
	n := news.Of(channel, "", item)
	asked := query.NewItem(n, "")
	topics := news.Topics(n)
	conditions := []string{"publisher = " + quote(n.Publisher), "urgency = " + fmt.Sprint(n.Urgency),
		"status = " + quote(string(n.Status))}
	for _, s := range n.Subjects {
		if s.Code != "" {
			conditions = append(conditions, "subject = "+quote(s.Code))
		} else {
			conditions = append(conditions, "subject = "+quote(s.Name))
		}
	}
	for _, c := range conditions {
		if strings.HasSuffix(c, "''") {
			continue // it has none
		}
		q, err := query.Parse(c)
		if err != nil {
			w.t.Errorf("%s: %s: %v", name, c, err)
			continue
		}
		if !q.Matches(asked) ||
			!slices.ContainsFunc(q.Topics(), func(topic string) bool { return slices.Contains(topics, topic) }) &&
				len(topics) < news.MaxTopics {
			w.t.Errorf("%s: %s does not find it by %q", name, c, topics)
		}
		if no, err := query.Parse("NOT (" + c + ")"); err != nil || no.Matches(asked) {
			w.t.Errorf("%s: NOT (%s) finds it, %v", name, c, err)
		}
	}
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func alike(a, b *tidings.News) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// watches subscribes to an address at which a document is, and asks all interfaces for it.
func (w *wire) watches(name, channel string, body []byte, want *feed.Document) {
	w.t.Helper()
	ctx := w.t.Context()
	w.agency.serve(string(body))
	if _, err := w.node.client.Subscribe(ctx, tidings.SubscribeRequest{URL: channel}); err != nil {
		w.t.Errorf("%s: %v", name, err)
		return
	}
	defer func() {
		if _, err := w.node.client.Unsubscribe(ctx, channel); err != nil {
			w.t.Errorf("%s: %v", name, err)
		}
	}()
	entries, err := w.node.client.Entries(ctx, tidings.EntryQuery{Channel: channel, Limit: 1000})
	if err != nil || len(entries) != len(want.Items) {
		w.t.Errorf("%s: %d entries of %d items: %v", name, len(entries), len(want.Items), err)
		return
	}
	of := "?url=" + url.QueryEscape(channel)
	atom, ninjs, newsML := w.page("/feed"+of), w.page("/news.json"+of), w.page("/news.xml"+of)
	asFeed, err := feed.Parse([]byte(atom), "", "", feed.Default())
	if err != nil {
		w.t.Errorf("%s: as Atom: %v", name, err)
		return
	}
	for _, e := range entries {
		n := e.Content.News
		at := slices.IndexFunc(want.Items, func(i feed.Item) bool { return i.ID == e.Content.ID })
		if at < 0 || !alike(n, want.Items[at].News) {
			w.t.Errorf("%s: at the API it is %+v", name, e.Content)
			continue
		}
		if !slices.ContainsFunc(asFeed.Items, func(i feed.Item) bool { return alike(i.News, n) }) {
			w.t.Errorf("%s: as Atom it has no item that says %+v of itself", name, n)
		}
		for _, text := range []string{ninjs, newsML} {
			d, err := news.Parse([]byte(text), "", news.Default())
			if err != nil || !slices.ContainsFunc(d.Items, func(i news.Item) bool {
				return i.News.GUID == n.GUID && i.News.Version == n.Version && i.News.Status == n.Status
			}) {
				w.t.Errorf("%s: for news programs it is %.300s, %v", name, text, err)
			}
		}
		shown := html.UnescapeString(w.page(fmt.Sprint("/entry/", e.ID)))
		for _, text := range []string{n.Publisher, n.Slugline} {
			if !strings.Contains(shown, text) {
				w.t.Errorf("%s: the page does not show %q", name, text)
			}
		}
	}
}

func (w *wire) page(path string) string {
	w.t.Helper()
	res, err := http.Get(w.node.URL() + path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: %s, %v", path, res.Status, err)
	}
	return string(b)
}
