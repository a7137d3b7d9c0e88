package synctest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	gosync "sync"
	"time"

	"tidings"
	"tidings/delivery/sync"
)

// Library keeps everything in memory. Its clock stands still but for [Library.Pass].
type Library struct {
	mu      gosync.Mutex
	now     time.Time
	items   []sync.Item // of all feeds, by number; without what is a person's own
	feeds   []sync.Feed // all that anybody ever followed; ID is the index and one
	icons   map[int64]sync.Icon
	people  map[tidings.AccountID]*person
	pages   map[int64]string // by number of the item
	edits   map[int64]edit   // those among items, by number
	again   map[int64]int    // how often an item was edited
	highest int64
	// Refreshed are the feeds of the last Refresh, sorted.
	Refreshed []int64
}

// person is what one person has.
type person struct {
	follows map[int64]sync.Feed // by ID
	folders []sync.Folder
	edits   map[int64]int64 // by feed: larger numbers of edits are items
	states  map[int64]state
	next    int64 // ID of the next folder
}

// edit is an edit of an item, with what that was before.
type edit struct {
	item    int64
	title   string
	changed time.Time
	again   int
}

// state is what a person did with an item. Of an edit it has no more than whether that is read.
type state struct {
	upTo    int // how many of the item's texts are read: its first, and one for each edit
	starred bool
	labels  []string
	changed time.Time
}

// New returns an empty library.
func New(now time.Time) *Library {
	return &Library{now: now, people: make(map[tidings.AccountID]*person), icons: make(map[int64]sync.Icon),
		edits: make(map[int64]edit), again: make(map[int64]int),
		highest: sync.FirstNumber - 1}
}

// Now returns the time in the library.
func (l *Library) Now() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// Pass lets time pass.
func (l *Library) Pass(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(d)
}

// Arrive adds an item to a feed, with the feed, title and so on of i. It returns its number.
func (l *Library) Arrive(i sync.Item) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.highest++
	i.Number, i.Arrived, i.Changed = l.highest, l.now, l.now
	i.Published = sync.DateOf(i.Published, i.Arrived)
	l.items = append(l.items, i)
	return i.Number
}

// Edit changes the title of an item, as its publisher does. The item is unread for people that have read it. Edit
// returns the number of the edit. It is 0 if the edit is an item of its own to nobody.
func (l *Library) Edit(number int64, title string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.IndexFunc(l.items, func(i sync.Item) bool { return i.Number == number })
	if _, is := l.edits[number]; at < 0 || is {
		return 0
	}
	i := l.items[at]
	before := edit{number, i.Title, i.Changed, l.again[number]}
	l.items[at].Title, l.items[at].Changed = title, l.now
	l.again[number]++
	for _, one := range l.people {
		if _, wanted := one.edits[i.Feed]; wanted {
			l.highest++
			i.Number, i.Title, i.Arrived, i.Changed, i.Published = l.highest, title, l.now, l.now, l.now
			i.URL = sync.EditLink(i.URL, i.Number)
			l.items, l.edits[i.Number] = append(l.items, i), before
			return i.Number
		}
	}
	return 0
}

// SetEdits has a person have edits in a feed as items of their own from now on, or none.
func (l *Library) SetEdits(p sync.Person, feed int64, wanted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.of(p)
	_, had := one.edits[feed]
	if had == wanted || one.follows[feed].ID == 0 {
		return
	}
	if wanted {
		one.edits[feed] = l.highest
		return
	}
	for number, e := range l.edits {
		if one.sees(number, feed, l) && l.items[number-sync.FirstNumber].Feed == feed {
			s := one.states[e.item]
			s.changed = l.now
			one.states[e.item] = s
		}
	}
	delete(one.edits, feed)
	maps.DeleteFunc(one.states, func(number int64, _ state) bool {
		_, is := l.edits[number]
		return is && l.items[number-sync.FirstNumber].Feed == feed
	})
}

// SetIcon gives a feed a picture.
func (l *Library) SetIcon(feed int64, icon sync.Icon) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := int64(len(l.icons) + 1)
	l.icons[id] = icon
	l.feeds[feed-1].Icon = id
	for _, p := range l.people {
		if f, ok := p.follows[feed]; ok {
			f.Icon = id
			p.follows[feed] = f
		}
	}
	return id
}

