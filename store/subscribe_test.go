package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"tidings"
	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/reader"
)

// secondAccount adds an account beside the owner's.
func secondAccount(t testing.TB, s *Store) tidings.AccountID {
	t.Helper()
	if err := s.write(t.Context(), func(t *content.Tx) error {
		return db.Exec(t.Conn, `INSERT INTO account (id, name, password) VALUES (2, 'second', 'hash')`)
	}); err != nil {
		t.Fatal(err)
	}
	return 2
}

func TestSubscribeTwiceIsOnce(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	n := Subscription{URL: feedURL, Kind: tidings.KindFeed, Title: "T", Site: "https://example.org/",
		Privacy: tidings.Unlisted,
		Options: tidings.PageOptions{Select: []string{"#x"}}, Name: "mine", Folder: "news"}
	first, created, err := s.Subscribe(ctx, tidings.Owner, n)
	if err != nil || !created {
		t.Fatalf("%+v, %v, %v", first, created, err)
	}
	if first.Options.Select[0] != "#x" || first.Privacy != tidings.Unlisted || first.Label() != "mine" ||
		first.Site == "" || first.Since.IsZero() {
		t.Fatalf("%+v", first)
	}
	n.Name, n.Folder = "other", "other"
	again, created, err := s.Subscribe(ctx, tidings.Owner, n)
	if err != nil || created || again.Name != "mine" || again.Folder != "news" {
		t.Fatalf("%+v, %v, %v", again, created, err)
	}
	rename := func(account tidings.AccountID, name, folder string) error {
		return s.Change(ctx, account, feedURL,
			Change{ChannelChange: tidings.ChannelChange{Name: &name, Folder: &folder}})
	}
	if err := rename(tidings.Owner, "", "x/y"); err != nil {
		t.Fatal(err)
	}
	if f, err := s.Channel(ctx, tidings.Owner, feedURL); err != nil || f.Label() != "T" || f.Folder != "x/y" {
		t.Fatalf("%+v, %v", f, err)
	}
	// A path is read in the one way of writing it, and a slash in a name divides nothing.
	for written, want := range map[string]string{
		"/x//y/":      "x/y",
		" x / AC/DC ": "x/AC/DC",
		"x/AC%2FDC":   "x/AC%2FDC",
		"100%25/y":    "100%/y",
	} {
		if err := rename(tidings.Owner, "", written); err != nil {
			t.Fatal(err)
		}
		f, err := s.Channel(ctx, tidings.Owner, feedURL)
		if err != nil || f.Folder != want {
			t.Errorf("%q is read as %q, %v", written, f.Folder, err)
		}
	}
	mustErr(t, rename(2, "", ""), tidings.ErrNotFollowed)
	mustErr(t, rename(tidings.Owner, strings.Repeat("x", reader.MaxName+1), ""), tidings.ErrInvalid)
}

func TestSubscribeRefusesBadAddresses(t *testing.T) {
	s := newStore(t)
	for _, url := range []string{"", "x", "https://user:secret@example.org/", "https://example.org/" +
		strings.Repeat("x", 8<<10), "https://exa mple/%zz"} {
		_, _, err := s.Subscribe(t.Context(), tidings.Owner, Subscription{URL: url, Privacy: tidings.Public})
		mustErr(t, err, tidings.ErrInvalid)
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("error %q shows a password", err)
		}
	}
}

