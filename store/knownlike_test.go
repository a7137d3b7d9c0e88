package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/store/content"
	"tidings/store/known"
	"tidings/store/shared"
)

// anyMark draws from few values, so that items have parts in common.
var anyMark = rapid.Custom(func(t *rapid.T) tidings.ItemIdentity {
	part := rapid.Uint64Range(0, 5)
	m := tidings.ItemIdentity{ID: part.Draw(t, "guid"), Link: part.Draw(t, "link"), Title: part.Draw(t, "title"),
		Date: part.Draw(t, "date"), Print: part.Draw(t, "print")}
	if m == (tidings.ItemIdentity{}) {
		m.Print = 1
	}
	return m
})

// What is familiar is what is known and has a part in common, after whatever was stored, however often it was asked for
// before.
func TestFamiliarItemsAreOfThoseKnown(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	channels := 0
	rapid.Check(t, func(rt *rapid.T) {
		channels++
		url := channelURL(channels)
		ask := func() {
			like := rapid.SliceOfN(anyMark, 0, 3).Draw(rt, "like")
			all, err := s.Content.KnownItems(t.Context(), url)
			if err != nil {
				rt.Fatal(err)
			}
			latest := int64(0)
			var want []tidings.KnownItem
			for _, k := range all {
				latest = max(latest, k.Row)
				if slices.ContainsFunc(like, func(m tidings.ItemIdentity) bool {
					return haveInCommon(k.ItemIdentity, m)
				}) {
					want = append(want, k)
				}
			}
			got, upTo, err := s.Content.KnownLike(t.Context(), url, like)
			if err != nil || upTo != latest {
				rt.Fatalf("up to %d, want %d (%v)", upTo, latest, err)
			}
			// KnownLike also returns items of which a part of another kind is equal. The comparison ignores those.
			got = slices.DeleteFunc(got, func(k tidings.KnownItem) bool {
				return !slices.ContainsFunc(like, func(m tidings.ItemIdentity) bool {
					return haveInCommon(k.ItemIdentity, m)
				})
			})
			if !known.Ambiguous(want) {
				for i := range want {
					want[i].Listed = false
				}
				for i := range got {
					got[i].Listed = false
				}
			}
			if !slices.Equal(got, want) {
				rt.Fatalf("like %v: %v, want %v", like, got, want)
			}
		}
		ask() // before there is such a channel
		follow(t, s, url)
		rt.Repeat(map[string]func(*rapid.T){
			"ask": func(*rapid.T) { ask() },
			"store": func(rt *rapid.T) {
				known, err := s.Content.KnownItems(t.Context(), url)
				if err != nil {
					rt.Fatal(err)
				}
				f := &tidings.Change{Kind: tidings.KindFeed, KnownUpTo: everything,
					Partial: rapid.Bool().Draw(rt, "partial")}
				for i := range rapid.IntRange(0, 3).Draw(rt, "items") {
					item := tidings.FoundItem{Item: tidings.Item{ID: fmt.Sprint(i), Title: "t", Change: tidings.New},
						Mark: anyMark.Draw(rt, "mark")}
					if i < len(known) && rapid.Bool().Draw(rt, "known") {
						item.Row, item.Change, item.Quiet = known[i].Row, "", item.Mark != known[i].ItemIdentity
					}
					f.Items = append(f.Items, item)
				}
				if _, err := apply(t.Context(), s, &Record{Record: content.Record{URL: url, Change: f}}); err != nil {
					rt.Fatal(err)
				}
			},
			"fail": func(rt *rapid.T) {
				f := &tidings.Change{Kind: tidings.KindFeed, KnownUpTo: everything, Partial: true}
				f.Items = []tidings.FoundItem{{Item: tidings.Item{Title: "t", Change: tidings.New},
					Mark: anyMark.Draw(rt, "mark")}}
				p, err := content.Prepare(f)
				if err != nil {
					rt.Fatal(err)
				}
				_ = s.write(t.Context(), func(t *content.Tx) error {
					ch, err := content.Find(t, url)
					if err != nil {
						return err
					}
					if _, err := content.Add(t, ch, p); err != nil {
						return err
					}
					return tidings.ErrStale
				})
			},
		})
	})
}

func haveInCommon(a, b tidings.ItemIdentity) bool {
	return a.ID != 0 && a.ID == b.ID || a.Link != 0 && a.Link == b.Link || a.Title != 0 && a.Title == b.Title ||
		a.Print != 0 && a.Print == b.Print
}

// A channel that somebody subscribes to again after it was removed has nothing familiar.
func TestNothingIsFamiliarInAChannelThatBeginsAnew(t *testing.T) {
	t.Parallel()
	clk := newClock()
	s := newStore(t, func(c *Config) { c.Now = clk.now })
	follow(t, s, feedURL)
	publish(t, s, feedURL, story{"a", "x"})
	like := []tidings.ItemIdentity{markOf("a", "x")}
	if items, _, err := s.Content.KnownLike(t.Context(), feedURL, like); err != nil || len(items) != 1 {
		t.Fatalf("%v, %v", items, err)
	}
	if _, err := s.Unsubscribe(t.Context(), tidings.Owner, feedURL); err != nil {
		t.Fatal(err)
	}
	clk.add(1000 * day)
	pruneAll(t, s, clk.now())
	follow(t, s, feedURL)
	if items, upTo, err := s.Content.KnownLike(t.Context(), feedURL, like); err != nil || len(items) != 0 || upTo != 0 {
		t.Errorf("%v up to %d, %v", items, upTo, err)
	}
}

// What an arrival has brought before another of the same transaction failed is unknown, in memory too, whether or not
// the transaction did more.
func TestWhatIsUndoneIsNotKnown(t *testing.T) {
	t.Parallel()
	for _, company := range []bool{false, true} {
		s := newStore(t)
		ctx := t.Context()
		pinned(t, s)
		publish(t, s, pinnedURL, story{"old", "x"})
		like := []tidings.ItemIdentity{markOf("new", "y")}
		for round := range 2 {
			all := pushes(t, s, 5, story{"new", "y"})
			if company {
				if err := s.Number(ctx, shared.Version{URL: pinnedURL, Number: uint64(round) + 1,
					Hash: hashed(1)}); err != nil {
					t.Fatal(err)
				}
			}
			bad := Withdrawal{Version: shared.Version{URL: pinnedURL},
				Why: tidings.Withdrawal{Time: time.Date(1e6, 1, 1, 0, 0, 0, 0, time.UTC)}}
			if _, err := s.Apply(ctx, all[0], bad); err == nil {
				t.Fatal("a time that cannot be written is written")
			}
			if known, _, err := s.Content.KnownLike(ctx, pinnedURL, like); err != nil || len(known) > 0 {
				t.Errorf("in company %v, round %d: known is %+v, %v", company, round, known, err)
			}
		}
		if got, err := pushAll(ctx, s, pushes(t, s, 5, story{"new", "y"})...); err != nil || got[0].Update == nil ||
			got[0].Have != 5 {
			t.Errorf("in company %v: then %+v, %v", company, got, err)
		}
	}
}
