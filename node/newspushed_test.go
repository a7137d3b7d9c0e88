package node

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/source/feed"
	"tidings/view"
)

// wireItem is an item of a feed with what it says of itself as a news item.
func wireItem(guid, text string, n tidings.News) string {
	n.GUID = guid
	return `<item><guid>` + guid + `</guid><title>H ` + text + `</title><description>` + text + `</description>` +
		`<news:item xmlns:news="` + feed.NewsSpace + `">` + html.EscapeString(string(feed.EncodeNews(&n))) +
		`</news:item></item>`
}

// What a publisher pushes of a news item, and what a poll finds in its feed, are the same. A push that withdraws an
// item removes it at readers that have it.
func TestPushedNewsIsWhatTheFeedSays(t *testing.T) {
	t.Parallel()
	w := pollTogether(t, 2, time.Hour)
	s := newSpeaker(t, "wire")
	s.url = w.base + "feed"
	due := time.Now().Add(10 * time.Second).UTC()
	one := wireItem("urn:one", "text1", tidings.News{Version: 1, Publisher: "Agency", Urgency: 2,
		Subjects: []tidings.Subject{{Code: "15000000", Scheme: "medtop", Name: "sport"}}})
	later := wireItem("urn:later", "text2", tidings.News{Version: 1, Publisher: "Agency", Embargo: due})
	kill := wireItem("urn:one", "text3", tidings.News{Version: 2, Publisher: "Agency", Status: tidings.Canceled})
	old := entry("old", "Old", "o")
	s.serve(w.origin, w.base, "feed", rssOf(s.announcement(), old), rssOf(s.announcement(), one, old),
		rssOf(s.announcement(), kill, later, old))
	s.joins(w.nodes[0])
	s.speaks()
	for i := range w.nodes {
		w.follow(i, s.url)
		w.awaitPush(i, s.url, tidings.PushGood)
	}
	s.publish(one, "")
	for i := range w.nodes {
		u := w.awaitItem(i, "urn:one")
		if n := u.Items[0].News; n == nil || n.Publisher != "Agency" || n.Urgency != 2 || len(n.Subjects) != 1 ||
			u.SignedBy == "" {
			t.Errorf("node %d was told %+v", i, u)
		}
	}
	w.step("feed")
	mustPoll(t, w.client(1), s.url)
	if n := w.timesShown(1, "urn:one"); n != 1 {
		t.Errorf("one version was told %d times", n)
	}

	s.publish(later, "")
	s.publish(kill, "")
	await(t, "the item is withdrawn", func() bool { return w.timesShown(1, "urn:one") == 2 })
	shown := everywhere(t, w.nodes[1].Node, w.client(1), s.url)
	if strings.Contains(shown, "text1") || strings.Contains(shown, "text3") ||
		strings.Contains(shown, "text2") && time.Now().Before(due) {
		t.Error("something is shown that is withdrawn, or under embargo")
	}
	u := w.awaitItem(1, "urn:later")
	if early := time.Until(due); early > 0 || u.Items[0].Change != tidings.New || u.SignedBy == "" {
		t.Errorf("an item under embargo was told %v before its time: %+v", early, u)
	}
	all := everywhere(t, w.nodes[1].Node, w.client(1), s.url)
	if strings.Contains(all, "text1") || strings.Contains(all, "text3") || !strings.Contains(all, "text2") ||
		!strings.Contains(all, "Withdrawn by Agency") {
		t.Error("what is withdrawn is shown, or what is not is not")
	}
	w.step("feed")
	mustPoll(t, w.client(1), s.url)
	if n := w.timesShown(1, "urn:one") + w.timesShown(1, "urn:later"); n != 3 {
		t.Errorf("three versions were told %d times", n)
	}
}

