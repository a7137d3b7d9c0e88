package sync_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tidings/delivery/fever"
	"tidings/delivery/greader"
	"tidings/delivery/minifluxapi"
	"tidings/delivery/sync"
	"tidings/delivery/sync/synctest"
	"tidings/node/phones/phonestest"
)

// world is a node with two people that have four phones each, and a model of what is read and starred there.
type world struct {
	library synctest.Node
	phones  []phone
	owners  []sync.Person
	numbers []int64
	items   map[int64]int64            // what was edited, by the numbers of its edits
	model   map[string]map[int64]state // by the person's name
	draw    func(n int) int            // a number below n
}

var people = []sync.Person{synctest.Ann, synctest.Ben}

// editedFeeds are the feeds with edits that are items of their own to Ann. Ben has none, and reads the same item once
// more.
var editedFeeds = []int64{1, 2}

// newWorld returns a world in which everybody has synced. The phones see the library, which has so many items, as look
// makes it.
func newWorld(library synctest.Node, items int, look func(sync.Library) sync.Library,
	draw func(int) int) (*world, error) {
	gate, seen := synctest.SampleGate(), look(library)
	w := &world{library: library, items: make(map[int64]int64), model: make(map[string]map[int64]state), draw: draw}
	for _, feed := range editedFeeds {
		library.SetEdits(synctest.Ann, feed, true)
	}
	for n := range items {
		w.numbers = append(w.numbers, int64(sync.FirstNumber+n))
	}
	for _, p := range people {
		w.model[p.Name] = w.here(p)
		wireTo := func(h http.Handler) wire {
			return wire{handler: h, person: p, now: library.Now, copy: make(map[int64]state), did: w.did,
				toggled: w.toggled}
		}
		g := greader.New(seen, gate, synctest.Log())
		for _, one := range []phone{
			&twine{greaderPhone: greaderPhone{wireTo(g)}}, &readYou{greaderPhone{wireTo(g)}},
			&feverPhone{wire: wireTo(fever.New(seen, gate, synctest.Log()))},
			&capy{wire: wireTo(minifluxapi.New(seen, gate, synctest.Log()))},
		} {
			w.phones, w.owners = append(w.phones, one), append(w.owners, p)
		}
	}
	return w, w.syncAll()
}

// here returns how a person has the items on the node.
func (w *world) here(p sync.Person) map[int64]state {
	items, err := w.library.ItemsOf(context.Background(), p, w.numbers)
	if err != nil {
		panic(err) // the library has none
	}
	states := make(map[int64]state)
	for _, i := range items {
		states[i.Number] = state{i.Read, i.Starred}
	}
	return states
}

// did changes the model as a mark says. A star is that of an item and of all of its edits. What the person does not
// have stays as it is.
func (w *world) did(p sync.Person, m mark) {
	if _, has := w.model[p.Name][m.number]; !has {
		return
	}
	for n, s := range w.model[p.Name] {
		switch {
		case m.starred && w.item(n) == w.item(m.number):
			s.starred = m.on
		case !m.starred && n == m.number:
			s.read = m.on
		}
		w.model[p.Name][n] = s
	}
}

// item returns the number of what was edited, of what is no edit its own.
func (w *world) item(number int64) int64 {
	if item, is := w.items[number]; is {
		return item
	}
	return number
}

// edit edits an item. To people that have edits as items there is one more, which is unread. To the others the same
// item is unread again.
func (w *world) edit(number int64) {
	if number != w.item(number) {
		return
	}
	edit := w.library.Edit(number, "Edited")
	if edit != 0 {
		w.numbers = append(w.numbers, edit)
		w.items[edit] = number
	}
	for _, p := range people {
		s := w.model[p.Name][number]
		if p == synctest.Ann && edit != 0 {
			w.model[p.Name][edit] = state{starred: s.starred}
			continue
		}
		s.read = false
		w.model[p.Name][number] = s
	}
}

func (w *world) toggled(p sync.Person, number int64) {
	w.did(p, mark{number, true, !w.model[p.Name][number].starred})
}

// didAll changes the model as the marking of a feed does.
func (w *world) didAll(p sync.Person, feed int64) error {
	items, err := w.library.ItemsOf(context.Background(), p, w.numbers)
	for _, i := range items {
		if i.Feed == feed {
			w.did(p, mark{i.Number, false, true})
		}
	}
	return err
}

