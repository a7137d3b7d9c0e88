package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"tidings"
	"tidings/store/pushed"
)

// pushes makes what RecordPushed is given of stories, one an item, from a number on. All are compared with what is
// known now.
func pushes(t testing.TB, s *Store, number uint64, stories ...story) (all []Push) {
	t.Helper()
	for i, st := range stories {
		mark := markOf(st.id, st.text)
		known, upTo, err := s.Content.KnownLike(t.Context(), pinnedURL, []tidings.ItemIdentity{mark})
		if err != nil {
			t.Fatal(err)
		}
		f := changeOf(known, st)
		f.Partial, f.KnownUpTo = true, upTo
		all = append(all,
			Push{pushed.Item{URL: pinnedURL, Topic: [20]byte{1}, Number: number + uint64(i),
				Signed: fmt.Append(nil, number)}, f})
	}
	return all
}

// Items that arrive together are stored together, in their order, if they do not depend on one another.
func TestPushedItemsAreTakenTogether(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	pinned(t, s)
	publish(t, s, pinnedURL, story{"old", "x"})
	all := []story{{"five", "1"}, {"six", "2"}, {"old", "3"}, {"five", "4"}, {"nine", "5"}, {"nine", "5"}}
	number := uint64(5)
	for _, want := range []struct {
		taken int
		told  string // new, changed, nothing
		have  uint64
	}{
		{3, "nnc", 7}, // the next is of the first one's story
		{2, "cn", 9},  // the last is the same as the one before
		{1, "-", 10},
	} {
		taken, err := pushAll(t.Context(), s, pushes(t, s, number, all[number-5:]...)...)
		if err != nil || len(taken) != want.taken {
			t.Fatalf("from %d on %d items are taken, want %d (%v)", number, len(taken), want.taken, err)
		}
		told := ""
		for _, one := range taken {
			if one.Update == nil {
				told += "-"
				continue
			}
			told += string(one.Update.Items[0].Change)[:1]
		}
		if have := taken[len(taken)-1].Have; told != want.told || have != want.have {
			t.Errorf("from %d on %q was told, all up to %d are here; want %q and %d", number, told, have, want.told,
				want.have)
		}
		number += uint64(len(taken))
	}
	if got := titles(river(t, s, tidings.EntryQuery{})); got != "nine five old six five old" {
		t.Errorf("the river is %q", got)
	}
	if p, err := s.Pushed.PinOf(t.Context(), pinnedURL); err != nil || p.Pushed != 5 || p.Have != 10 {
		t.Errorf("%+v, %v", p, err)
	}
}

// Of items that are stored together none is there if one of them cannot be.
func TestPushedItemsAreRefusedTogether(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	pinned(t, s)
	all := pushes(t, s, 5, story{"five", "1"}, story{"six", "1"})
	all[1].Change.Kind = "other"
	if taken, err := pushAll(t.Context(), s, all...); !errors.Is(err, tidings.ErrInvalid) || len(taken) != 0 {
		t.Errorf("%d items are taken, %v", len(taken), err)
	}
	if err := s.Pushed.Unpin(t.Context(), pinnedURL); err != nil {
		t.Fatal(err)
	}
	if taken, err := pushAll(t.Context(), s, pushes(t, s, 5, story{"five", "1"}, story{"six", "1"})...); !errors.Is(err,
		tidings.ErrNotFound) || len(taken) != 0 {
		t.Errorf("%d items are taken, %v", len(taken), err)
	}
	if n := len(river(t, s, tidings.EntryQuery{})); n != 0 {
		t.Errorf("%d entries", n)
	}
}

// Of what was signed some more are kept than the bound, and no more than that.
func TestPushedItemsAreBounded(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	pinned(t, s)
	for from := uint64(5); from < 5+1000+3*32; {
		var some []Push
		for range 64 {
			some = append(some,
				Push{Item: pushed.Item{URL: pinnedURL, Topic: [20]byte{1}, Number: from, Signed: []byte{1}}})
			from++
		}
		if _, err := pushAll(t.Context(), s, some...); err != nil {
			t.Fatal(err)
		}
	}
	numbers, err := s.Pushed.Numbers(t.Context(), pinnedURL, 0)
	if err != nil || len(numbers) < 1000 || len(numbers) > 1000+32 {
		t.Errorf("%d items are kept, want %d to %d (%v)", len(numbers), 1000, 1000+32, err)
	}
}

// Of pushes that come together, one that is stale leaves nothing, whatever of the channel is held in memory: it comes
// again.
func TestAStalePushLeavesNothing(t *testing.T) {
	t.Parallel()
	config := Config{Dir: dataDir(t), Now: newClock().now}
	s := mustOpen(t, config)
	pinned(t, s)
	publish(t, s, pinnedURL, story{"a", "1"})
	both := append(pushes(t, s, 5, story{"a", "2"}), pushes(t, s, 6, story{"a", "3"})...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, config)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if got, err := pushAll(t.Context(), s, both...); err != nil || len(got) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if numbers, err := s.Pushed.Numbers(t.Context(), pinnedURL, 0); err != nil || !slices.Equal(numbers, []uint64{5}) {
		t.Errorf("here are %v, %v", numbers, err)
	}
	if got, err := pushAll(t.Context(), s, pushes(t, s, 6, story{"a", "3"})...); err != nil || got[0].Update == nil ||
		got[0].Have != 6 {
		t.Errorf("it comes again: %+v, %v", got, err)
	}
}