func TestSubscribeAllReportsEach(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	var all []Subscription
	for i := range 2*subscribesAtOne + 5 {
		all = append(all, Subscription{URL: channelURL(i), Privacy: tidings.Public})
	}
	all[3].URL = "https://user:secret@example.org/"
	all[subscribesAtOne+1].URL = channelURL(0)
	errs, err := s.SubscribeAll(t.Context(), tidings.Owner, all)
	if err != nil {
		t.Fatal(err)
	}
	for i, err := range errs {
		if (err != nil) != (i == 3) {
			t.Errorf("subscription %d: %v", i, err)
		}
	}
	if strings.Contains(errs[3].Error(), "secret") {
		t.Errorf("error %q shows a password", errs[3])
	}
	followed, err := s.Channels(t.Context(), tidings.Owner)
	if err != nil || len(followed) != len(all)-2 {
		t.Errorf("%d channels, %v", len(followed), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	errs, err = s.SubscribeAll(ctx, tidings.Owner, all[:1])
	mustErr(t, err, context.Canceled)
	mustErr(t, errs[0], context.Canceled)
}

func TestResubscribingFindsEverythingAgain(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"b", "x"}, story{"a", "y"})
	before := river(t, s, tidings.EntryQuery{})
	if err := s.Reader.Star(ctx, tidings.Owner, before[0].Item, true); err != nil {
		t.Fatal(err)
	}
	if last, err := s.Unsubscribe(ctx, tidings.Owner, feedURL); err != nil || !last {
		t.Fatal(last, err)
	}
	_, err := s.Unsubscribe(ctx, tidings.Owner, feedURL)
	mustErr(t, err, tidings.ErrNotFollowed)
	for what, err := range map[string]error{
		"entry":  func() error { _, err := s.Reader.Entry(ctx, tidings.Owner, before[0].ID); return err }(),
		"raw":    func() error { _, err := s.rawText(ctx, tidings.Owner, before[0].ID); return err }(),
		"update": func() error { _, err := s.Reader.Update(ctx, tidings.Owner, 1); return err }(),
		"star":   s.Reader.Star(ctx, tidings.Owner, before[0].Item, false),
	} {
		if !errors.Is(err, tidings.ErrNotFound) {
			t.Errorf("%s of a channel that is not followed: %v", what, err)
		}
	}
	if _, err := s.Content.Watch(ctx, feedURL); !errors.Is(err, tidings.ErrNotFollowed) {
		t.Errorf("it is still watched: %v", err)
	}
	if watches, err := s.Content.Watches(ctx); err != nil || len(watches) != 0 {
		t.Errorf("watches: %v, %v", watches, err)
	}
	_, err = apply(ctx, s, &Record{Record: content.Record{URL: feedURL, Change: changeOf(nil, story{"c", "late"})}})
	mustErr(t, err, tidings.ErrNotFollowed)

	if f := follow(t, s, feedURL); f.Unread != 2 || f.Version != 1 {
		t.Fatalf("%+v", f)
	}
	after := river(t, s, tidings.EntryQuery{})
	if len(after) != 2 || after[0].ID != before[0].ID || !after[0].Starred || after[0].Read {
		t.Errorf("after resubscribing: %+v", after)
	}
	if u := publish(t, s, feedURL, story{"b", "x"}, story{"a", "y"}); u != nil {
		t.Errorf("what is known came again: %+v", u)
	}
}