// of returns what p has; the lock is held.
func (l *Library) of(p sync.Person) *person {
	one := l.people[p.ID]
	if one == nil {
		one = &person{follows: make(map[int64]sync.Feed), edits: make(map[int64]int64), states: make(map[int64]state),
			next:    sync.NoFolder + 1,
			folders: []sync.Folder{{ID: sync.NoFolder, Name: "All"}}}
		l.people[p.ID] = one
	}
	return one
}

// find returns the items that q asks for, in its order; the lock is held.
func (l *Library) find(p sync.Person, q sync.Query) []sync.Item {
	var found []sync.Item
	one := l.of(p)
	for _, i := range l.items {
		if i = one.view(i, l); one.sees(i.Number, i.Feed, l) && matches(i, q) {
			found = append(found, i)
		}
	}
	if q.Order == sync.ByNumber && q.Ascending { // as they are
		return found
	}
	slices.SortFunc(found, func(a, b sync.Item) int {
		by := 0
		switch q.Order {
		case sync.ByPublished:
			by = a.Published.Compare(b.Published)
		case sync.ByChanged:
			by = a.Changed.Compare(b.Changed)
		}
		if by = cmp.Or(by, cmp.Compare(a.Number, b.Number)); !q.Ascending {
			return -by
		}
		return by
	})
	return found
}

// sees reports whether the person has an item.
func (o *person) sees(number, feed int64, l *Library) bool {
	if _, is := l.edits[number]; is {
		above, wanted := o.edits[feed]
		return wanted && number > above
	}
	return o.follows[feed].ID != 0
}

// item returns the item on which stars and labels hang.
func (l *Library) item(number int64) int64 {
	if e, is := l.edits[number]; is {
		return e.item
	}
	return number
}

// view returns an item as the person has it.
func (o *person) view(i sync.Item, l *Library) sync.Item {
	of, texts := o.states[l.item(i.Number)], 1
	if l.item(i.Number) == i.Number {
		texts += l.again[i.Number]
		for _, number := range slices.Sorted(maps.Keys(l.edits)) {
			if e := l.edits[number]; e.item == i.Number && o.sees(number, i.Feed, l) {
				i.Title, i.Changed, texts = e.title, e.changed, 1+e.again
				break
			}
		}
	}
	own := o.states[i.Number]
	i.Read, i.Starred, i.Labels = own.upTo >= texts, of.starred, of.labels
	for _, changed := range []time.Time{of.changed, own.changed} {
		if changed.After(i.Changed) {
			i.Changed = changed
		}
	}
	return i
}

func matches(i sync.Item, q sync.Query) bool {
	within := func(t, from, before time.Time) bool {
		return (from.IsZero() || !t.Before(from)) && (before.IsZero() || t.Before(before))
	}
	is := func(w sync.Which, has bool) bool { return w == sync.Any || (w == sync.Only) == has }
	return (q.Feeds == nil || slices.Contains(q.Feeds, i.Feed)) &&
		(q.Label == "" || slices.Contains(i.Labels, q.Label)) &&
		(q.NotLabel == "" || !slices.Contains(i.Labels, q.NotLabel)) &&
		is(q.Read, i.Read) && is(q.Starred, i.Starred) &&
		(q.After == 0 || i.Number > q.After) && (q.Before == 0 || i.Number < q.Before) &&
		within(i.Arrived, q.ArrivedFrom, q.ArrivedBefore) && within(i.Changed, q.ChangedFrom, q.ChangedBefore) &&
		within(i.Published, q.PublishedFrom, q.PublishedBefore) && hasWords(i, q.Search)
}

