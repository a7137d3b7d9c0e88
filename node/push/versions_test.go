package push

import (
	"testing"
	"time"

	"tidings"
	"tidings/network/feedtree"
	"tidings/source/changeset"
	"tidings/source/feed"
)

// entries returns how often each item was shown, and what of it is shown last.
func (t *given) entries() (shown map[string]int, latest map[string]string) {
	t.b.Helper()
	all, err := t.store.Entries(t.b.Context(), tidings.Owner, tidings.EntryQuery{Limit: 1000})
	if err != nil {
		t.b.Fatal(err)
	}
	shown, latest = make(map[string]int), make(map[string]string)
	for _, e := range all { // the latest first
		if id := e.Content.ID; shown[id] == 0 {
			latest[id] = e.Content.Content + e.Content.Summary
		}
		shown[e.Content.ID]++
	}
	return shown, latest
}

// says returns what a signed item says.
func (t *given) says(item *feedtree.Item) string {
	t.b.Helper()
	f := t.read(item)
	return f.Items[0].Content + f.Items[0].Summary
}

// Hostile 42: a publisher may sign any number of versions of an item, but pushes bring at most maxRevisions within
// revisionsWithin. The latest is shown in the end, other items at once, and all count as had. What waits is not stored,
// so that it comes again after a start.
func TestVersionsOfAnItemAreBounded(t *testing.T) {
	n := newGiven(t)
	now := time.Now()
	var due func()
	waits := 0
	n.now = func() time.Time { return now }
	n.later = func(_ time.Duration, f func()) { due, waits = f, waits+1 }
	stories := make([]int, 40)
	for i := range stories {
		stories[i] = 7
	}
	stories[20] = 8
	topic, items := n.signed(stories...)
	if stored, err := n.storeItems(t.Context(), topic, items); err != nil || stored != len(items) {
		t.Fatalf("%d are settled: %v", stored, err)
	}
	shown, latest := n.entries()
	if shown["guid-7"] != 1+maxRevisions || shown["guid-8"] != 1 || latest["guid-7"] != n.says(items[maxRevisions]) {
		t.Errorf("shown are %v", shown)
	}
	pin, err := n.store.Pushed.PinOf(t.Context(), n.url)
	if err != nil || pin.Have != 39 || waits != 1 || !n.pushes.of(topic).revisions.waits(items[39]) {
		t.Errorf("up to %d all are stored, %d wait: %v", pin.Have, waits, err)
	}
	now = now.Add(revisionsWithin)
	due()
	if waiting := n.arrivals[topic]; len(waiting) != 1 || waiting[0] != items[39] {
		t.Fatalf("what waited is not stored: %v", waiting)
	}
	if _, err := n.storeItems(t.Context(), topic, n.arrivals[topic]); err != nil {
		t.Fatal(err)
	}
	if shown, latest = n.entries(); shown["guid-7"] != 2+maxRevisions || latest["guid-7"] != n.says(items[39]) {
		t.Errorf("in the end there are %v", shown)
	}
	if pin, err = n.store.Pushed.PinOf(t.Context(), n.url); err != nil || pin.Have != 40 {
		t.Errorf("up to %d all are stored: %v", pin.Have, err)
	}
}

// A revision that comes late is shown even if others were published since, unless one of these is of the same item
// (hostile 42).
func TestALateRevisionIsShown(t *testing.T) {
	n := newGiven(t)
	topic, items := n.signed(7, 7, 8, 9)
	for _, number := range []int{1, 3, 4, 2} {
		if stored, err := n.storeItems(t.Context(), topic, items[number-1:number]); err != nil || stored != 1 {
			t.Fatalf("of item %d %d are stored: %v", number, stored, err)
		}
	}
	if shown, latest := n.entries(); shown["guid-7"] != 2 || latest["guid-7"] != n.says(items[1]) {
		t.Errorf("shown are %v", shown)
	}
}

// Hostile 42: a new key, or another pin, does not begin a new count. If too many revisions wait, the next is tried
// again.
func TestTheBoundOfVersionsHoldsForTheChannel(t *testing.T) {
	n := newGiven(t)
	n.later = func(time.Duration, func()) {}
	var stories []int
	for story := range maxWaiting + 1 {
		for range maxRevisions + 2 {
			stories = append(stories, story)
		}
	}
	topic, items := n.signed(stories...)
	for i, item := range items {
		if i%9 == 0 {
			if err := n.pushes.Recall(t.Context()); err != nil { // it is pinned anew
				t.Fatal(err)
			}
		}
		stored, err := n.storeItems(t.Context(), topic, []*feedtree.Item{item})
		if full := i == len(items)-1; full != (err == errWaiting) || full == (stored == 1) {
			t.Fatalf("item %d: %d are settled: %v", i, stored, err)
		}
	}
	shown, _ := n.entries()
	for id, times := range shown {
		if times != 1+maxRevisions {
			t.Errorf("%s is shown %d times", id, times)
		}
	}
}

// Hostile 42: while its key is known to have signed two items for one number, no push of a publisher is shown, also
// after a start.
func TestNothingIsShownOfADoubledKey(t *testing.T) {
	n := newGiven(t)
	topic, items := n.signed(7, 7, 8)
	if _, err := n.storeItems(t.Context(), topic, items[:1]); err != nil {
		t.Fatal(err)
	}
	if err := n.pushes.setDoubled(t.Context(), topic, true); err != nil {
		t.Fatal(err)
	}
	if err := n.pushes.Recall(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := n.pushes.of(topic); c.shown() != tidings.PushDoubled {
		t.Fatalf("it is %s", c.shown())
	}
	if stored, err := n.storeItems(t.Context(), topic, items[1:]); err != nil || stored != 2 {
		t.Fatalf("%d are stored: %v", stored, err)
	}
	if shown, _ := n.entries(); shown["guid-7"] != 1 || shown["guid-8"] != 0 {
		t.Errorf("shown are %v", shown)
	}
	kept, err := n.store.Pushed.Items(t.Context(), topic, 1, 9, 9, 1<<20)
	if err != nil || len(kept) != 3 {
		t.Errorf("%d are kept to be lent: %v", len(kept), err)
	}
}

// read reads a signed item as a reader without earlier knowledge.
func (t *given) read(item *feedtree.Item) *tidings.Change {
	t.b.Helper()
	set, err := changeset.Decode(item.Entry, feed.Default())
	if err != nil {
		t.b.Fatal(err)
	}
	f, err := set.Entries(nil, feed.Default())
	if err != nil {
		t.b.Fatal(err)
	}
	return f
}
