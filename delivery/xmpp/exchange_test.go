package xmpp

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/delivery/outbox"
	"tidings/delivery/xmpp/share"
	"tidings/delivery/xmpp/stream"
)

// reparse returns an element as another node reads it.
func reparse(t interface{ Fatal(...any) }, e *stream.Element) *stream.Element {
	parsed, err := stream.Parse([]byte(e.String()))
	if err != nil {
		t.Fatal(err)
	}
	if parsed.Large {
		t.Fatal("it is too large for a stanza")
	}
	return parsed
}

// What nodes send each other comes as it was, and fits into a stanza.
func TestExchangeRoundTrip(t *testing.T) {
	zone := rapid.SampledFrom([]string{"", "UTC", "Europe/Berlin"})
	address := rapid.Custom(func(t *rapid.T) string {
		return rapid.StringMatching(`[a-z&'<"]{1,300}@[a-z]{1,60}`).Filter(func(a string) bool {
			bare, err := stream.Bare(a)
			return err == nil && bare == a
		}).Draw(t, "address")
	})
	rapid.Check(t, func(t *rapid.T) {
		now := time.Now()
		var rows []tidings.Following
		for range rapid.IntRange(0, 2*followingsPage).Draw(t, "rows") {
			f := tidings.Following{Changed: time.UnixMilli(rapid.Int64Range(1, now.UnixMilli()).Draw(t, "ms"))}
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				f.Forgotten = rapid.StringMatching(`[a-zA-Z0-9_-]{43}`).Draw(t, "hash")
			case 1:
				f.Address, f.Channel = "alice@example.org", tidings.FollowingSchedule
				f.Schedule = &tidings.Schedule{Zone: zone.Draw(t, "zone"),
					Digest: new(tidings.TimeOfDay(rapid.IntRange(0, 1439).Draw(t, "digest")))}
			default:
				f.Address = "alice@example.org"
				f.Channel = "https://example.org/" + rapid.StringMatching(`[a-z&'"]{0,500}`).Draw(t, "path")
				f.Ended = rapid.Bool().Draw(t, "ended")
			}
			rows = append(rows, f)
		}
		if len(rows) > 0 {
			rows[0].Forgotten, rows[0].Schedule, rows[0].Channel, rows[0].Address = "", nil, "https://x",
				address.Draw(t, "first")
		}
		left := rows
		for len(left) > 0 {
			n := fit(left)
			if n < 1 || n > followingsPage {
				t.Fatalf("%d rows in a page", n)
			}
			if got := readFollowings(reparse(t, followingsElement(left[:n])), now); !reflect.DeepEqual(got, left[:n]) {
				t.Fatalf("%v, want %v", got, left[:n])
			}
			left = left[n:]
		}
		var keys []share.Key
		for i := range rapid.IntRange(0, seenPage).Draw(t, "keys") {
			keys = append(keys, share.KeyOf("a", fmt.Sprint(i)))
		}
		last := rapid.Uint64().Draw(t, "last")
		if got, l := readSeen(reparse(t, seenElement(keys, last))); !reflect.DeepEqual(got, keys) || l != last {
			t.Fatalf("%d keys up to %d, want %d up to %d", len(got), l, len(keys), last)
		}
	})
}

// Rows that cannot be are left out, one by one.
func TestRowsThatCannotBe(t *testing.T) {
	now := time.Now()
	good := func() *stream.Element {
		return followingsElement(
			[]tidings.Following{{Address: "a@b", Channel: "https://example.org/",
				Changed: now.Truncate(time.Millisecond)}})
	}
	if len(readFollowings(good(), now)) != 1 {
		t.Fatal("a good row is left out")
	}
	for name, damage := range map[string]func(row *stream.Element){
		"no time":           func(r *stream.Element) { delete(r.Attributes, "changed") },
		"a time before all": func(r *stream.Element) { r.Attributes["changed"] = "-1" },
		"the future": func(r *stream.Element) {
			r.Attributes["changed"] = fmt.Sprint(now.Add(2 * mostAhead).UnixMilli())
		},
		"no address":     func(r *stream.Element) { delete(r.Attributes, "address") },
		"a domain":       func(r *stream.Element) { r.Attributes["address"] = "b" },
		"a full address": func(r *stream.Element) { r.Attributes["address"] = "a@b/c" },
		"not normalized": func(r *stream.Element) { r.Attributes["address"] = "A@B" },
		"no channel":     func(r *stream.Element) { delete(r.Attributes, "channel") },
		"a long channel": func(r *stream.Element) { r.Attributes["channel"] += strings.Repeat("x", maxURL) },
		"no schedule":    func(r *stream.Element) { r.Attributes["channel"] = tidings.FollowingSchedule },
		"a bad schedule": func(r *stream.Element) {
			r.Attributes["channel"] = tidings.FollowingSchedule
			r.Text = `{"zone":"Nowhere"}`
		},
		"a long schedule": func(r *stream.Element) {
			r.Attributes["channel"] = tidings.FollowingSchedule
			r.Text = "{}" + strings.Repeat(" ", maxSchedule)
		},
		"a long hash":   func(r *stream.Element) { r.Attributes["forgotten"] = strings.Repeat("x", 65) },
		"other space":   func(r *stream.Element) { r.Space = "x" },
		"other element": func(r *stream.Element) { r.Local = "x" },
	} {
		e := good()
		damage(e.Children[0])
		e.With(good().Children[0])
		if got := readFollowings(e, now); len(got) != 1 || got[0].Channel != "https://example.org/" {
			t.Errorf("%s: %v", name, got)
		}
	}
	e := good()
	for range 2 * followingsPage {
		e.With(good().Children[0])
	}
	if got := readFollowings(e, now); len(got) != followingsPage {
		t.Errorf("%d rows of a page", len(got))
	}
}

