package store

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/store/pushed"
	"tidings/store/shared"
)

// modelPin is a pin, and what its publisher has pushed.
type modelPin struct {
	have           uint64
	pushed, missed int64
	topic          byte
	heard          bool
	kept           map[uint64]byte   // topic by number
	by             map[uint64]uint64 // of the withdrawn items: by which item
}

type pushedRun struct {
	t      *testing.T
	config Config
	s      *Store
	pin    *modelPin       // nil: none
	seen   map[string]bool // items that readers were notified of
	told   int             // updates
}

// TestPushesAgainstModel receives a publisher's items out of order, again, and after a poll has found them. It gives
// gaps up, lets items withdraw earlier ones, replaces and forgets the key, and opens the store anew. The number up to
// which everything is here never falls.
func TestPushesAgainstModel(t *testing.T) {
	registerDisk()
	checkSome(t, 25, func(rt *rapid.T) {
		theDisk.reset()
		w := &pushedRun{t: t, config: Config{Dir: t.TempDir(), Now: newClock().now}, seen: make(map[string]bool)}
		w.s = openQuick(t, w.config)
		defer func() {
			if err := w.s.Close(); err != nil {
				t.Error(err)
			}
		}()
		follow(t, w.s, pinnedURL)
		rt.Repeat(map[string]func(*rapid.T){
			"push": w.push,
			"poll": w.poll,
			"pin":  w.setPin,
			"unpin": func(rt *rapid.T) {
				if rapid.IntRange(0, 3).Draw(rt, "seldom") > 0 {
					rt.Skip()
				}
				if err := w.s.Pushed.Unpin(t.Context(), pinnedURL); err != nil {
					rt.Fatal(err)
				}
				w.pin = nil
			},
			"skip":   w.skip,
			"missed": w.missed,
			"reopen": func(rt *rapid.T) {
				if err := w.s.Close(); err != nil {
					rt.Fatal(err)
				}
				w.s = openQuick(t, w.config)
			},
			"": w.compare,
		})
	})
}

// close counts what is here after the number up to which all is.
func (p *modelPin) close() {
	for p.kept[p.have+1] != 0 {
		p.have++
	}
}

// withdraw notes what an item withdraws; all was here up to a number.
func (p *modelPin) withdraw(item pushed.Item, all uint64) {
	for _, n := range item.Withdraws {
		switch {
		case n >= item.Number || p.by[n] != 0:
		case p.kept[n] != 0:
			p.by[n] = item.Number
		case n > all:
			p.kept[n], p.by[n] = item.Topic[0], item.Number
		}
	}
}

func (w *pushedRun) push(rt *rapid.T) {
	var all []Push
	var want []Applied
	wantErr := error(nil)
	known, err := w.s.Content.KnownItems(w.t.Context(), pinnedURL)
	if err != nil {
		rt.Fatal(err)
	}
	if w.pin == nil {
		wantErr = tidings.ErrNotFound
	}
	for range rapid.IntRange(1, 3).Draw(rt, "pushes") {
		number, item := rapid.Uint64Range(1, 9).Draw(rt, "number"),
			fmt.Sprint("i", rapid.IntRange(1, 9).Draw(rt, "item"))
		topic := byte(1)
		if w.pin != nil {
			topic = w.pin.topic
		}
		f := changeOf(known, story{item, item})
		f.Partial, f.SignedBy = true, "ab"
		push := Push{Item: pushed.Item{URL: pinnedURL, Topic: shared.Point{topic}, Number: number,
			Signed: fmt.Append(nil, number)}}
		if rapid.IntRange(0, 4).Draw(rt, "says something") > 0 {
			push.Change = f
		}
		push.Withdraws = rapid.SliceOfN(rapid.Uint64Range(1, 9), 0, 2).Draw(rt, "takes back")
		all = append(all, push)
		p := w.pin
		switch {
		case p == nil:
			continue
		case number > p.have && push.Change != nil && w.seen[item] && f.Items[0].Row == 0:
			// Compared before the one in front of it was here: it is refused with those behind it.
			p = nil
		case number > p.have && p.kept[number] != 0: // it is here
			want = append(want, Applied{Have: p.have})
			continue
		}
		if p == nil {
			break
		}
		a := Applied{}
		before := p.have
		if number > p.have {
			p.kept[number] = topic
			if push.Change != nil {
				if a.Late = w.seen[item]; a.Late {
					p.missed = max(0, p.missed-1)
				} else {
					a.Update = &tidings.Update{}
					w.seen[item] = true
					w.told++
					p.pushed++
				}
			}
		}
		p.withdraw(push.Item, before)
		p.close()
		p.heard = true
		a.Have = p.have
		want = append(want, a)
	}
	got, err := w.s.Apply(w.t.Context(), arrivalsOf(all)...)
	if !errors.Is(err, wantErr) || len(got) != len(want) {
		rt.Fatalf("%d pushes have become %+v, want %+v: %v, want %v", len(all), got, want, err, wantErr)
	}
	for i := range want {
		if (got[i].Update == nil) != (want[i].Update == nil) || got[i].Late != want[i].Late ||
			got[i].Have != want[i].Have {
			rt.Fatalf("push %d of %+v has become %+v, want %+v", i, all, got[i], want[i])
		}
	}
}

