package phones_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/sync"
	"tidings/delivery/sync/synctest"
	"tidings/node/phones/phonestest"
	"tidings/store"
	"tidings/store/content"
)

func open(t *testing.T) *phonestest.Node {
	t.Helper()
	n, err := phonestest.Open(t.TempDir(), synctest.SampleTime)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

func subscribe(t *testing.T, n *phonestest.Node, address string, naming sync.Naming) sync.Feed {
	t.Helper()
	f, created, err := n.Subscribe(t.Context(), synctest.Ann, address, naming)
	if err != nil || !created {
		t.Fatalf("subscribing to %s: %+v, created %v, %v", address, f, created, err)
	}
	return f
}

// What one person exports, another imports with its folders; a list of which nothing can be followed is refused.
func TestListsOfFeeds(t *testing.T) {
	n, ctx := open(t), t.Context()
	folder, err := n.AddFolder(ctx, synctest.Ann, "Q&A / C++")
	if err != nil {
		t.Fatal(err)
	}
	title := "Mine"
	subscribe(t, n, "https://a.example/rss", sync.Naming{Title: &title, Folder: &folder.ID})
	subscribe(t, n, "https://b.example/rss", sync.Naming{})
	list, err := n.Export(ctx, synctest.Ann)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Import(ctx, synctest.Ben, list); err != nil {
		t.Fatal(err)
	}
	again, err := n.Export(ctx, synctest.Ben)
	if err != nil || string(again) != string(list) {
		t.Errorf("exported\n%s\nand imported as\n%s\n%v", list, again, err)
	}
	folders, err := n.Folders(ctx, synctest.Ben)
	if err != nil || len(folders) != 2 || folders[1].Name != "Q&A / C++" || folders[1].ID == folder.ID {
		t.Errorf("folders %+v, %v", folders, err)
	}
	for _, bad := range []string{"no list", `<opml><body><outline xmlUrl="https://broken.example/"/></body></opml>`} {
		if err := n.Import(ctx, synctest.Ben, []byte(bad)); err == nil {
			t.Errorf("%q is imported", bad)
		}
	}
}

// A feed that is to be put into a folder that is not there is not followed; one that is followed stays as it is.
func TestSubscribingAsksForWhatThereIs(t *testing.T) {
	n, ctx := open(t), t.Context()
	none, other := int64(99), "Other"
	if _, _, err := n.Subscribe(ctx, synctest.Ann, "https://a.example/rss", sync.Naming{Folder: &none}); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("into no folder: %v", err)
	}
	if feeds, err := n.Feeds(ctx, synctest.Ann); err != nil || len(feeds) != 0 {
		t.Errorf("followed: %+v, %v", feeds, err)
	}
	first := subscribe(t, n, "https://a.example/rss", sync.Naming{})
	again, created, err := n.Subscribe(ctx, synctest.Ann, "https://a.example/rss", sync.Naming{Title: &other})
	if err != nil || created || again != first {
		t.Errorf("again: %+v, created %v, %v", again, created, err)
	}
	if err := n.Unsubscribe(ctx, synctest.Ben, first.ID); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("another person's feed: %v", err)
	}
	if _, err := n.Icon(ctx, synctest.Ann, 1); !errors.Is(err, tidings.ErrNotFound) {
		t.Errorf("an icon: %v", err)
	}
}

// A refresh asks for polls of the feeds that are meant, and not of those that were polled lately.
func TestRefresh(t *testing.T) {
	n, ctx := open(t), t.Context()
	a := subscribe(t, n, "https://a.example/rss", sync.Naming{})
	b := subscribe(t, n, "https://b.example/rss", sync.Naming{})
	if _, _, err := n.Subscribe(ctx, synctest.Ben, "https://c.example/rss", sync.Naming{}); err != nil {
		t.Fatal(err)
	}
	refresh := func(feeds []int64, want ...string) {
		t.Helper()
		n.Polls = nil
		err := n.Refresh(ctx, synctest.Ann, feeds)
		if slices.Sort(n.Polls); err != nil || !slices.Equal(n.Polls, want) {
			t.Errorf("a refresh of %v polls %q, not %q (%v)", feeds, n.Polls, want, err)
		}
	}
	refresh(nil, a.URL, b.URL)
	refresh([]int64{b.ID}, b.URL)
	n.Arrive(sync.Item{Feed: a.ID, Title: "One", URL: "https://a.example/1"}) // which a poll has found
	refresh(nil, b.URL)
	n.Pass(10 * time.Minute)
	refresh(nil, a.URL, b.URL)
	if err := n.Refresh(ctx, synctest.Ann, []int64{}); err == nil {
		t.Error("none are refreshed")
	}
}

// hashOf returns the hash of a page of one line.
func hashOf(line string) string {
	sum := sha256.Sum256([]byte(line + "\n"))
	return hex.EncodeToString(sum[:])
}

// A version of a page is shown by what changed, as text.
func TestPagesAreItems(t *testing.T) {
	n, ctx := open(t), t.Context()
	const page = "https://page.example/"
	if _, _, err := n.Store.Subscribe(ctx, tidings.Owner, store.Subscription{URL: page, Kind: tidings.KindPage, Title: "A page", Privacy: tidings.Public}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []tidings.Change{
		{Lines: []string{"a"}, Delta: "0a1\n> a\n", Hash: hashOf("a")},
		{Lines: []string{"<b>"}, Delta: "1c1\n< a\n---\n> <b>\n", BaseHash: hashOf("a"), Hash: hashOf("<b>")},
	} {
		c.Kind, c.Found = tidings.KindPage, n.Now()
		if _, err := n.Store.Apply(ctx, &store.Record{Record: content.Record{URL: page, Health: tidings.HealthGood, Change: &c}}); err != nil {
			t.Fatal(err)
		}
	}
	numbers, err := n.Numbers(ctx, synctest.Ann, sync.Query{Ascending: true})
	if err != nil || len(numbers) != 2 {
		t.Fatalf("numbers %v, %v", numbers, err)
	}
	items, err := n.ItemsOf(context.Background(), synctest.Ann, numbers)
	if err != nil || items[0].Title != "A page: first version" || items[1].Title != "A page: 1 line added, 1 removed" ||
		items[1].URL != page || !strings.Contains(items[1].HTML, "<ins>+ &lt;b&gt;</ins>") {
		t.Errorf("shown as %+v, %v", items, err)
	}
}
