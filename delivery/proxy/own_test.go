package proxy

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/memory"
	"tidings/delivery/sync"
)

// ownFake is a store and a gate of own feeds: a secret is what the feed is of.
type ownFake struct {
	*fakeStore
	feeds map[string]tidings.FeedAddress
	asked []tidings.EntryQuery
	fail  error
}

func (o *ownFake) Entries(_ context.Context, _ tidings.AccountID, q tidings.EntryQuery) ([]tidings.Entry, error) {
	o.asked = append(o.asked, q)
	all := slices.Clone(o.entries)
	slices.Reverse(all)
	return all[:min(len(all), q.Limit)], o.fail
}

func (o *ownFake) HasFolder(context.Context, tidings.AccountID, string) (bool, error) {
	return true, nil
}

func (o *ownFake) Feed(_ context.Context, secret string) (tidings.AccountID, tidings.FeedAddress, error) {
	f, ok := o.feeds[secret]
	if !ok {
		return 0, f, sync.ErrWrong
	}
	return tidings.Owner, f, nil
}

func openOwn(t *testing.T) (o *ownFake, get func(path string, header ...string) *httptest.ResponseRecorder) {
	t.Helper()
	o = &ownFake{fakeStore: newFake(), feeds: map[string]tidings.FeedAddress{
		"river":  {Selection: tidings.SelectRiver, Created: noon},
		"folder": {Selection: tidings.SelectFolder, Of: "a/b", Created: noon},
		"unread": {Selection: tidings.SelectUnread}, "starred": {Selection: tidings.SelectStarred},
		"search": {Selection: tidings.SelectSearch, Of: "a b&c"},
	}}
	h := NewOwn(Config{
		BaseURL: func(*http.Request) string { return "http://node.example" },
		Clock:   func() time.Time { return noon.Add(time.Hour) },
		Logger:  slog.New(slog.DiscardHandler),
	}, o, o)
	return o, func(path string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", OwnBase+path, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
}

// A feed of several channels shows each entry as its channel's feed does: pages by version, edits as updates, what is
// withdrawn as withdrawn, files at their origins.
func TestOwnFeedShowsWhatTheChannelsFeedsShow(t *testing.T) {
	o, get := openOwn(t)
	o.item(1, "one", tidings.New)
	o.version(1, "0a1\n> tea\n")
	o.item(2, "two", tidings.New)
	o.version(2, "1c1\n< tea\n---\n> milk\n")
	o.item(1, "one, corrected", tidings.Changed)
	for i := range o.entries {
		o.entries[i].Label = cmp.Or(o.channels[o.entries[i].Channel].Label(), "x")
	}
	o.entries[2].Withdrawn = &tidings.Withdrawal{Reason: "it was <false>", Time: noon}
	o.entries[4].Content.Enclosures[0].Copy = &tidings.Copy{State: tidings.CopyHere, Path: "/files/x/y"}
	body := get("river.atom").Body.String()
	f := parseAtom(t, body)
	want := []string{"one, corrected", "My prices: 1 line added, 1 removed", "Withdrawn: two",
		"My prices: first version"}
	if got := titles(f); !slices.Equal(got, want) {
		t.Fatalf("titles %q, want %q", got, want)
	}
	ids := make([]string, len(f.Entries))
	for i, e := range f.Entries {
		ids[i] = e.ID
	}
	if want := []string{entryID(feedChannel, "item", 1), entryID(pageChannel, "version", 2),
		entryID(feedChannel, "item", 2), entryID(pageChannel, "version", 1)}; !slices.Equal(ids, want) {
		t.Errorf("IDs %q, want %q", ids, want)
	}
	if want := date(o.entries[4].Received); f.Entries[0].Updated != want {
		t.Errorf("an edit is of %s, want %s", f.Entries[0].Updated, want)
	}
	if strings.Contains(body, "/files/x/y") || !strings.Contains(body, "https://blog.example/a.mp3") {
		t.Error("a file is named at this node, which wants to know the reader")
	}
	if !strings.Contains(f.Entries[2].Content, "it was &lt;false&gt;") || !strings.Contains(body, `term="withdrawn"`) {
		t.Errorf("what is withdrawn is shown as %s", f.Entries[2].Content)
	}
	if strings.Count(body, "<source>") != 4 || !strings.Contains(body, "<title>A &amp; B &lt;blog&gt;</title>") {
		t.Errorf("sources: %s", body)
	}
	if other := parseAtom(t, get("folder.atom").Body.String()); other.ID == f.ID || f.ID == "" {
		t.Errorf("two feeds have the ID %s", f.ID)
	}
}

// A feed holds the newest 100 items, and asks the store for no more.
func TestOwnFeedIsBounded(t *testing.T) {
	o, get := openOwn(t)
	for i := range int64(300) {
		o.item(i+1, "x", tidings.New)
	}
	for secret, want := range map[string]tidings.EntryQuery{
		"river": {}, "folder": {Folder: "a/b"}, "unread": {Unread: true}, "starred": {Starred: true},
		"search": {Search: "a b&c"},
	} {
		o.asked = nil
		f := parseAtom(t, get(secret+".atom").Body.String())
		want.Limit = maxOwnItems
		if len(f.Entries) != maxOwnItems || f.Entries[0].ID != entryID(feedChannel, "item", 300) ||
			!slices.Equal(o.asked, []tidings.EntryQuery{want}) {
			t.Errorf("%s: %d entries, the first %v; asked %+v", secret, len(f.Entries), f.Entries[:1], o.asked)
		}
		home := map[string]string{"river": "/", "folder": "/?folder=a%2Fb", "unread": "/?show=unread",
			"starred": "/?show=starred", "search": "/search?q=a+b%26c"}
		if want := (parsedLink{"alternate", "http://node.example" + home[secret]}); !slices.Contains(f.Links, want) {
			t.Errorf("%s: links %v", secret, f.Links)
		}
	}
}

// Trouble is answered without a word about the secret. Where memory is short a reader learns when to come again.
func TestOwnFeedInTrouble(t *testing.T) {
	o, get := openOwn(t)
	for _, c := range []struct {
		err    error
		status int
	}{{errors.New("the disk fails"), 503}, {memory.ErrFull, 503}, {tidings.ErrNotFollowed, 200}} {
		o.fail = c.err
		w := get("river.json")
		if w.Code != c.status || c.status == 503 && (w.Header().Get("Retry-After") == "" ||
			strings.Contains(w.Body.String(), "river") || w.Header().Get("ETag") != "") {
			t.Errorf("%v: %d %v %s", c.err, w.Code, w.Header(), w.Body)
		}
	}
}
