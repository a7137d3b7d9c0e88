package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings"
	"tidings/store/db"
	"tidings/store/reader"
)

// itemsOf returns the numbers of the items of an account's river by their titles.
func itemsOf(t testing.TB, s *Store, account tidings.AccountID) map[string]int64 {
	t.Helper()
	entries, err := s.Entries(t.Context(), account, tidings.EntryQuery{Limit: tidings.MaxLimit})
	if err != nil {
		t.Fatal(err)
	}
	items := make(map[string]int64)
	for _, e := range entries {
		items[e.Content.Title[len("Story "):]] = e.Item
	}
	return items
}

// waysToRead are all ways in which a person marks items read, of those that the store has.
var waysToRead = map[string]func(t testing.TB, s *Store, account tidings.AccountID, items ...int64) error{
	"one by one": func(t testing.TB, s *Store, account tidings.AccountID, items ...int64) error {
		return s.Reader.MarkRead(t.Context(), account, items, true)
	},
	"by phone": func(t testing.TB, s *Store, account tidings.AccountID, items ...int64) error {
		yes := true
		return NewArticles(s).Change(t.Context(), account, items, reader.ArticleChange{Read: &yes})
	},
}

// What a person has read is not sent any more to that person's own addresses: these items, and no others, nothing of
// other people, and nothing that programs get.
func TestWhatWasReadIsNotSent(t *testing.T) {
	for how, read := range waysToRead {
		t.Run(how, func(t *testing.T) {
			s, ctx := newStore(t), t.Context()
			if err := s.Reader.SetPasswordHash(ctx, tidings.Owner, "hash"); err != nil {
				t.Fatal(err)
			}
			ada := addPerson(t, s, "ada", tidings.Reader)
			follow(t, s, feedURL)
			if _, _, err := s.Subscribe(ctx, ada, Subscription{URL: feedURL, Privacy: tidings.Public}); err != nil {
				t.Fatal(err)
			}
			targets := make(map[tidings.TargetKind]int64)
			for _, kind := range tidings.TargetKinds {
				targets[kind] = addTarget(t, s, string(kind), kind, tidings.Selector{}).ID
			}
			others := addTargetOf(t, s, ada, "phone", tidings.Ntfy, tidings.Selector{}).ID
			publish(t, s, feedURL, story{"a", "x"})
			publish(t, s, feedURL, story{"d", "x"}, story{"c", "x"}, story{"b", "x"}, story{"a", "x"})
			items := itemsOf(t, s, tidings.Owner)
			if err := errors.Join(read(t, s, tidings.Owner, items["c"], items["a"]),
				read(t, s, ada, items["b"])); err != nil {
				t.Fatal(err)
			}
			for kind, id := range targets {
				want := "b c d"
				switch {
				case kind.Personal():
					want = "b d"
				case kind.Whole():
					want = "[d c b]"
				}
				if got := deliverAll(t, s, id); got != want {
					t.Errorf("%s gets %q, want %q", kind, got, want)
				}
			}
			if got := deliverAll(t, s, others); got != "c d" {
				t.Errorf("another person gets %q", got)
			}
			// What was sent is forgotten with its target, and with its person.
			if err := s.Outbox.RemoveTarget(ctx, tidings.Owner, targets[tidings.Ntfy]); err != nil {
				t.Fatal(err)
			}
			if _, err := s.RemovePerson(ctx, ada); err != nil {
				t.Fatal(err)
			}
			mustBeSoundNow(t, s)
		})
	}
}

// All that is marked read at once goes, too: by search or not, on the page or by phone. A message with several items
// goes when all of them were read.
func TestAllThatWasReadIsNotSent(t *testing.T) {
	yes := true
	for how, read := range map[string]func(s *Store) error{
		"page": func(s *Store) error {
			return errOf(s.MarkAllRead(t.Context(), tidings.Owner, tidings.EntryQuery{}, 1<<40))
		},
		"search": func(s *Store) error {
			return errOf(s.MarkAllRead(t.Context(), tidings.Owner, tidings.EntryQuery{Search: "story"}, 1<<40))
		},
		"phone": func(s *Store) error {
			return NewArticles(s).ChangeAll(t.Context(), tidings.Owner, reader.ArticleQuery{Read: reader.Without},
				reader.ArticleChange{Read: &yes})
		},
	} {
		t.Run(how, func(t *testing.T) {
			s := newStore(t)
			to := addTarget(t, s, "phone", tidings.Ntfy, tidings.Selector{}).ID
			follow(t, s, feedURL)
			all := []story{{"a", "x"}}
			publish(t, s, feedURL, all...)
			for i := range tidings.MaxBurst + 1 {
				all = slices.Insert(all, 0, story{fmt.Sprint(i), "x"})
			}
			publish(t, s, feedURL, all...)
			items := itemsOf(t, s, tidings.Owner)
			for i := range tidings.MaxBurst {
				if err := s.Reader.MarkRead(t.Context(), tidings.Owner, []int64{items[fmt.Sprint(i)]},
					true); err != nil {
					t.Fatal(err)
				}
			}
			next(t, s, to) // one of the items is unread
			if err := read(s); err != nil {
				t.Fatal(err)
			}
			nothingIsNext(t, s, to)
			publish(t, s, feedURL, slices.Insert(all, 0, story{"z", "x"})...)
			if got := deliverAll(t, s, to); got != "z" {
				t.Errorf("what is new is delivered: %q", got)
			}
			mustBeSoundNow(t, s)
		})
	}
}