// A node publishes items under embargo when that ends, and not before. If no node would be running then, it reports
// that.
func TestEmbargoesHoldForPublishers(t *testing.T) {
	t.Parallel()
	author := newRestartable(t)
	key := mustKey(t, author, "me")
	reader := newReader(t, author, key.Fingerprint)
	file := filepath.Join(t.TempDir(), "item.json")
	due := time.Now().Add(10 * time.Second)
	embargoed := "[" + ninjsOf(1, "text1", fmt.Sprintf(`,"embargoedUntil":%q`, due.Format(time.RFC3339Nano))) + "," +
		strings.Replace(ninjsOf(1, "other", ""), "urn:agency:1", "urn:agency:2", 1) + "]"
	writeFile(t, file, embargoed)
	_, err := author.client.Publish(t.Context(), view.PublishOrder{Source: file, Channel: ownFeed})
	if (err == nil || !strings.Contains(err.Error(), "the item urn:agency:1 is under embargo until")) &&
		time.Now().Before(due) {
		t.Errorf("published: %v", err)
	}
	issued := mustPublishFeed(t, author, view.PublishOrder{Source: file, Watch: true})
	if (len(issued.Items) != 1 || issued.Items[0].ID != "urn:agency:2") && time.Now().Before(due) {
		t.Errorf("published %+v", issued.Items)
	}
	await(t, "both are published", func() bool {
		got := reader.got(t)
		return strings.Contains(got, "H other") && strings.Contains(got, "H text1")
	})
	if early := time.Until(due); early > 0 {
		t.Errorf("published %v before its time", early)
	}
}

// Nothing of a withdrawn item is sent, even if a file or page of it exists beside the feed.
func TestPublishersSendNothingOfWithdrawnItems(t *testing.T) {
	t.Parallel()
	author := newRestartable(t)
	mustKey(t, author, "me")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "urn-agency-1.html"), []byte("<p>SECRET</p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "item.json")
	writeFile(t, file, ninjsOf(2, "SECRET", `,"pubStatus":"withheld"`))
	issued := mustPublishFeed(t, author, view.PublishOrder{Source: file, FullContent: dir})
	signed, err := author.store.Published.ItemsOf(t.Context(), ownFeed, "me", 0, 10)
	if err != nil || len(signed) != 1 || len(issued.Items) != 1 || !issued.Announced {
		t.Fatalf("%+v, %d signed, %v", issued, len(signed), err)
	}
	if strings.Contains(string(signed[0].Signed), "SECRET") {
		t.Errorf("sent: %s", signed[0].Signed)
	}
}

// A document that is wrong is refused with its place, by file, by API, and as an entry.
func TestMalformedNewsIsNotPublished(t *testing.T) {
	t.Parallel()
	author := newRestartable(t)
	mustKey(t, author, "me")
	file := filepath.Join(t.TempDir(), "item.xml")
	const broken = "<nitf>\n<head><docdata></head></nitf>"
	writeFile(t, file, broken)
	ctx := t.Context()
	_, byFile := author.client.Publish(ctx, view.PublishOrder{Source: file, Channel: ownFeed})
	_, byAPI := author.client.PublishDocument(ctx, ownFeed, "", []byte(broken))
	for how, err := range map[string]error{"file": byFile, "API": byAPI} {
		if err == nil || !strings.Contains(err.Error(), "NITF, line 2, column") {
			t.Errorf("by %s: %v", how, err)
		}
	}
	for _, e := range []tidings.PublishedEntry{
		{ID: "1", Title: "T", News: &tidings.News{}},
		{ID: "1", Title: "T", News: &tidings.News{GUID: strings.Repeat("x", 3000)}},
	} {
		if _, err := author.client.PublishEntry(ctx, ownFeed, "", e); err == nil ||
			!strings.Contains(err.Error(), "it needs a guid") {
			t.Errorf("published: %v", err)
		}
	}
	if issued, err := author.client.PublishEntry(ctx, ownFeed, "",
		tidings.PublishedEntry{ID: "1", Title: "T", News: &tidings.News{GUID: "urn:1", Version: 2}}); err != nil ||
		len(issued.Items) != 1 {
		t.Errorf("%+v, %v", issued, err)
	}
}