// Whatever another node sends is read within bounds, and what is read is sent and read alike.
func FuzzExchange(f *testing.F) {
	seeds := []*stream.Element{
		followingsElement([]tidings.Following{
			{Address: "a@b", Channel: "https://example.org/", Changed: time.UnixMilli(5), Ended: true},
			{Forgotten: "hash", Changed: time.UnixMilli(6)},
			{Address: "a@b", Channel: tidings.FollowingSchedule, Schedule: &tidings.Schedule{Zone: "UTC"},
				Changed: time.UnixMilli(7)},
		}),
		seenElement([]share.Key{share.KeyOf("a", "b")}, 7), claimElement("a@b", stateYours, []string{"a", "b"}),
		partsElement([]string{"a"}),
	}
	for _, e := range seeds {
		f.Add([]byte(e.String()))
	}
	now := time.UnixMilli(1 << 41)
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := stream.Parse(text)
		if err != nil {
			return
		}
		rows := readFollowings(e, now)
		if len(rows) > followingsPage {
			t.Fatalf("%d rows", len(rows))
		}
		for _, row := range rows {
			if n := fit([]tidings.Following{row}); n != 1 {
				t.Fatalf("%d rows of one", n)
			}
			if again := readFollowings(followingsElement([]tidings.Following{row}), now); !reflect.DeepEqual(again,
				[]tidings.Following{row}) {
				t.Fatalf("%v, want %v", again, row)
			}
		}
		keys, last := readSeen(e)
		if len(keys) > seenPage {
			t.Fatalf("%d keys", len(keys))
		}
		if again, l := readSeen(seenElement(keys, last)); !reflect.DeepEqual(again, keys) || l != last {
			t.Fatalf("%v %d, want %v %d", again, l, keys, last)
		}
		for _, name := range readParts(e.Text) {
			if len(name) > maxPartName {
				t.Fatalf("a name of %d bytes", len(name))
			}
		}
	})
}

// Two nodes name the parts of their messages alike, though each has numbers, times and versions of its own. Different
// items, edits and versions of pages have different names.
func TestParts(t *testing.T) {
	items := []tidings.Item{
		{ID: "a", Title: "A", Change: tidings.New}, {ID: "b", Title: "B", Change: tidings.New},
		{ID: "a", Title: "A2", Change: tidings.Changed},
		{ID: "a", Title: "A3", Change: tidings.Changed},
	}
	here := tidings.Update{ID: 1, Channel: "https://example.org/feed", Title: "News", Version: 3, Time: time.Unix(1, 0),
		Items: items}
	there := here
	there.ID, there.Title, there.Version, there.Time = 99, "Other", 8, time.Unix(2, 0)
	all := partsOf(outbox.Message{ID: "1", Update: here})
	if got := partsOf(outbox.Message{ID: "2", Update: there}); !reflect.DeepEqual(got, all) {
		t.Errorf("%v and %v", got, all)
	}
	page := func(hash string) tidings.DeliveryPart {
		return tidings.DeliveryPart{Update: tidings.Update{Channel: "https://example.org/", Kind: tidings.KindPage,
			Hash: hash, Delta: "x"}}
	}
	digest := outbox.Message{Digest: []tidings.DeliveryPart{{Update: here}, page("1"), page("2"),
		{Update: here, Item: &tidings.Item{ID: "c", Change: tidings.New}}}}
	names := partsOf(digest)
	if len(names) != 7 {
		t.Fatalf("%d parts", len(names))
	}
	known := make(map[string]bool)
	for _, n := range names {
		if known[n] || len(n) > maxPartName {
			t.Errorf("the name %q comes twice, or is too long", n)
		}
		known[n] = true
	}
	for i := range here.Items {
		if got := partsOf(outbox.Message{Update: here, Item: &here.Items[i]}); len(got) != 1 || got[0] != all[i] {
			t.Errorf("item %d for itself: %v", i, got)
		}
	}
	for keep := range 1 << len(names) {
		var at []int
		var want []string
		for i, n := range names {
			if keep&(1<<i) != 0 {
				at, want = append(at, i), append(want, n)
			}
		}
		if got := partsOf(only(digest, names, at)); len(at) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("of %v: %v, want %v", at, got, want)
		}
	}
	whole := outbox.Message{Update: here}
	if got := only(whole, all, []int{1}); got.Item == nil || got.Item.ID != "b" || len(whole.Update.Items) != 4 {
		t.Errorf("one item of several: %+v", got)
	}
	many := tidings.Update{Channel: "x", Items: make([]tidings.Item, maxParts+1)}
	for i := range many.Items {
		many.Items[i].ID = fmt.Sprint(i)
	}
	if got := partsOf(outbox.Message{Update: many}); len(got) != 1 {
		t.Errorf("%d parts", len(got))
	}
}
