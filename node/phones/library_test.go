package phones_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings"
	"tidings/delivery/sync"
	"tidings/delivery/sync/synctest"
	"tidings/node/phones/phonestest"
	"tidings/store"
	"tidings/store/db"
	"tidings/store/reader"
)

var people = []sync.Person{synctest.Ann, synctest.Ben}

// twins are the library in memory and that over a store, in which the same happens.
type twins struct {
	tester
	number  func(n int) int // below n
	model   *synctest.Library
	stored  *phonestest.Node
	numbers []int64
	edits   map[int64]bool  // those among numbers
	left    map[string]bool // feeds that a person has left, by person and address: their marks are forgotten
	folders map[int64]int64 // of the model, by those of the store
}

// tester is a test of either kind.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

const feeds = 4

func address(feed int) string { return fmt.Sprintf("https://feed%d.example/rss", feed) }

// both has the same done in both, which must fail in the same way.
func (w *twins) both(what string, do func(sync.Library) error) {
	w.Helper()
	want, got := do(w.model), do(w.stored)
	if (want == nil) != (got == nil) {
		w.Fatalf("%s: %v, not %v", what, got, want)
	}
	for _, kind := range []error{tidings.ErrNotFound, tidings.ErrExists, tidings.ErrInvalid} {
		if errors.Is(want, kind) != errors.Is(got, kind) {
			w.Fatalf("%s: %v, not %v", what, got, want)
		}
	}
}

func (w *twins) person() sync.Person { return people[w.number(2)] }

var names = []string{"red", "green", "Q&A / C++"}

func (w *twins) name() string { return names[w.number(len(names))] }

func (w *twins) arrive() {
	feed := 1 + w.number(feeds)
	if !w.has(synctest.Ann, feed) && !w.has(synctest.Ben, feed) {
		return
	}
	i := sync.Item{
		Feed: int64(feed), Title: []string{"Alpha", "Beta", "Alpha beta"}[w.number(3)], Author: "Eve",
		HTML: "<p>Some <b>text</b>.</p>",
		URL:  fmt.Sprintf("https://feed.example/%d", len(w.numbers)),
	}
	switch w.number(4) {
	case 0:
		i.Published = w.model.Now().Add(time.Duration(w.number(100)-80) * time.Minute)
	case 1:
		i.Published = time.Unix(int64(w.number(3)-1), 0)
	case 2:
		i.Published = w.model.Now().Add(-time.Duration(w.number(4)) * time.Second)
	}
	want, got := w.model.Arrive(i), w.stored.Arrive(i)
	if want != got {
		w.Fatalf("an item has number %d, not %d", got, want)
	}
	w.numbers = append(w.numbers, want)
}

// edit edits an item. Followers of the feed have to read it again: as it is, or as an item of its own.
func (w *twins) edit() {
	if len(w.numbers) == 0 {
		return
	}
	n := w.numbers[w.number(len(w.numbers))]
	if items, _ := w.stored.ItemsOf(context.Background(), synctest.Ann, []int64{n}); len(items) == 0 || w.edits[n] {
		return // Ann's own channels find it
	}
	title := fmt.Sprintf("Edited %d", w.number(1000))
	want, got := w.model.Edit(n, title), w.stored.Edit(n, title)
	if want != got {
		w.Fatalf("an edit has number %d, not %d", got, want)
	}
	if want != 0 {
		w.numbers, w.edits[want] = append(w.numbers, want), true
	}
}

// setEdits has a person have edits in a feed as items, or none.
func (w *twins) setEdits() {
	p, feed, wanted := w.person(), int64(1+w.number(feeds)), w.number(4) > 0
	w.model.SetEdits(p, feed, wanted)
	w.stored.SetEdits(p, feed, wanted)
}

func (w *twins) must(err error) {
	if err != nil {
		w.Fatal(err)
	}
}

func (w *twins) some() (some []int64) {
	for range w.number(4) {
		if len(w.numbers) > 0 {
			some = append(some, w.numbers[w.number(len(w.numbers))])
		}
	}
	return append(some, 5, sync.FirstNumber+1000)
}

func (w *twins) change() (c sync.Change) {
	if w.number(4) > 0 {
		c.Read = new(w.number(2) > 0)
	}
	if w.number(3) == 0 {
		c.Starred = new(w.number(2) == 0)
	}
	if w.number(3) == 0 {
		c.AddLabels = []string{w.name()}
	}
	if w.number(4) == 0 {
		c.RemoveLabels = []string{w.name()}
	}
	return c
}

func (w *twins) time() time.Time {
	if w.number(3) > 0 {
		return time.Time{}
	}
	return w.model.Now().Add(-time.Duration(w.number(5)) * time.Second)
}

func (w *twins) bound() int64 {
	if w.number(3) > 0 {
		return 0
	}
	return sync.FirstNumber - 2 + int64(w.number(20))
}

