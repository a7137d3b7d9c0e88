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
	highest int64
	// Refreshed are the feeds of the last Refresh, sorted.
	Refreshed []int64
}

// person is what one person has.
type person struct {
	follows map[int64]sync.Feed // by ID
	folders []sync.Folder
	states  map[int64]state
	next    int64 // ID of the next folder
}

// state is what a person did with an item.
type state struct {
	read, starred bool
	labels        []string
	changed       time.Time
}

// New returns an empty library.
func New(now time.Time) *Library {
	return &Library{now: now, people: make(map[tidings.AccountID]*person), icons: make(map[int64]sync.Icon),
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

// Arrive adds an item to a feed, which it gets from feed, title and so on of i, and returns its number.
func (l *Library) Arrive(i sync.Item) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.highest++
	i.Number, i.Arrived, i.Changed = l.highest, l.now, l.now
	i.Published = sync.DateOf(i.Published, i.Arrived)
	l.items = append(l.items, i)
	return i.Number
}

// Edit changes the title of an item, as its publisher does.
func (l *Library) Edit(number int64, title string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := range l.items {
		if l.items[n].Number == number {
			l.items[n].Title, l.items[n].Changed = title, l.now
		}
	}
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
		one = &person{follows: make(map[int64]sync.Feed), states: make(map[int64]state), next: sync.NoFolder + 1,
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
		if i = one.view(i); one.follows[i.Feed].ID != 0 && matches(i, q) {
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

// view returns an item as the person has it.
func (o *person) view(i sync.Item) sync.Item {
	s := o.states[i.Number]
	i.Read, i.Starred, i.Labels = s.read, s.starred, s.labels
	if s.changed.After(i.Changed) {
		i.Changed = s.changed
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

// ItemsOf implements [sync.Articles].
func (l *Library) ItemsOf(_ context.Context, p sync.Person, numbers []int64) ([]sync.Item, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.of(p)
	var found []sync.Item
	for _, n := range numbers {
		if i := n - sync.FirstNumber; i >= 0 && i < int64(len(l.items)) && one.follows[l.items[i].Feed].ID != 0 {
			found = append(found, one.view(l.items[i]))
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
		before := one.states[i.Number]
		after := before
		if c.Read != nil {
			after.read = *c.Read
		}
		if c.Starred != nil {
			after.starred = *c.Starred
		}
		after.labels = slices.DeleteFunc(slices.Clone(before.labels), func(name string) bool {
			return slices.Contains(c.RemoveLabels, name)
		})
		after.labels = append(after.labels, c.AddLabels...)
		slices.Sort(after.labels)
		after.labels = slices.Compact(after.labels)
		if after.read != before.read || after.starred != before.starred ||
			!slices.Equal(after.labels, before.labels) {
			after.changed = l.now
		}
		one.states[i.Number] = after
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