// A revision that came after an item was read is sent; what was read as an edit of its own is not.
func TestReadRevisionsAreNotSent(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	to := addTarget(t, s, "phone", tidings.Gotify, tidings.Selector{}).ID
	follow(t, s, feedURL)
	wanted := true
	if err := s.Change(ctx, tidings.Owner, feedURL,
		Change{ChannelChange: tidings.ChannelChange{EditsAsItems: &wanted}}); err != nil {
		t.Fatal(err)
	}
	publish(t, s, feedURL, story{"b", "x"}, story{"a", "one"})
	items := itemsOf(t, s, tidings.Owner)
	if err := s.Reader.MarkRead(ctx, tidings.Owner, []int64{items["a"]}, true); err != nil {
		t.Fatal(err)
	}
	publish(t, s, feedURL, story{"b", "x"}, story{"a", "two"})
	if err := s.Reader.MarkRead(ctx, tidings.Owner, []int64{items["b"]}, true); err != nil {
		t.Fatal(err)
	}
	next(t, s, to)
	numbers, err := NewArticles(s).Numbers(ctx, tidings.Owner, reader.ArticleQuery{Read: reader.Without})
	if err != nil || len(numbers) != 1 || numbers[0] == items["a"] {
		t.Fatalf("edits are %v, %v", numbers, err)
	}
	if err := NewArticles(s).Change(ctx, tidings.Owner, numbers, reader.ArticleChange{Read: &wanted}); err != nil {
		t.Fatal(err)
	}
	nothingIsNext(t, s, to)
}

// What was sent is retracted once it is read, where the target can: the last messages, and each once. It goes before
// what is new, at any time of the target's schedule, and to no other address.
func TestSentMessagesAreRetracted(t *testing.T) {
	at := newClock()
	s, ctx := newStore(t, func(c *Config) { c.Now = at.now }), t.Context()
	browser := addTarget(t, s, "browser", tidings.BrowserPush, tidings.Selector{})
	phone := addTarget(t, s, "phone", tidings.Ntfy, tidings.Selector{})
	gotify := addTarget(t, s, "gotify", tidings.Gotify, tidings.Selector{})
	woken := make(map[int64]int)
	s.Outbox.Listen(func(target int64) { woken[target]++ })
	follow(t, s, feedURL)
	all := []story{{"a", "x"}}
	publish(t, s, feedURL, all...)
	most := tidings.Ntfy.Retractable()
	for i := range most + 2 {
		all = slices.Insert(all, 0, story{fmt.Sprint(i), "x"})
		publish(t, s, feedURL, all...)
	}
	for _, to := range []tidings.Target{browser, phone, gotify} {
		deliverAll(t, s, to.ID)
	}
	all = slices.Insert(all, 0, story{"new", "x"})
	publish(t, s, feedURL, all...)
	items := itemsOf(t, s, tidings.Owner)
	paused := phone
	paused.Schedule.Paused = at.now().Add(time.Hour)
	if err := s.Outbox.ChangeTarget(ctx, paused); err != nil {
		t.Fatal(err)
	}
	clear(woken)
	if err := s.Reader.MarkRead(ctx, tidings.Owner, []int64{items["3"], items["2"], items["0"], items["1"]},
		true); err != nil {
		t.Fatal(err)
	}
	if woken[browser.ID] == 0 || woken[phone.ID] == 0 || woken[gotify.ID] != 0 {
		t.Errorf("woken: %v", woken)
	}
	if waiting, err := s.Outbox.Waiting(ctx); err != nil || len(waiting) != 3 {
		t.Errorf("waiting are %v, %v", waiting, err)
	}
	j := next(t, s, browser.ID)
	if len(j.Retracts) != 4 || len(j.Deliveries)+len(j.Parts) != 0 || !j.Due.IsZero() {
		t.Fatalf("the browser's next: %+v", j)
	}
	if err := s.Outbox.Delivered(ctx, j); err != nil {
		t.Fatal(err)
	}
	if got := deliverAll(t, s, browser.ID); got != "new" {
		t.Errorf("after that the browser gets %q", got)
	}
	// Of the phone the two oldest messages are known no more. Those that are read later, too, are retracted one by one.
	var retracted []int64
	for len(retracted) < 2 {
		j := next(t, s, phone.ID)
		if len(j.Retracts) != 1 || !j.Due.IsZero() {
			t.Fatalf("the phone's next: %+v", j)
		}
		retracted = append(retracted, j.Retracts...)
		if err := s.Outbox.Delivered(ctx, j); err != nil {
			t.Fatal(err)
		}
	}
	if j := next(t, s, phone.ID); len(j.Retracts) != 0 || j.Due.IsZero() || retracted[0] >= retracted[1] {
		t.Errorf("after retracting %v: %+v", retracted, j)
	}
	// An address that changed has none of the messages.
	if err := s.Reader.MarkRead(ctx, tidings.Owner, []int64{items["7"]}, true); err != nil {
		t.Fatal(err)
	}
	paused.URL += "-other"
	if err := s.Outbox.ChangeTarget(ctx, paused); err != nil {
		t.Fatal(err)
	}
	if j := next(t, s, phone.ID); len(j.Retracts) != 0 {
		t.Errorf("another address retracts %v", j.Retracts)
	}
	mustBeSoundNow(t, s)
}

