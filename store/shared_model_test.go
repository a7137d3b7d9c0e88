package store

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidings"
	"tidings/store/content"
	"tidings/store/shared"
)

// namedContent is a content of the model's channel that was named.
type namedContent struct {
	at     int            // how many namings there had been
	upTo   int            // the channel's version then
	listed []string       // the document
	rows   map[string]int // the version in which each item of it came
}

type sharedRun struct {
	t       *testing.T
	config  Config
	s       *Store
	version int
	listed  []string       // the document, in its order
	texts   map[string]int // of each item ever seen, a number
	came    map[string]int // the version in which it came in its text
	naming  int
	named   map[shared.Hash]namedContent
	last    shared.Hash // the latest name
	number  uint64      // of the network's
	hash    shared.Hash
	title   string
}

// TestNamesAgainstModel names contents of a feed, by hand, with polls and with versions of other nodes, past ones too;
// it has numbers come out of order, and opens the store anew. The latest 16 names lead on from what they stood for.
func TestNamesAgainstModel(t *testing.T) {
	registerDisk()
	checkSome(t, 25, func(rt *rapid.T) {
		theDisk.reset()
		w := &sharedRun{t: t, config: Config{Dir: t.TempDir(), Now: newClock().now}, texts: make(map[string]int),
			came: make(map[string]int), named: make(map[shared.Hash]namedContent)}
		w.s = openQuick(t, w.config)
		defer func() {
			if err := w.s.Close(); err != nil {
				t.Error(err)
			}
		}()
		follow(t, w.s, feedURL)
		rt.Repeat(map[string]func(*rapid.T){
			"poll":   w.poll,
			"remote": w.remote,
			"past":   w.past,
			"name":   w.name,
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

const mostNames = 40

var anyName = rapid.Map(rapid.ByteRange(1, mostNames), hashed)

// draw makes up a document of some items in any order, and says what the store is to make of it.
func (w *sharedRun) draw(rt *rapid.T, items ...string) (change *tidings.Change, told bool) {
	var stories []story
	texts := make(map[string]int)
	for _, id := range items {
		texts[id] = w.texts[id] + rapid.SampledFrom([]int{0, 0, 1}).Draw(rt, "change")
		stories = append(stories, story{id, fmt.Sprint(id, texts[id])})
	}
	change = document(w.t, w.s, feedURL, stories...)
	for id, text := range texts {
		if before, seen := w.texts[id]; !seen || before != text {
			told = true
			w.came[id] = w.version + 1
		}
		w.texts[id] = text
	}
	if told {
		w.version++
	}
	return change, told
}

func (w *sharedRun) document(rt *rapid.T) (change *tidings.Change, told bool) {
	items := rapid.SliceOfNDistinct(anyItem, 1, 4, rapid.ID).Draw(rt, "items")
	change, told = w.draw(rt, items...)
	w.listed, w.title = items, change.Title
	return change, told
}

// note notes that what there is has a name.
func (w *sharedRun) note(name shared.Hash) {
	now := namedContent{upTo: w.version, rows: make(map[string]int)}
	for _, id := range w.listed {
		now.rows[id] = w.came[id]
	}
	if before := w.named[name]; w.last == name && before.upTo == now.upTo && slices.Equal(before.listed, w.listed) {
		return // it has it already
	}
	w.naming++
	now.at, now.listed = w.naming, slices.Clone(w.listed)
	w.named[name], w.last = now, name
}

func (w *sharedRun) poll(rt *rapid.T) {
	change, told := w.document(rt)
	applied, err := w.s.Apply(w.t.Context(), &Record{Record: content.Record{URL: feedURL, Change: change}, Named: true})
	if err != nil || (applied[0].Update != nil) != told {
		rt.Fatalf("a poll told %+v, want %v: %v", applied, told, err)
	}
	if want := foundHash(change); applied[0].Hash != want {
		rt.Fatalf("a poll is named %x, want %x", applied[0].Hash, want)
	}
	w.note(applied[0].Hash)
}

// given draws a number of the network's and what it stands for, and says that it comes.
func (w *sharedRun) given(rt *rapid.T, name shared.Hash) shared.Version {
	given := shared.Version{URL: feedURL, Number: rapid.Uint64Range(0, 12).Draw(rt, "number"), Hash: name}
	if given.Number > w.number {
		w.number, w.hash = given.Number, name
	}
	return given
}

func (w *sharedRun) remote(rt *rapid.T) {
	name := anyName.Draw(rt, "name")
	change, told := w.document(rt)
	u, err := apply(w.t.Context(), w.s, Remote{Version: w.given(rt, name), Change: change})
	if err != nil || (u != nil) != told {
		rt.Fatalf("another node's version told %+v, want %v: %v", u, told, err)
	}
	w.note(name)
}

// past brings an item of a document that has been replaced: the channel's document, title and name stay.
func (w *sharedRun) past(rt *rapid.T) {
	if w.version == 0 {
		rt.Skip("there is no document so far")
	}
	change, told := w.draw(rt, "gone")
	change.Past, change.Title = true, "then"
	u, err := apply(w.t.Context(), w.s, Remote{Version: w.given(rt, anyName.Draw(rt, "name")), Change: change})
	if err != nil || (u != nil) != told {
		rt.Fatalf("a past version told %+v, want %v: %v", u, told, err)
	}
}

func (w *sharedRun) name(rt *rapid.T) {
	if w.version == 0 {
		rt.Skip("there is no document so far")
	}
	for _, name := range rapid.SliceOfN(anyName, 1, 12).Draw(rt, "names") {
		if err := w.s.Name(w.t.Context(), feedURL, name, w.given(rt, name)); err != nil {
			rt.Fatal(err)
		}
		w.note(name)
	}
}

func (w *sharedRun) compare(rt *rapid.T) {
	ctx := w.t.Context()
	if v, err := w.s.Shared.Version(ctx, feedURL); err != nil || v.Number != w.number || v.Hash != w.hash {
		rt.Fatalf("the network's version is %+v, want %d of %x: %v", v, w.number, w.hash, err)
	}
	isKnown := func(name shared.Hash) bool {
		then, known := w.named[name]
		return known && w.naming-then.at < 16
	}
	all := slices.Collect(maps.Keys(w.named))
	for name := range byte(mostNames) {
		all = append(all, hashed(name+1))
	}
	slices.SortFunc(all, func(a, b shared.Hash) int { return slices.Compare(a[:], b[:]) })
	var names []shared.Hash
	for _, name := range slices.Compact(all) {
		want := isKnown(name)
		if got, err := w.s.Shared.Known(ctx, feedURL, name); err != nil || got != want {
			rt.Fatalf("name %x is known: %v, want %v: %v", name, got, want, err)
		}
		if want {
			names = append(names, name)
		}
	}
	base := rapid.SampledFrom(append(names, anyName.Draw(rt, "name"))).Draw(rt, "base")
	then, known := w.named[base], isKnown(base)
	d, err := w.s.DeltaFrom(ctx, feedURL, base)
	if err != nil || d.Based != known || len(d.Items) != len(w.listed) || d.Title != w.title {
		rt.Fatalf("from %x leads %+v, want %v, based %v: %v", base, d, w.listed, known, err)
	}
	for i, id := range w.listed {
		came, listed := then.rows[id]
		fresh := !known || !listed || came != w.came[id]
		if got := d.Items[i]; got.ID != id || got.Fresh != fresh ||
			fresh && got.Raw != fmt.Sprintf("<p onclick=x>%s%d</p>", id, w.texts[id]) {
			rt.Fatalf("from %x, item %d is %+v, want %s, fresh %v", base, i, got, id, fresh)
		}
	}
	state, err := w.s.Content.State(ctx, feedURL, 0)
	if err != nil || int(state.Version) != w.version || len(state.Items) != len(w.listed) {
		rt.Fatalf("there is %+v, want version %d of %v: %v", state, w.version, w.listed, err)
	}
}
