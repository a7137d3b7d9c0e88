package node

import (
	"maps"
	"slices"
	"testing"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/desktop"
	"tidings/lab/origin"
)

// readHere is a whole node with one feed, and what its owner has read and starred there.
type readHere struct {
	t      *testing.T
	node   *Node
	client *api.Client
	origin *origin.Origin
	url    string // of the feed
	token  string
}

func newReadHere(t *testing.T) *readHere {
	t.Helper()
	o, base := startOrigin(t)
	if err := o.AddFeed("feed", origin.MakeFeed(9, 3, 2000), origin.Options{}); err != nil {
		t.Fatal(err)
	}
	n, client := startNode(t)
	if _, err := client.Subscribe(t.Context(), tidings.SubscribeRequest{URL: base + "feed"}); err != nil {
		t.Fatal(err)
	}
	token, err := client.NewToken(t.Context(), tidings.Token{Label: "desktop"})
	if err != nil {
		t.Fatal(err)
	}
	return &readHere{t, n, client, o, base + "feed", token}
}

// entries returns the node's items by title.
func (h *readHere) entries() map[string]tidings.Entry {
	h.t.Helper()
	list, err := h.client.Entries(h.t.Context(), tidings.EntryQuery{})
	if err != nil {
		h.t.Fatal(err)
	}
	all := make(map[string]tidings.Entry)
	for _, e := range list {
		all[e.Content.Title] = e
	}
	return all
}

// is reports whether items of the node are read and starred so.
func (h *readHere) is(title string, read, starred bool) func() bool {
	return func() bool {
		h.t.Helper()
		e := h.entries()[title]
		return e.Read == read && e.Starred == starred
	}
}

func (h *readHere) mark(title string, read, starred bool) {
	h.t.Helper()
	item := h.entries()[title].Item
	if err := h.client.MarkRead(h.t.Context(), []int64{item}, read); err != nil {
		h.t.Fatal(err)
	}
	if err := h.client.Star(h.t.Context(), item, starred); err != nil {
		h.t.Fatal(err)
	}
}

// arrives has one more item arrive.
func (h *readHere) arrives() {
	h.t.Helper()
	if _, err := h.origin.Step("feed"); err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.client.Poll(h.t.Context(), h.url); err != nil {
		h.t.Fatal(err)
	}
}

// An unmodified liferea has what a whole node has, and each star. What is read and starred there is so here.
//
// What is read here it never learns: liferea 1.14 looks for a spelling of the state that no server writes.
func TestLifereaKeepsInStepWithANode(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a program with a window")
	}
	t.Parallel()
	h := newReadHere(t)
	app := desktop.StartLiferea(t, h.node.URL()+"/api/greader.php", "owner", h.token)
	await(t, "liferea has three items", func() bool { return len(app.Items()) == 3 })
	titles := slices.Sorted(maps.Keys(app.Items()))
	if here := slices.Sorted(maps.Keys(h.entries())); !slices.Equal(titles, here) {
		t.Fatalf("liferea has %q, the node has %q", titles, here)
	}
	a, b, c := titles[0], titles[1], titles[2]
	items := app.Items()
	app.ToggleRead(items[a])
	app.ToggleStar(items[b])
	await(t, "read in liferea, so here", h.is(a, true, false))
	await(t, "starred in liferea, so here", h.is(b, false, true))
	app.ToggleRead(items[a])
	await(t, "unread in liferea, so here", h.is(a, false, false))

	h.mark(c, false, true)
	h.arrives()
	app.Refresh()
	await(t, "liferea has what is new", func() bool { return len(app.Items()) == 4 })
	await(t, "starred here, so in liferea", func() bool { return app.Items()[c].Starred })
	if !app.Items()[b].Starred {
		t.Errorf("liferea has lost the star of %q", b)
	}
	app.ToggleStar(items[b])
	await(t, "not starred in liferea, so here", h.is(b, false, false))
	h.mark(c, false, false)
	app.Refresh() // the list of feeds is the same as before
	await(t, "not starred here, so in liferea", func() bool { return !app.Items()[c].Starred })
	if !h.is(a, false, false)() || !h.is(c, false, false)() {
		t.Errorf("liferea has marked what nobody has: %+v", h.entries())
	}
}

// An unmodified RSS Guard has what a whole node has, read and starred as here. What is marked there is so here.
func TestRSSGuardKeepsInStepWithANode(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a program with a window, five times")
	}
	t.Parallel()
	h := newReadHere(t)
	app := desktop.NewRSSGuard(t, h.node.URL(), "owner", h.token)
	titles := slices.Sorted(maps.Keys(h.entries()))
	a, b, c := titles[0], titles[1], titles[2]
	h.mark(a, true, false)
	h.mark(b, true, true)
	stop := app.Run()
	await(t, "RSS Guard has three items", func() bool { return len(app.Items()) == 3 })
	stop()
	items := app.Items()
	for title, want := range map[string]desktop.Item{a: {Read: true}, b: {Read: true, Starred: true}, c: {}} {
		if got := items[title]; got.Read != want.Read || got.Starred != want.Starred {
			t.Errorf("RSS Guard has %q as %+v", title, got)
		}
	}
	app.Mark(desktop.Marks{Read: []desktop.Item{items[c]}, Unread: []desktop.Item{items[a]},
		Starred: []desktop.Item{items[a], items[c]}, Unstarred: []desktop.Item{items[b]}})
	h.arrives()
	stop = app.Run()
	await(t, "marked in RSS Guard, so here", func() bool {
		return h.is(a, false, true)() && h.is(b, true, false)() && h.is(c, true, true)()
	})
	await(t, "RSS Guard has what is new, and what it has marked", func() bool {
		now := app.Items()
		return len(now) == 4 && now[a] == desktop.Item{ID: items[a].ID, Starred: true} &&
			now[b] == desktop.Item{ID: items[b].ID, Read: true} &&
			now[c] == desktop.Item{ID: items[c].ID, Read: true, Starred: true}
	})
	stop()
	h.mark(a, true, false)
	h.mark(c, false, false)
	stop = app.Run()
	await(t, "marked here, so in RSS Guard", func() bool {
		now := app.Items()
		return now[a] == desktop.Item{ID: items[a].ID, Read: true} && now[c] == desktop.Item{ID: items[c].ID}
	})
	stop()
	if !h.is(a, true, false)() || !h.is(b, true, false)() || !h.is(c, false, false)() {
		t.Errorf("RSS Guard has marked what nobody has: %+v", h.entries())
	}
}
