package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"tidings"
	"tidings/store/content"
	"tidings/store/shared"
)

const guestURL = "https://example.org/guest"

func hashed(b byte) (h shared.Hash) {
	h[0] = b
	return h
}

// A channel that is polled for others is in nobody's lists, keeps what polls are compared with,
// and goes some time after the last poll.
func TestAGuestIsSeenByNobodyAndGoes(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	ctx := t.Context()
	if err := s.Content.AddRelayed(ctx, guestURL); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * content.GuestVersions {
		publish(t, s, guestURL, story{"a", words(i, 10)}, story{"b", "y"})
	}
	if all, err := s.Channels(ctx, tidings.Owner); err != nil || len(all) != 0 {
		t.Errorf("listed: %v, %v", all, err)
	}
	if all, err := s.Content.Watches(ctx); err != nil || len(all) != 0 {
		t.Errorf("followed: %v, %v", all, err)
	}
	if updates, err := s.Reader.Updates(ctx, tidings.Owner, tidings.UpdateQuery{}); err != nil || len(updates) != 0 {
		t.Errorf("told: %v, %v", updates, err)
	}
	if got := river(t, s, tidings.EntryQuery{}); len(got) != 0 {
		t.Errorf("shown: %v", got)
	}
	if stats, err := s.Stats(ctx); err != nil || stats.Channels != 0 || stats.Items != 0 {
		t.Errorf("counted: %+v, %v", stats, err)
	}
	clk.add(400 * 24 * time.Hour)
	pruneAll(t, s, clk.now())
	if w, err := s.Content.Watch(ctx, guestURL); err != nil || w.Followers != 0 ||
		w.Version != 2*content.GuestVersions {
		t.Errorf("while it is checked: %+v, %v", w, err)
	}
	if known, err := s.Content.KnownItems(ctx, guestURL); err != nil || len(known) != 2 {
		t.Errorf("known: %v, %v", known, err)
	}
	if c, err := s.Content.Content(ctx, guestURL); err != nil || len(c.Marks) != 2 {
		t.Errorf("content: %+v, %v", c, err)
	}
	if err := s.Content.RemoveAllRelayed(ctx); err != nil {
		t.Fatal(err)
	}
	clk.add(time.Hour)
	pruneAll(t, s, clk.now())
	if err := s.Content.AddRelayed(ctx, guestURL); err != nil {
		t.Fatal(err)
	}
	if w, err := s.Content.Watch(ctx, guestURL); err != nil || w.Version == 0 {
		t.Errorf("checked again: %+v, %v", w, err)
	}
	if err := s.Content.RemoveRelayed(ctx, guestURL); err != nil {
		t.Fatal(err)
	}
	clk.add(3 * time.Hour)
	pruneAll(t, s, clk.now())
	if _, err := s.Content.Watch(ctx, guestURL); !errors.Is(err, tidings.ErrNotFollowed) {
		t.Errorf("it has not gone: %v", err)
	}
	if known, err := s.Content.KnownItems(ctx, guestURL); err != nil || len(known) != 0 {
		t.Errorf("of it there is left: %v, %v", known, err)
	}
	mustBeSoundNow(t, s)
}

// An account that follows a guest has all that is kept of it, for as long as of any other channel.
func TestAGuestIsFollowed(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	ctx := t.Context()
	if err := s.Content.AddRelayed(ctx, guestURL); err != nil {
		t.Fatal(err)
	}
	publish(t, s, guestURL, story{"a", "x"})
	follow(t, s, guestURL)
	if got := river(t, s, tidings.EntryQuery{Unread: true}); len(got) != 1 {
		t.Errorf("unread: %v", got)
	}
	if err := s.Content.RemoveRelayed(ctx, guestURL); err != nil {
		t.Fatal(err)
	}
	clk.add(3 * time.Hour)
	pruneAll(t, s, clk.now())
	if all, err := s.Channels(ctx, tidings.Owner); err != nil || len(all) != 1 {
		t.Errorf("followed: %v, %v", all, err)
	}
	if _, err := s.Unsubscribe(ctx, tidings.Owner, guestURL); err != nil {
		t.Fatal(err)
	}
	clk.add(24 * time.Hour)
	pruneAll(t, s, clk.now())
	if known, err := s.Content.KnownItems(ctx, guestURL); err != nil || len(known) != 1 {
		t.Errorf("of what was followed there is left: %v, %v", known, err)
	}
	mustBeSoundNow(t, s)
}