func (w *twins) query() (q sync.Query) {
	if w.number(3) == 0 {
		for range 1 + w.number(3) {
			q.Feeds = append(q.Feeds, int64(1+w.number(feeds+1)))
		}
	}
	q.Read, q.Starred = sync.Which(w.number(3)), sync.Which(w.number(9)/3)
	q.After, q.Before = w.bound(), w.bound()
	switch w.number(6) {
	case 0:
		q.Label = w.name()
	case 1:
		q.NotLabel = w.name()
	case 2:
		q.Search = []string{"alpha", "alpha beta", "text", "edited"}[w.number(4)]
	case 3:
		q.ArrivedFrom, q.ArrivedBefore = w.time(), w.time()
	case 4:
		q.PublishedFrom, q.PublishedBefore = w.time(), w.time()
	case 5:
		q.ChangedFrom, q.ChangedBefore = w.time(), w.time()
	}
	q.Order, q.Ascending = sync.Order(w.number(3)), w.number(2) == 0
	q.Limit, q.Offset = w.number(4)*w.number(4), max(0, w.number(6)-3)
	return q
}

func (w *twins) subscribe() {
	ctx, p, feed := context.Background(), w.person(), 1+w.number(feeds)
	if w.left[p.Name+address(feed)] {
		return
	}
	had := w.has(p, feed)
	var id int64
	w.both("subscribing", func(l sync.Library) error {
		f, created, err := l.Subscribe(ctx, p, address(feed), sync.Naming{})
		if created == had || f.Folder == 0 || f.ID != int64(feed) {
			w.Fatalf("subscribing gives %+v, created %v", f, created)
		}
		id = f.ID
		return err
	})
	if !had { // what the feed lists becomes unread then
		yes, no := true, false
		w.must(w.model.MarkAll(ctx, p, sync.Query{Feeds: []int64{id}}, sync.Change{Read: &yes}))
		w.must(w.model.MarkAll(ctx, p, sync.Query{Feeds: []int64{id}}, sync.Change{Read: &no}))
	}
}

func (w *twins) has(p sync.Person, feed int) bool {
	all, err := w.model.Feeds(context.Background(), p)
	w.must(err)
	return slices.ContainsFunc(all, func(f sync.Feed) bool { return f.ID == int64(feed) })
}

func (w *twins) unsubscribe() {
	p, feed := w.person(), 1+w.number(feeds)
	if w.number(4) > 0 || feed == 1 { // seldom; the first has a follower always, so that items can be found
		return
	}
	w.left[p.Name+address(feed)] = true
	w.both("unsubscribing", func(l sync.Library) error { return l.Unsubscribe(context.Background(), p, int64(feed)) })
}

// folder returns a folder of a person: of the store, and of the model. It may be none.
func (w *twins) folder(p sync.Person) (stored, model int64) {
	all, err := w.stored.Folders(context.Background(), p)
	w.must(err)
	if n := w.number(len(all) + 1); n < len(all) {
		return all[n].ID, w.folders[all[n].ID]
	}
	return 999, 999
}

func (w *twins) rename() {
	ctx, p := context.Background(), w.person()
	stored, model := w.folder(p)
	of := func(l sync.Library) int64 {
		if l == w.model {
			return model
		}
		return stored
	}
	name := w.name()
	switch w.number(5) {
	case 0:
		ids := make(map[sync.Library]int64)
		w.both("adding a folder", func(l sync.Library) error {
			f, err := l.AddFolder(ctx, p, name)
			ids[l] = f.ID
			return err
		})
		if id := ids[w.stored]; id != 0 {
			w.folders[id] = ids[w.model]
		}
	case 1:
		w.both("adding a folder without a name", func(l sync.Library) error {
			_, err := l.AddFolder(ctx, p, " ")
			return err
		})
	case 2:
		w.both("renaming a folder", func(l sync.Library) error { return l.RenameFolder(ctx, p, of(l), name) })
	case 3:
		w.both("removing a folder", func(l sync.Library) error { return l.RemoveFolder(ctx, p, of(l)) })
	case 4:
		feed, n := int64(1+w.number(feeds)), sync.Naming{}
		if w.number(2) == 0 {
			n.Title = new([]string{"", "Mine", "Yours"}[w.number(3)])
		}
		if w.number(2) == 0 {
			n.Folder = new(int64)
		}
		w.both("changing a feed", func(l sync.Library) error {
			if n.Folder != nil {
				*n.Folder = of(l)
			}
			return l.ChangeFeed(ctx, p, feed, n)
		})
	}
}

func (w *twins) step() {
	ctx, p := context.Background(), w.person()
	switch w.number(15) {
	case 0, 1:
		d := time.Duration(w.number(7)) * 500 * time.Millisecond // so that times meet
		w.model.Pass(d)
		w.stored.Pass(d)
	case 2, 3, 4:
		w.arrive()
	case 5, 13:
		w.edit()
	case 14:
		w.setEdits()
	case 6, 7:
		numbers, c := w.some(), w.change()
		w.both("marking", func(l sync.Library) error { return l.Mark(ctx, p, numbers, c) })
	case 8:
		q, c := w.query(), w.change()
		w.both("marking all", func(l sync.Library) error { return l.MarkAll(ctx, p, q, c) })
	case 9:
		name, to := w.name(), w.name()
		if name == to {
			w.both("removing a label", func(l sync.Library) error { return l.RemoveLabel(ctx, p, name) })
			break
		}
		w.both("renaming a label", func(l sync.Library) error { return l.RenameLabel(ctx, p, name, to) })
	case 10:
		w.subscribe()
		w.unsubscribe()
	case 11:
		w.rename()
	case 12: // which is never shown
		of := reader.Place{Account: int64(p.ID), Channel: int64(1 + w.number(feeds))}
		w.must(w.stored.Store.DB.Write(ctx, func(t *db.Tx) error {
			_, err := reader.RaiseSeen(t, of)
			return err
		}))
	}
}

