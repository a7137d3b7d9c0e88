package phones_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"reflect"
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

// icons has icons of channels at paths, by the channels' URLs.
type icons map[string]string

func (i icons) Icon(c tidings.Channel) string { return i[c.URL] }

func (i icons) IconBytes(path string) ([]byte, error) {
	if path == "/icons/gone" {
		return nil, tidings.Invalidf("this icon is not kept any more")
	}
	return []byte("PNG of " + path), nil
}

// A feed has its channel's icon, if the person sees its pictures. Another icon has another number. People get no icons
// of feeds that they do not follow.
func TestIconsOfFeeds(t *testing.T) {
	const a, b, gone, none = "https://a.example/rss", "https://b.example/rss", "https://c.example/rss",
		"https://d.example/rss"
	n, ctx := open(t), t.Context()
	kept := icons{a: "/icons/1", b: "/icons/1", gone: "/icons/gone"}
	for _, address := range []string{a, b, gone, none} {
		subscribe(t, n, address, sync.Naming{})
	}
	list := func(p sync.Person) map[string]sync.Feed {
		t.Helper()
		feeds, err := n.Feeds(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		by := make(map[string]sync.Feed)
		for _, f := range feeds {
			by[f.URL] = f
		}
		return by
	}
	if f := list(synctest.Ann)[a]; f.Icon != 0 || f.IconPath != "" {
		t.Errorf("without icons there is %+v", f)
	}
	n.ShowIcons(kept, n.Store.Chosen)
	feeds := list(synctest.Ann)
	first := feeds[a].Icon
	if first <= 0 || first >= 1<<31 || feeds[b].Icon != first || feeds[a].IconPath != "/icons/1" ||
		feeds[gone].Icon == first || feeds[none].Icon != 0 {
		t.Errorf("feeds %+v", feeds)
	}
	if i, err := n.Icon(ctx, synctest.Ann, first); err != nil || i.Type != "image/png" ||
		string(i.Bytes) != "PNG of /icons/1" {
		t.Errorf("icon %d: %s %q, %v", first, i.Type, i.Bytes, err)
	}
	for name, ask := range map[string]struct {
		p    sync.Person
		icon int64
	}{"no icon": {synctest.Ann, 0}, "an unknown one": {synctest.Ann, first + 2},
		"one that has gone": {synctest.Ann, feeds[gone].Icon}, "somebody else's": {synctest.Ben, first}} {
		if _, err := n.Icon(ctx, ask.p, ask.icon); !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	kept[a] = "/icons/2"
	if again := list(synctest.Ann); again[a].Icon == first || again[b].Icon != first {
		t.Errorf("after another icon came: %+v", again)
	}
	if err := n.Store.Chosen.SetPreferences(ctx, synctest.Ann.ID, tidings.EveryView,
		map[tidings.Preference]string{tidings.PreferPictures: "off"}); err != nil {
		t.Fatal(err)
	}
	if again := list(synctest.Ann); again[a].Icon != 0 || again[a].IconPath != "" {
		t.Errorf("to a person who sees no pictures: %+v", again[a])
	}
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

// A feed for a folder that does not exist is not followed. One that is followed stays as it is.
func TestSubscribingAsksForWhatThereIs(t *testing.T) {
	n, ctx := open(t), t.Context()
	none, other := int64(99), "Other"
	if _, _, err := n.Subscribe(ctx, synctest.Ann, "https://a.example/rss", sync.Naming{Folder: &none}); !errors.Is(err,
		tidings.ErrNotFound) {
		t.Errorf("into no folder: %v", err)
	}
	if feeds, err := n.Feeds(ctx, synctest.Ann); err != nil || len(feeds) != 0 {
		t.Errorf("followed: %+v, %v", feeds, err)
	}
	first := subscribe(t, n, "https://a.example/rss", sync.Naming{})
	again, created, err := n.Subscribe(ctx, synctest.Ann, "https://a.example/rss", sync.Naming{Title: &other})
	if err != nil || created || !reflect.DeepEqual(again, first) {
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

// A feed says when it was checked last, also by a poll that could not read it. Before the first poll that is when the
// person began to follow it: clients show the time, and there is no year 1.
func TestFeedsSayWhenTheyWereChecked(t *testing.T) {
	n, ctx := open(t), t.Context()
	began := n.Now()
	f := subscribe(t, n, "https://a.example/rss", sync.Naming{})
	polls := func(health tidings.Health, failures int, poll tidings.Poll) {
		t.Helper()
		if _, err :=
			n.Store.Apply(ctx,
				&store.Record{Record: content.Record{URL: f.URL, Health: health, Failures: failures,
					Poll: poll}}); err != nil {
			t.Fatal(err)
		}
	}
	is := func(checked, updated time.Time, failures int) {
		t.Helper()
		feeds, err := n.Feeds(ctx, synctest.Ann)
		if err != nil || len(feeds) != 1 || !feeds[0].Checked.Equal(checked) || !feeds[0].LastUpdated.Equal(updated) ||
			feeds[0].Failures != failures {
			t.Errorf("checked at %v, updated at %v after %d failures is not %+v (%v)", checked, updated, failures,
				feeds, err)
		}
	}
	if !f.Checked.Equal(began) {
		t.Errorf("checked at %v, followed since %v", f.Checked, began)
	}
	n.Pass(time.Minute)
	is(began, time.Time{}, 0)
	polls(tidings.HealthFailing, 1, tidings.Poll{At: n.Now(), Status: 404, Error: "it answered 404"})
	is(n.Now(), time.Time{}, 1)
	n.Pass(time.Hour)
	polls(tidings.HealthGood, 0, tidings.Poll{At: n.Now(), Status: 200})
	is(n.Now(), n.Now(), 0)
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
	if _, _, err := n.Store.Subscribe(ctx, tidings.Owner,
		store.Subscription{URL: page, Kind: tidings.KindPage, Title: "A page", Privacy: tidings.Public}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []tidings.Change{
		{Lines: []string{"a"}, Delta: "0a1\n> a\n", Hash: hashOf("a")},
		{Lines: []string{"<b>"}, Delta: "1c1\n< a\n---\n> <b>\n", BaseHash: hashOf("a"), Hash: hashOf("<b>")},
	} {
		c.Kind, c.Found = tidings.KindPage, n.Now()
		if _, err :=
			n.Store.Apply(ctx,
				&store.Record{Record: content.Record{URL: page, Health: tidings.HealthGood, Change: &c}}); err != nil {
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