// What is read while it is sent is retracted as soon as the target has accepted it. Nothing is retracted of what nobody
// read.
func TestReadWhileItIsSent(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	to := addTarget(t, s, "phone", tidings.Ntfy, tidings.Selector{}).ID
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "x"})
	publish(t, s, feedURL, story{"c", "x"}, story{"b", "x"}, story{"a", "x"})
	items := itemsOf(t, s, tidings.Owner)
	sent := next(t, s, to)
	if err := s.Reader.MarkRead(ctx, tidings.Owner, []int64{items["b"]}, true); err != nil {
		t.Fatal(err)
	}
	woken := 0
	s.Outbox.Listen(func(int64) { woken++ })
	if err := s.Outbox.Delivered(ctx, sent); err != nil {
		t.Fatal(err)
	}
	j := next(t, s, to)
	if !slices.Equal(j.Retracts, sent.Deliveries) || woken == 0 {
		t.Fatalf("after it was accepted: %+v, woken %d times", j, woken)
	}
	if err := s.Outbox.Forgotten(ctx, j); err != nil {
		t.Fatal(err)
	}
	if got := deliverAll(t, s, to); got != "c" {
		t.Errorf("after that: %q", got)
	}
	if target, err := s.Outbox.Target(ctx, tidings.Owner, to); err != nil || target.Standing.Dropped != 0 {
		t.Errorf("at the end: %+v, %v", target.Standing, err)
	}
	mustBeSoundNow(t, s)
}

// A failure of the disk leaves both, the mark and what waits, as they were.
func TestMarkAndOutboxAreOne(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	to := addTarget(t, s, "phone", tidings.Ntfy, tidings.Selector{}).ID
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "x"})
	publish(t, s, feedURL, story{"b", "x"}, story{"a", "x"})
	items := itemsOf(t, s, tidings.Owner)
	broken := errors.New("no room")
	err := s.DB.Write(ctx, func(x *db.Tx) error {
		yes := true
		if err := NewArticles(s).change(x, tidings.Owner, []int64{items["b"]},
			reader.ArticleChange{Read: &yes}); err != nil {
			return err
		}
		if left, err := db.One(x.Conn, `SELECT 1 FROM delivery`, func(*sqlite.Stmt) {}); err != nil || left {
			t.Errorf("the delivery is there as the mark is made: %v, %v", left, err)
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Fatal(err)
	}
	if got := deliverAll(t, s, to); got != "b" {
		t.Errorf("after the failure: %q", got)
	}
}

// BenchmarkReadWithOutbox marks items read for a person with many pending notifications.
func BenchmarkReadWithOutbox(b *testing.B) {
	for _, pending := range []int{0, 10, tidings.MaxPending} {
		b.Run(fmt.Sprint("pending ", pending), func(b *testing.B) {
			s := newStore(b)
			addTarget(b, s, "phone", tidings.Ntfy, tidings.Selector{})
			follow(b, s, feedURL)
			all := []story{{"a", "x"}}
			publish(b, s, feedURL, all...)
			for i := range pending {
				all = slices.Insert(all[:min(len(all), 20)], 0, story{fmt.Sprint(i), "x"})
				publish(b, s, feedURL, all...)
			}
			item := itemsOf(b, s, tidings.Owner)["a"]
			b.ResetTimer()
			for i := range b.N {
				if err := s.Reader.MarkRead(b.Context(), tidings.Owner, []int64{item}, i%2 == 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