// ask compares what one query gives.
func (w *twins) ask(p sync.Person, q sync.Query) {
	w.Helper()
	ctx := context.Background()
	w.same(fmt.Sprintf("numbers of %+v", q), func(l sync.Library) (any, error) { return l.Numbers(ctx, p, q) })
	w.same(fmt.Sprintf("count of %+v", q), func(l sync.Library) (any, error) { return l.Count(ctx, p, q) })
}

// compare compares all that there is to see.
func (w *twins) compare() {
	ctx := context.Background()
	for _, p := range people {
		for range 3 {
			w.ask(p, w.query())
		}
		w.same("labels", func(l sync.Library) (any, error) { return l.Labels(ctx, p) })
		w.same("tallies", func(l sync.Library) (any, error) {
			all, err := l.Tallies(ctx, p)
			for id, t := range all {
				t.Newest = t.Newest.UTC()
				all[id] = t
			}
			return all, err
		})
		w.same("items", func(l sync.Library) (any, error) {
			items, err := l.ItemsOf(ctx, p, slices.Concat(w.numbers, []int64{sync.FirstNumber + 1000, 1}))
			for i := range items {
				of := &items[i]
				for _, t := range []*time.Time{&of.Published, &of.Arrived, &of.Changed} {
					*t = t.UTC()
				}
			}
			return items, err
		})
		w.same("folders", func(l sync.Library) (any, error) {
			all, err := l.Folders(ctx, p)
			for i := range all {
				if l == w.stored && all[i].ID != sync.NoFolder {
					all[i].ID = w.folders[all[i].ID]
				}
			}
			slices.SortFunc(all, func(a, b sync.Folder) int { return int(a.ID - b.ID) })
			return all, err
		})
		w.same("feeds", func(l sync.Library) (any, error) {
			all, err := l.Feeds(ctx, p)
			for i := range all {
				if l == w.stored && all[i].Folder != sync.NoFolder {
					all[i].Folder = w.folders[all[i].Folder]
				}
				all[i].LastUpdated, all[i].Checked, all[i].Icon = time.Time{}, time.Time{}, 0
			}
			slices.SortFunc(all, func(a, b sync.Feed) int { return int(a.ID - b.ID) })
			return all, err
		})
	}
}

// same compares what both answer; an empty list is as good as none.
func (w *twins) same(what string, ask func(sync.Library) (any, error)) {
	w.Helper()
	want, err := ask(w.model)
	w.must(err)
	got, err := ask(w.stored)
	w.must(err)
	if fmt.Sprintf("%+v", want) != fmt.Sprintf("%+v", got) {
		w.Fatalf("%s:\n%+v\nnot\n%+v", what, got, want)
	}
}

// compareTwins has so many things happen in both libraries, and compares them.
func compareTwins(t tester, dir string, steps int, number func(int) int) {
	data, err := os.MkdirTemp(dir, "data")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(data)
	node, err := phonestest.Open(data, synctest.SampleTime)
	if err != nil {
		t.Fatal(err)
	}
	w := &twins{tester: t, number: number, model: synctest.New(synctest.SampleTime), stored: node,
		edits: make(map[int64]bool), left: make(map[string]bool),
		folders: map[int64]int64{sync.NoFolder: sync.NoFolder}}
	defer func() {
		w.must(node.Store.Close())
		if found, err := store.Check(context.Background(), data); err != nil ||
			slices.ContainsFunc(found, func(p db.Problem) bool { return !p.OK }) {
			t.Fatalf("after all the store has %+v (%v)", found, err)
		}
	}()
	for feed := 1; feed <= feeds; feed++ {
		for _, p := range people[:1+feed%2] { // every second feed has both
			w.both("subscribing", func(l sync.Library) error {
				_, _, err := l.Subscribe(context.Background(), p, address(feed), sync.Naming{})
				return err
			})
		}
	}
	for range steps {
		w.step()
		w.ask(w.person(), sync.Query{Read: sync.Without})
		w.ask(w.person(), w.query())
	}
	w.compare()
}

// Whatever two people do, the library over a store is as that in memory, which is as simple as its meaning allows.
func TestLibraryIsAsTheModel(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		number := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "number") }
		compareTwins(t, dir, rapid.IntRange(0, 60).Draw(t, "steps"), number)
	})
}

// So it is where more happens, and nothing more often than else.
func TestLibraryIsAsTheModelForLong(t *testing.T) {
	for seed := range uint64(10) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			compareTwins(t, t.TempDir(), 400, rand.New(rand.NewPCG(seed, 1)).IntN)
		})
	}
}