func hasWords(i sync.Item, words string) bool {
	text := strings.ToLower(i.Title + " " + i.HTML)
	for _, w := range strings.Fields(strings.ToLower(words)) {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// valid reports whether q is as [sync.Query] says.
func valid(q sync.Query) error {
	switch {
	case q.Limit < 0 || q.Limit > sync.MaxNumbers+1 || q.Offset < 0:
		return fmt.Errorf("limit %d and offset %d are out of bounds", q.Limit, q.Offset)
	case q.Feeds != nil && len(q.Feeds) == 0: // a store might read this as all
		return errors.New("items of no feed are asked for")
	}
	return nil
}

// Numbers implements [sync.Articles].
func (l *Library) Numbers(_ context.Context, p sync.Person, q sync.Query) ([]int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := valid(q); err != nil {
		return nil, err
	}
	found := l.find(p, q)
	found = found[min(q.Offset, len(found)):]
	found = found[:min(cmp.Or(q.Limit, sync.MaxNumbers+1), len(found))]
	numbers := make([]int64, len(found))
	for n := range found {
		numbers[n] = found[n].Number
	}
	return numbers, nil
}

// FullText implements [sync.Articles]: it is what SetPage has set.
func (l *Library) FullText(ctx context.Context, p sync.Person, number int64) (string, error) {
	found, err := l.ItemsOf(ctx, p, []int64{number})
	if err == nil && len(found) == 0 {
		err = tidings.ErrNotFound
	}
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pages[number], nil
}

// SetPage sets the text of the page that an item links to.
func (l *Library) SetPage(number int64, html string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pages == nil {
		l.pages = make(map[int64]string)
	}
	l.pages[number] = html
}

// ItemsOf implements [sync.Articles].
func (l *Library) ItemsOf(_ context.Context, p sync.Person, numbers []int64) ([]sync.Item, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.of(p)
	var found []sync.Item
	for _, n := range numbers {
		if i := n - sync.FirstNumber; i >= 0 && i < int64(len(l.items)) && one.sees(n, l.items[i].Feed, l) {
			found = append(found, one.view(l.items[i], l))
		}
	}
	return found, nil
}

// Count implements [sync.Articles].
func (l *Library) Count(_ context.Context, p sync.Person, q sync.Query) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.find(p, q)), valid(q)
}

// Tallies implements [sync.Articles].
func (l *Library) Tallies(_ context.Context, p sync.Person) (map[int64]sync.Tally, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	tallies := make(map[int64]sync.Tally)
	for id := range l.of(p).follows {
		tallies[id] = sync.Tally{}
	}
	for _, i := range l.find(p, sync.Query{Ascending: true}) {
		t := tallies[i.Feed]
		if t.Items++; !i.Read {
			t.Unread++
		}
		t.Newest = i.Arrived
		tallies[i.Feed] = t
	}
	return tallies, nil
}

// Mark implements [sync.Articles].
func (l *Library) Mark(ctx context.Context, p sync.Person, numbers []int64, c sync.Change) error {
	items, err := l.ItemsOf(ctx, p, numbers)
	l.mark(p, items, c)
	return err
}

// MarkAll implements [sync.Articles].
func (l *Library) MarkAll(_ context.Context, p sync.Person, q sync.Query, c sync.Change) error {
	if err := valid(q); err != nil {
		return err
	}
	l.mu.Lock()
	items := l.find(p, q)
	l.mu.Unlock()
	l.mark(p, items, c)
	return nil
}

func (l *Library) mark(p sync.Person, items []sync.Item, c sync.Change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.of(p)
	for _, i := range items {
		if c.Read != nil && *c.Read != one.view(i, l).Read {
			s := one.states[i.Number]
			s.upTo, s.changed = 0, l.now
			if *c.Read {
				s.upTo = 1 + l.again[i.Number]
			}
			one.states[i.Number] = s
		}
		of := l.item(i.Number)
		before := one.states[of]
		after := before
		if c.Starred != nil {
			after.starred = *c.Starred
		}
		after.labels = slices.DeleteFunc(slices.Clone(before.labels), func(name string) bool {
			return slices.Contains(c.RemoveLabels, name)
		})
		after.labels = append(after.labels, c.AddLabels...)
		slices.Sort(after.labels)
		after.labels = slices.Compact(after.labels)
		if after.starred != before.starred || !slices.Equal(after.labels, before.labels) {
			after.changed = l.now
		}
		one.states[of] = after
	}
}

// Labels implements [sync.Articles].
func (l *Library) Labels(_ context.Context, p sync.Person) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	names := make(map[string]bool)
	for _, i := range l.find(p, sync.Query{}) {
		for _, name := range i.Labels {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// RenameLabel implements [sync.Articles].
func (l *Library) RenameLabel(ctx context.Context, p sync.Person, name, to string) error {
	c := sync.Change{RemoveLabels: []string{name}, AddLabels: []string{to}}
	return l.MarkAll(ctx, p, sync.Query{Label: name}, c)
}

// RemoveLabel implements [sync.Articles].
func (l *Library) RemoveLabel(ctx context.Context, p sync.Person, name string) error {
	return l.MarkAll(ctx, p, sync.Query{Label: name}, sync.Change{RemoveLabels: []string{name}})
}
