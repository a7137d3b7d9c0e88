package posted

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/source/feed"
	"tidings/store"
	"tidings/store/shared"
	"tidings/store/storetest"
	"tidings/view"
)

// whole is a store as the package sees it.
type whole struct{ *store.Store }

func (s whole) Secret(ctx context.Context, account tidings.AccountID) ([]byte, error) {
	return s.Reader.Secret(ctx, account)
}
func (s whole) Followed(ctx context.Context, kinds ...tidings.Kind) ([]string, error) {
	return s.Content.Followed(ctx, kinds...)
}
func (s whole) KnownLike(ctx context.Context, channel string,
	marks []tidings.ItemIdentity) ([]tidings.KnownItem, int64, error) {
	return s.Content.KnownLike(ctx, channel, marks)
}

func newPosts(t testing.TB) (*store.Store, *Posts) {
	s := storetest.New(t)
	return s, New(whole{s}, func(ctx context.Context, channel string, c *tidings.Change) error {
		_, err := s.Apply(ctx, store.Remote{Version: shared.Version{URL: channel}, Change: c})
		return err
	}, feed.Default(), "n1")
}

func order(items ...tidings.PublishedEntry) view.PostOrder {
	return view.PostOrder{Channel: "Backups", Items: items}
}

func titles(t testing.TB, s *store.Store, account tidings.AccountID) string {
	entries, err := s.Entries(t.Context(), account, tidings.EntryQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		if !e.Content.IsNotice() {
			all = append(all, e.Content.Title)
		}
	}
	return strings.Join(all, ", ")
}

// The first post makes a channel that its person follows, with the items unread. The same again changes nothing;
// another text under the same ID is a revision.
func TestItemsArePosted(t *testing.T) {
	s, p := newPosts(t)
	first, err := p.Post(t.Context(), tidings.Owner, order(
		tidings.PublishedEntry{ID: "1", Title: "Done", Text: "3 files"},
		tidings.PublishedEntry{Title: "Failed", HTML: "<p>no room</p>"}))
	if err != nil || first.New != 2 || first.Changed != 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	if got := titles(t, s, tidings.Owner); got != "Failed, Done" {
		t.Errorf("the newest first: %s", got)
	}
	f, err := s.Channel(t.Context(), tidings.Owner, first.Channel)
	if err != nil || f.Kind != tidings.KindPosted || f.Title != "Backups" || f.Privacy != tidings.Unlisted ||
		f.Unread != 2 {
		t.Errorf("the channel is %+v, %v", f, err)
	}
	again, err := p.Post(t.Context(), tidings.Owner,
		order(tidings.PublishedEntry{ID: "1", Title: "Done", Text: "3 files"},
			tidings.PublishedEntry{Title: "Failed", HTML: "<p>no room</p>"}))
	if err != nil || again.New != 0 || again.Changed != 0 || again.Channel != first.Channel {
		t.Errorf("the same again: %+v, %v", again, err)
	}
	changed, err := p.Post(t.Context(), tidings.Owner,
		order(tidings.PublishedEntry{ID: "1", Title: "Done", Text: "4 files"}))
	if err != nil || changed.New != 0 || changed.Changed != 1 {
		t.Errorf("another text: %+v, %v", changed, err)
	}
	twice, err := p.Post(t.Context(), tidings.Owner, order(tidings.PublishedEntry{ID: "2", Title: "Before"},
		tidings.PublishedEntry{ID: "2", Title: "After"}))
	if err != nil || twice.New != 1 || titles(t, s, tidings.Owner) != "After, Done, Failed, Done" {
		t.Errorf("one ID twice: %+v, %v: %s", twice, err, titles(t, s, tidings.Owner))
	}
	if updates, err := s.Reader.Updates(t.Context(), tidings.Owner,
		tidings.UpdateQuery{Channel: first.Channel}); err != nil || len(updates) != 3 || updates[0].FoundBy != "n1" {
		t.Errorf("updates: %+v, %v", updates, err)
	}
}