func arrivalsOf(all []Push) (arrivals []Arrival) {
	for _, p := range all {
		arrivals = append(arrivals, p)
	}
	return arrivals
}

func (w *pushedRun) poll(rt *rapid.T) {
	item := fmt.Sprint("i", rapid.IntRange(1, 9).Draw(rt, "item"))
	if u := publish(w.t, w.s, pinnedURL, story{item, item}); (u == nil) != w.seen[item] {
		rt.Fatalf("a poll has found %s: %+v", item, u)
	}
	if !w.seen[item] {
		w.told++
	}
	w.seen[item] = true
}

func (w *pushedRun) setPin(rt *rapid.T) {
	have, topic := rapid.Uint64Range(0, 5).Draw(rt, "have"), rapid.ByteRange(1, 2).Draw(rt, "topic")
	if err := w.s.Pushed.SetPin(w.t.Context(), pushed.Pin{Channel: pinnedURL, Topic: shared.Point{topic},
		Pinned: time.Unix(1, 0), Have: have}); err != nil {
		rt.Fatal(err)
	}
	if w.pin == nil {
		w.pin = &modelPin{kept: make(map[uint64]byte), by: make(map[uint64]uint64)}
	}
	w.pin.topic = topic
	w.pin.have = max(w.pin.have, have)
}

func (w *pushedRun) skip(rt *rapid.T) {
	upTo := rapid.Uint64Range(0, 6).Draw(rt, "up to")
	if err := w.s.Pushed.SetHighestSeq(w.t.Context(), pinnedURL, upTo); err != nil {
		rt.Fatal(err)
	}
	if w.pin != nil {
		w.pin.have, w.pin.heard = max(w.pin.have, upTo), true
		w.pin.close()
	}
}

func (w *pushedRun) missed(rt *rapid.T) {
	n := rapid.IntRange(0, 2).Draw(rt, "items")
	if err := w.s.Pushed.MissedPush(w.t.Context(), pinnedURL, n); err != nil {
		rt.Fatal(err)
	}
	if w.pin != nil {
		w.pin.missed += int64(n)
	}
}

func (w *pushedRun) compare(rt *rapid.T) {
	ctx := w.t.Context()
	got, err := w.s.Pushed.PinOf(ctx, pinnedURL)
	if w.pin == nil {
		if !errors.Is(err, tidings.ErrNotFound) {
			rt.Fatalf("a pin that was forgotten: %+v, %v", got, err)
		}
	} else if p := w.pin; err != nil || got.Have != p.have || got.Pushed != p.pushed || got.Missed != p.missed ||
		got.Topic[0] != p.topic || got.Heard.IsZero() == p.heard {
		rt.Fatalf("the pin is %+v, want %+v: %v", got, p, err)
	}
	kept, by := make(map[uint64]byte), make(map[uint64]uint64)
	if w.pin != nil {
		kept, by = w.pin.kept, w.pin.by
	}
	above := rapid.Uint64Range(0, 9).Draw(rt, "above")
	var want []uint64
	for _, n := range slices.Sorted(maps.Keys(kept)) {
		if n > above {
			want = append(want, n)
		}
	}
	if numbers, err := w.s.Pushed.Numbers(ctx, pinnedURL, above); err != nil || !slices.Equal(numbers, want) {
		rt.Fatalf("kept above %d: %v, want %v: %v", above, numbers, want, err)
	}
	for topic := byte(1); topic <= 2; topic++ {
		var want, there []uint64
		for _, n := range slices.Sorted(maps.Keys(kept)) {
			given := cmp.Or(by[n], n)
			if kept[n] == topic && n >= above && kept[given] == topic && by[given] == 0 {
				want = append(want, given)
			}
		}
		items, err := w.s.Pushed.Items(ctx, shared.Point{topic}, above, 1<<64-1, 3, 1<<20)
		for _, i := range items {
			if there = append(there, i.Number); string(i.Signed) != fmt.Sprint(i.Number) {
				rt.Fatalf("number %d is %q", i.Number, i.Signed)
			}
		}
		if want = want[:min(3, len(want))]; err != nil || !slices.Equal(there, want) {
			rt.Fatalf("of topic %d from %d on: %v, want %v: %v", topic, above, there, want, err)
		}
	}
	f, err := w.s.Channel(ctx, tidings.Owner, pinnedURL)
	entries := river(w.t, w.s, tidings.EntryQuery{Limit: 100})
	if err != nil || f.Unread != len(w.seen) || len(entries) != len(w.seen) || int(f.Version) != w.told {
		rt.Fatalf("%d entries, %d unread, version %d; want %d of %d updates: %v", len(entries), f.Unread, f.Version,
			len(w.seen), w.told, err)
	}
}