// step does one thing at random.
func (w *world) step() error {
	ctx := context.Background()
	switch w.draw(8) {
	case 0:
		w.library.Pass(time.Duration(w.draw(3000)) * time.Millisecond)
	case 1:
		n := w.library.Arrive(sync.Item{Feed: int64(1 + w.draw(3)), Title: "New",
			Published: w.library.Now().Add(time.Duration(w.draw(100)-90) * time.Hour)})
		w.numbers = append(w.numbers, n)
		for _, p := range people {
			w.model[p.Name][n] = state{}
		}
	case 2: // somebody marks an item on the page
		p, m := people[w.draw(2)], mark{w.numbers[w.draw(len(w.numbers))], w.draw(2) == 0, w.draw(2) == 0}
		c := sync.Change{Read: &m.on}
		if m.starred {
			c = sync.Change{Starred: &m.on}
		}
		if err := w.library.Mark(ctx, p, []int64{m.number}, c); err != nil {
			return fmt.Errorf("marking here: %w", err)
		}
		w.did(p, m)
	case 3, 4: // or on a phone
		one := w.phones[w.draw(len(w.phones))]
		has := slices.Sorted(maps.Keys(one.has()))
		if len(has) > 0 {
			n := has[w.draw(len(has))]
			m := mark{n, w.draw(2) == 0, false}
			if m.on = !one.has()[n].read; m.starred {
				m.on = !one.has()[n].starred
			}
			one.mark(m)
		}
	case 5: // or a feed
		n, feed := w.draw(len(w.phones)), int64(1+w.draw(3))
		if err := w.phones[n].markAll(feed); err != nil {
			return err
		}
		return w.didAll(w.owners[n], feed)
	case 6:
		w.edit(w.numbers[w.draw(len(w.numbers))])
	case 7:
		return w.sync(w.draw(len(w.phones)))
	}
	return nil
}

// sync has a phone sync until it has nothing to send, and then once more, which changes nothing.
func (w *world) sync(n int) error {
	for again := true; again; {
		again = !w.phones[n].idle()
		before := maps.Clone(w.model[w.owners[n].Name])
		if err := w.phones[n].sync(); err != nil {
			return err
		}
		if err := w.agree(); err != nil {
			return err
		}
		if !again && !maps.Equal(before, w.model[w.owners[n].Name]) {
			return fmt.Errorf("a sync of %T, on which nothing was marked, marks something", w.phones[n])
		}
	}
	return nil
}

// agree compares the node with the model.
func (w *world) agree() error {
	for _, p := range people {
		if err := same(w.here(p), w.model[p.Name]); err != nil {
			return fmt.Errorf("%s has here what the model has not: %w", p.Name, err)
		}
	}
	return nil
}

func same(got, want map[int64]state) error {
	if len(got) != len(want) {
		return fmt.Errorf("there are %d items, not %d", len(got), len(want))
	}
	for n, s := range want {
		if got[n] != s {
			return fmt.Errorf("item %d is %+v, not %+v", n, got[n], s)
		}
	}
	return nil
}

// syncAll has all phones sync until all have what the others have sent, and compares everything. A phone need
// not have items that were read and not starred before it was there.
func (w *world) syncAll() error {
	for range 2 {
		for n := range w.phones {
			if err := w.sync(n); err != nil {
				return err
			}
		}
	}
	for n, one := range w.phones {
		for number, want := range w.model[w.owners[n].Name] {
			got, known := one.has()[number]
			if known && got != want || !known && want != (state{read: true}) {
				return fmt.Errorf("%T of %s has item %d as %+v (%v), not as %+v", one, w.owners[n].Name, number, got,
					known, want)
			}
		}
	}
	return nil
}

// run has so many things happen, and then everybody sync.
func run(items, steps int, look func(sync.Library) sync.Library, draw func(int) int) error {
	library, _ := synctest.Small(items)
	return runIn(library, items, steps, look, draw)
}

// runIn is run with a library that has so many items.
func runIn(library synctest.Node, items, steps int, look func(sync.Library) sync.Library, draw func(int) int) error {
	w, err := newWorld(library, items, look, draw)
	if err != nil {
		return err
	}
	for range steps {
		if err := w.step(); err != nil {
			return err
		}
	}
	return w.syncAll()
}