// Two people's channels of one name are two, and neither sees the other's.
func TestPostedChannelsAreTheirPersons(t *testing.T) {
	s, p := newPosts(t)
	if err := s.Reader.SetPasswordHash(t.Context(), tidings.Owner, "hash"); err != nil {
		t.Fatal(err)
	}
	ann, err := s.Reader.AddPerson(t.Context(), "ann", tidings.Reader, "hash")
	if err != nil {
		t.Fatal(err)
	}
	own, err := p.Post(t.Context(), tidings.Owner, order(tidings.PublishedEntry{Title: "The owner's"}))
	if err != nil {
		t.Fatal(err)
	}
	anns, err := p.Post(t.Context(), ann.ID, order(tidings.PublishedEntry{Title: "Ann's"}))
	if err != nil || anns.Channel == own.Channel {
		t.Fatalf("%+v, %v", anns, err)
	}
	if a, b := titles(t, s, tidings.Owner), titles(t, s, ann.ID); a != "The owner's" || b != "Ann's" {
		t.Errorf("the owner has %q, Ann %q", a, b)
	}
}

// What is posted at the same time is all stored, once.
func TestPostingAtOnce(t *testing.T) {
	s, p := newPosts(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for {
				_, err := p.Post(t.Context(), tidings.Owner,
					order(tidings.PublishedEntry{ID: fmt.Sprint(i), Title: "One"},
						tidings.PublishedEntry{ID: "both", Title: "Both"}))
				if errors.Is(err, tidings.ErrStale) {
					continue
				}
				if err != nil {
					t.Error(err)
				}
				return
			}
		})
	}
	all.Wait()
	if got := strings.Count(titles(t, s, tidings.Owner), ","); got != 8 {
		t.Errorf("%d items", got+1)
	}
}

// An order of which nothing can be stored is refused with what is wrong, and makes no channel.
func TestBadOrders(t *testing.T) {
	s, p := newPosts(t)
	for want, o := range map[string]view.PostOrder{
		"a name":                         {Items: []tidings.PublishedEntry{{Title: "x"}}},
		"1 to 100 items":                 {Channel: "x"},
		"1 to 100":                       {Channel: "x", Items: make([]tidings.PublishedEntry, 101)},
		"item 2: the entry says nothing": order(tidings.PublishedEntry{Title: "x"}, tidings.PublishedEntry{ID: "1"}),
		"html and text":                  order(tidings.PublishedEntry{HTML: "x", Text: "y"}),
		`"news"`:                         order(tidings.PublishedEntry{Title: "x", News: &tidings.News{}}),
		"control":                        {Channel: "a\nb", Items: []tidings.PublishedEntry{{Title: "x"}}},
		"1 to 100 bytes": {Channel: strings.Repeat("x", 101),
			Items: []tidings.PublishedEntry{{Title: "x"}}},
	} {
		if _, err := p.Post(t.Context(), tidings.Owner, o); !errors.Is(err, tidings.ErrInvalid) ||
			!strings.Contains(tidings.Reason(err), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	if all, err := s.Content.Followed(t.Context(), tidings.KindPosted); err != nil || len(all) != 0 {
		t.Errorf("%q, %v", all, err)
	}
}

// A target is notified of the first item, too: there is no list of before.
func TestTheFirstPostNotifies(t *testing.T) {
	s, p := newPosts(t)
	to, err := s.Outbox.AddTarget(t.Context(), tidings.Target{Account: tidings.Owner, Name: "phone", Kind: tidings.Ntfy,
		URL: "https://ntfy.example/x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Post(t.Context(), tidings.Owner,
		order(tidings.PublishedEntry{Title: "Done", Published: time.Now()})); err != nil {
		t.Fatal(err)
	}
	if j, err := s.Outbox.Next(t.Context(), to.ID); err != nil || j.Parts[0].Item.Title != "Done" {
		t.Errorf("next is %+v, %v", j, err)
	}
}
