package store

import (
	"testing"
	"testing/synctest"
	"time"

	"tidings"
	"tidings/store/content"
	"tidings/store/db"
	"tidings/store/shared"
)

// The result of a poll is named in the transaction that stores it, by what Content says of it then. That holds for
// whole documents, for parts, and where only the order has changed.
func TestARecordIsNamed(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := t.Context()
	follow(t, s, feedURL)
	for i, change := range []func(*tidings.Change){
		func(*tidings.Change) {},
		func(f *tidings.Change) { f.Partial, f.Items = true, f.Items[:1] },
		func(f *tidings.Change) { f.Items = f.Items[1:] },
	} {
		f := document(t, s, feedURL, story{"a", words(i, 3)}, story{"b", "x"}, story{"c", "y"})
		change(f)
		applied, err := s.Apply(ctx, &Record{Record: content.Record{URL: feedURL, Change: f}, Named: true})
		if err != nil {
			t.Fatal(err)
		}
		now, err := s.Content.Content(ctx, feedURL)
		if err != nil || len(now.Marks) == 0 || applied[0].Hash != now.Hash() {
			t.Errorf("record %d is named %x, there is %+v, %v", i, applied[0].Hash, now, err)
		}
		if known, err := s.Shared.Known(ctx, feedURL, applied[0].Hash); err != nil || !known {
			t.Errorf("the name of record %d is not known: %v", i, err)
		}
	}
}

// A number is there soon after it was noted, and does not replace a higher one that came meanwhile.
func TestANumberIsNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t)
		ctx := t.Context()
		follow(t, s, feedURL)
		publish(t, s, feedURL, story{"a", "x"})
		if err := s.Name(ctx, feedURL, hashed(1), shared.Version{}); err != nil {
			t.Fatal(err)
		}
		if err := s.Number(ctx, shared.Version{URL: feedURL, Number: 5, Hash: hashed(1)}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * db.Company)
		if v, err := s.Shared.Version(ctx, feedURL); err != nil || v.Number != 5 || v.Hash != hashed(1) {
			t.Errorf("there is %+v, %v", v, err)
		}
		if err := s.Number(ctx, shared.Version{URL: feedURL, Number: 6, Hash: hashed(1)}); err != nil {
			t.Fatal(err)
		}
		if err := s.Name(ctx, feedURL, hashed(2),
			shared.Version{URL: feedURL, Number: 7, Hash: hashed(2)}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * db.Company)
		if v, err := s.Shared.Version(ctx, feedURL); err != nil || v.Number != 7 || v.Hash != hashed(2) {
			t.Errorf("there is %+v, %v", v, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