func mustBeSoundNow(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	mustBeSound(t, s.config.Dir)
}

// What was found of a state that has been replaced since is reported. It changes neither the channel's present content
// nor its title.
func TestWhatIsPastChangesNothing(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := t.Context()
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "x"})
	before, err := s.Content.Content(ctx, feedURL)
	if err != nil {
		t.Fatal(err)
	}
	past := document(t, s, feedURL, story{"gone", "y"})
	past.Past, past.Title = true, "what it was called then"
	update, err := apply(ctx, s, Remote{Version: shared.Version{URL: feedURL, Number: 1, Hash: hashed(1)},
		Change: past})
	if err != nil || update == nil || len(update.Items) != 1 || update.Items[0].ID != "gone" {
		t.Fatalf("told is %+v, %v", update, err)
	}
	now, err := s.Content.Content(ctx, feedURL)
	if err != nil || !slices.Equal(now.Marks, before.Marks) {
		t.Errorf("the content is %+v, %v", now, err)
	}
	lead, err := s.DeltaFrom(ctx, feedURL, shared.Hash{})
	if err != nil || lead.Title == past.Title {
		t.Errorf("the channel is called %q, %v", lead.Title, err)
	}
}

// What leads from a named content has what is new or changed since, and headings of the rest.
func TestLead(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := t.Context()
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "x"}, story{"b", "y"})
	if err := s.Name(ctx, feedURL, hashed(1), shared.Version{URL: feedURL, Number: 7, Hash: hashed(1)}); err != nil {
		t.Fatal(err)
	}
	publish(t, s, feedURL, story{"c", "z"}, story{"a", "x2"}, story{"b", "y"})
	if err := s.Name(ctx, feedURL, hashed(2), shared.Version{}); err != nil {
		t.Fatal(err)
	}
	lead, err := s.DeltaFrom(ctx, feedURL, hashed(1))
	if err != nil || !lead.Based || len(lead.Items) != 3 {
		t.Fatalf("lead %+v, %v", lead, err)
	}
	for i, fresh := range []bool{true, true, false} {
		if got := lead.Items[i]; got.Fresh != fresh || (got.Raw != "") != fresh {
			t.Errorf("item %d: %+v", i, got)
		}
	}
	if whole, err := s.DeltaFrom(ctx, feedURL, hashed(9)); err != nil || whole.Based || !whole.Items[2].Fresh ||
		whole.Items[2].Raw == "" {
		t.Errorf("the whole: %+v, %v", whole, err)
	}
	if all, err := s.Shared.Versions(ctx); err != nil || len(all) != 1 || all[0].Number != 7 ||
		all[0].Hash != hashed(1) {
		t.Errorf("versions %+v, %v", all, err)
	}
	for h, want := range map[shared.Hash]bool{hashed(1): true, hashed(2): true, hashed(3): false} {
		if known, err := s.Shared.Known(ctx, feedURL, h); err != nil || known != want {
			t.Errorf("content %x is known: %v, %v", h[0], known, err)
		}
	}
	// However many there were, the last ones are known.
	for i := range 2 * 16 {
		if err := s.Name(ctx, feedURL, hashed(byte(10+i)), shared.Version{}); err != nil {
			t.Fatal(err)
		}
	}
	if known, err := s.Shared.Known(ctx, feedURL, hashed(1)); err != nil || known {
		t.Errorf("the oldest is known still (%v)", err)
	}
	mustBeSoundNow(t, s)
}