func TestCredentialsAreKeptApart(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	second := secondAccount(t, s)
	n := Subscription{URL: feedURL, Privacy: tidings.Credentialed,
		Access: tidings.Access{User: "u", Password: "secret"}}
	subscribe := func(account tidings.AccountID, user, password string) error {
		n.Access = tidings.Access{User: user, Password: password}
		_, _, err := s.Subscribe(ctx, account, n)
		return err
	}
	if err := subscribe(tidings.Owner, "u", "secret"); err != nil {
		t.Fatal(err)
	}
	w, err := s.Content.Watch(ctx, feedURL)
	if err != nil || w.Access.User != "u" || w.Access.Password != "secret" || w.Followers != 1 {
		t.Fatalf("watch: %q %d, %v", w.Access.User, w.Followers, err)
	}
	if f, err := s.Channel(ctx, tidings.Owner, feedURL); err != nil ||
		strings.Contains(fmt.Sprintf("%+v", f), "secret") {
		t.Errorf("the channel shows the password, %v", err)
	}
	mustErr(t, subscribe(second, "", ""), tidings.ErrUnauthorized)
	mustErr(t, subscribe(second, "u", "wrong"), tidings.ErrUnauthorized)
	mustErr(t, subscribe(second, "u\x00secret", ""), tidings.ErrUnauthorized)
	if err := subscribe(second, "u", "secret"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Unsubscribe(ctx, tidings.Owner, feedURL); err != nil {
		t.Fatal(err)
	}
	mustErr(t, subscribe(tidings.Owner, "u", "changed"), tidings.ErrUnauthorized)
	if last, err := s.Unsubscribe(ctx, second, feedURL); err != nil || !last {
		t.Fatal(last, err)
	}
	mustErr(t, subscribe(second, "", ""), tidings.ErrUnauthorized)
	if err := subscribe(tidings.Owner, "u", "changed"); err != nil {
		t.Fatal(err)
	}
	if w, err := s.Content.Watch(ctx, feedURL); err != nil || w.Access.Password != "changed" {
		t.Errorf("the new password is not stored: %v", err)
	}
}

// hostile 54: many writers. 100,000 concurrent inserts (a tenth of the row's 10^6, to
// spare the time; 2,000 with -short): every one is there, none failed.
func TestManyWritersLoseNothing(t *testing.T) {
	t.Parallel()
	const writers = 50
	each, some := 2000, 100
	if testing.Short() {
		each, some = 40, 20
	}
	s := newStore(t)
	var wg sync.WaitGroup
	for w := range writers {
		follow(t, s, channelURL(w))
	}
	for w := range writers {
		wg.Go(func() {
			for n := 0; n < each; n += some {
				f := &tidings.Change{Kind: tidings.KindFeed, KnownUpTo: everything}
				for i := n; i < n+some; i++ {
					id := fmt.Sprint(i)
					f.Items = append(f.Items,
						tidings.FoundItem{Item: tidings.Item{ID: id, Title: id, Change: tidings.New},
							Mark: markOf(id, "")})
				}
				if _, err := apply(context.Background(), s,
					&Record{Record: content.Record{URL: channelURL(w), Change: f}}); err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
			}
		})
	}
	wg.Wait()
	stats, err := s.Stats(t.Context())
	if err != nil || stats.Items != int64(writers*each) || stats.Channels != writers {
		t.Errorf("stats: %+v, %v; want %d items", stats, err, writers*each)
	}
	for w := range writers {
		f, err := s.Channel(t.Context(), tidings.Owner, channelURL(w))
		if err != nil || f.Unread != each {
			t.Errorf("writer %d: %d unread, want %d (%v)", w, f.Unread, each, err)
		}
	}
}

// A channel that was public is so no more once its first follower wants it for itself.
func TestWhoFollowsAGuestForItselfIsAlone(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := t.Context()
	second := secondAccount(t, s)
	for i, step := range []struct {
		account       tidings.AccountID
		wanted, after tidings.Privacy
		leaves        bool
	}{
		{tidings.Owner, tidings.Unlisted, tidings.Unlisted, false},
		{second, tidings.Public, tidings.Unlisted, false},       // somebody follows it already
		{second, tidings.Credentialed, tidings.Unlisted, false}, // again
		{second, "", "", true},
		{tidings.Owner, "", "", true},
		{tidings.Owner, tidings.Public, tidings.Unlisted, true}, // as it was
		{tidings.Owner, tidings.Credentialed, tidings.Credentialed, true},
		{tidings.Owner, tidings.Unlisted, tidings.Credentialed, true},
	} {
		if i == 0 {
			if err := s.Content.AddRelayed(ctx, guestURL); err != nil {
				t.Fatal(err)
			}
		}
		if step.wanted != "" {
			results, err := s.SubscribeAll(ctx, step.account, []Subscription{{URL: guestURL, Privacy: step.wanted}})
			if err != nil || results[0] != nil {
				t.Fatal(results, err)
			}
			f, err := s.Channel(ctx, step.account, guestURL)
			if err != nil || f.Privacy != step.after {
				t.Errorf("step %d: %s, want %s: %v", i, f.Privacy, step.after, err)
			}
		}
		if step.leaves {
			if _, err := s.Unsubscribe(ctx, step.account, guestURL); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Channels are listed by folder, then by their label, in small letters; channels of one label by URL. Those without a
// folder come first.
func TestChannelsAreInOrder(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	want := []Subscription{
		{URL: "https://z.example/", Name: "alpha"},
		{URL: "https://b.example/", Name: "Beta"},
		{URL: "https://a.example/", Name: "gamma"},
		{URL: "https://c.example/", Name: "gamma"},
		{URL: "https://x.example/", Folder: "Art"},
		{URL: "https://y.example/", Name: "zeta", Folder: "art"},
		{URL: "https://d.example/", Name: "alpha", Folder: "Books"},
		{URL: "https://e.example/", Name: "Omega", Folder: "books"},
	}
	for _, i := range []int{5, 2, 7, 0, 3, 6, 1, 4} {
		n := want[i]
		n.Privacy = tidings.Public
		if _, _, err := s.Subscribe(t.Context(), tidings.Owner, n); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.Channels(t.Context(), tidings.Owner)
	if err != nil || len(all) != len(want) {
		t.Fatalf("%+v, %v", all, err)
	}
	for i, f := range all {
		if f.URL != want[i].URL {
			t.Errorf("place %d has %s, not %s", i, f.URL, want[i].URL)
		}
	}
}