// asItIs is a library that nothing is wrong with.
func asItIs(l sync.Library) sync.Library { return l }

// Whatever two people do on the page and on eight phones of four kinds, and in whatever order these sync: a
// sync without marks changes nothing here, and in the end all have the same.
func TestPhonesConverge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "draw") }
		if err := run(rapid.IntRange(1, 220).Draw(t, "items"), rapid.IntRange(0, 40).Draw(t, "steps"), asItIs,
			draw); err != nil {
			t.Fatal(err)
		}
	})
}

// A phone has everything of a library that is larger than any of its pages.
func TestPhonesWithManyItemsConverge(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	if err := run(2600, 60, asItIs, random.IntN); err != nil {
		t.Error(err)
	}
}

// stored calls f with a library that keeps its items in a store, and has so many.
func stored(dir string, items int, f func(*phonestest.Node) error) error {
	data, err := os.MkdirTemp(dir, "data")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	library, err := phonestest.Open(data, synctest.Begin(items))
	if err != nil {
		return err
	}
	synctest.Fill(library, items)
	return errors.Join(f(library), library.Store.Close())
}

// So it is where the library is that of a node, over a real store.
func TestPhonesConvergeWithTheStore(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "draw") }
		items, steps := rapid.IntRange(1, 60).Draw(t, "items"), rapid.IntRange(0, 40).Draw(t, "steps")
		if err := stored(dir, items, func(l *phonestest.Node) error {
			return runIn(l, items, steps, asItIs, draw)
		}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestPhonesWithManyItemsConvergeWithTheStore(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	if err := stored(t.TempDir(), 1300, func(l *phonestest.Node) error {
		return runIn(l, 1300, 60, asItIs, random.IntN)
	}); err != nil {
		t.Error(err)
	}
}

// short is a library in which lists of unread items have a bound that it does not mention.
type short struct{ sync.Library }

func (s short) Numbers(ctx context.Context, p sync.Person, q sync.Query) ([]int64, error) {
	numbers, err := s.Library.Numbers(ctx, p, q)
	if q.Read == sync.Without {
		numbers = numbers[:min(len(numbers), 100)]
	}
	return numbers, err
}

// careless is a library that passes over whether items are read, in lists of read ones.
type careless struct{ sync.Library }

func (c careless) Numbers(ctx context.Context, p sync.Person, q sync.Query) ([]int64, error) {
	if q.Read == sync.Only {
		q.Read = sync.Any
	}
	return c.Library.Numbers(ctx, p, q)
}

// claimed is a library that goes by the dates of feeds.
type claimed struct{ sync.Library }

func (c claimed) Numbers(ctx context.Context, p sync.Person, q sync.Query) ([]int64, error) {
	if !q.ArrivedFrom.IsZero() {
		q.PublishedFrom, q.ArrivedFrom = q.ArrivedFrom, time.Time{}
	}
	return c.Library.Numbers(ctx, p, q)
}

// silent is a library in which marks are no changes.
type silent struct{ sync.Library }

func (s silent) Numbers(ctx context.Context, p sync.Person, q sync.Query) ([]int64, error) {
	if q.ChangedFrom.IsZero() {
		return s.Library.Numbers(ctx, p, q)
	}
	q.ArrivedFrom, q.ChangedFrom = q.ChangedFrom, time.Time{}
	return s.Library.Numbers(ctx, p, q)
}

// The phones of this test mark and lose items as real ones do when a server is wrong: else it would prove
// nothing.
func TestPhonesFindWrongServers(t *testing.T) {
	for name, look := range map[string]func(sync.Library) sync.Library{
		"short":    func(l sync.Library) sync.Library { return short{l} },
		"careless": func(l sync.Library) sync.Library { return careless{l} },
		"claimed":  func(l sync.Library) sync.Library { return claimed{l} },
		"silent":   func(l sync.Library) sync.Library { return silent{l} },
	} {
		found := error(nil)
		for seed := uint64(0); seed < 20 && found == nil; seed++ {
			found = run(250, 100, look, rand.New(rand.NewPCG(seed, 3)).IntN)
		}
		if found == nil {
			t.Errorf("nobody finds the library that is %s", name)
		} else {
			t.Logf("%s: %v", name, found)
		}
	}
}
