package push

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"tidings"
	"tidings/network/engine"
	"tidings/network/feedtree"
	"tidings/source/changeset"
)

const (
	// maxRevisions is how many revisions of an item pushes bring to readers within revisionsWithin, signed with any
	// keys. A publisher may sign hundreds a second, and may be two nodes that answer one another. The latest of those
	// beyond waits, and is shown when that time is over.
	maxRevisions    = 4
	revisionsWithin = time.Minute
	// maxWaiting is of how many items of a channel a revision waits at a time. It is less than FeedTree's pending items
	// (feedtree.Config.MaxKeeping). What waits is not stored yet, and comes again after a start.
	maxWaiting = 16
	// maxCounted is of how many items of a channel revisions are counted. Those of the oldest are forgotten first.
	maxCounted = 1 << 12
	// maxCompared is how many items that were published later are compared with one that comes late.
	maxCompared = 256
)

// revisions counts the revisions that pushes have brought to the items of a channel, by their rows in the store.
type revisions struct {
	mu      sync.Mutex
	shown   map[int64][]time.Time
	counted []int64 // rows in shown, that which was counted first before the others
	waiting map[int64]*feedtree.Item
}

func newRevisions() *revisions {
	return &revisions{shown: make(map[int64][]time.Time), waiting: make(map[int64]*feedtree.Item)}
}

// revised returns the rows of the items that a change revises. That an item is withdrawn never waits.
func revised(f *tidings.Change) (rows []int64) {
	for i := range f.Items {
		if found := &f.Items[i]; found.Change == tidings.Changed && !found.News.Withdrawn() {
			rows = append(rows, found.Row)
		}
	}
	return rows
}

// full returns the first item that a change revises and that was revised too often before a time. until is when that
// ends; row 0: there is none.
func (r *revisions) full(f *tidings.Change, now time.Time) (row int64, until time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, row := range revised(f) {
		if times := r.shown[row]; len(times) == maxRevisions && now.Before(times[0].Add(revisionsWithin)) {
			return row, times[0].Add(revisionsWithin)
		}
	}
	return 0, time.Time{}
}

// count notes that readers are notified of a change.
func (r *revisions) count(f *tidings.Change, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, row := range revised(f) {
		if r.shown[row] == nil {
			if r.counted = append(r.counted, row); len(r.counted) > maxCounted {
				delete(r.shown, r.counted[0])
				r.counted = slices.Delete(r.counted, 0, 1)
			}
		}
		times := append(r.shown[row], now)
		r.shown[row] = times[max(0, len(times)-maxRevisions):]
	}
}

// wait makes an item wait for a row, if it is later than one that waits. It returns the one of the two that no longer
// waits. ok is false if there is no room.
func (r *revisions) wait(row int64, item *feedtree.Item) (past *feedtree.Item, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.waiting[row]
	switch {
	case was == nil && len(r.waiting) >= maxWaiting:
		return nil, false
	case was != nil && was.Number > item.Number:
		return item, true
	case was != nil && was.Number == item.Number: // it comes again, as after the publisher was trusted anew
		was = nil
	}
	r.waiting[row] = item
	return was, true
}

// waits reports whether an item waits.
func (r *revisions) waits(item *feedtree.Item) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, other := range r.waiting {
		if other == item {
			return true
		}
	}
	return false
}

// leave returns what waits for a row, which does no more.
func (r *revisions) leave(row int64) *feedtree.Item {
	r.mu.Lock()
	defer r.mu.Unlock()
	item := r.waiting[row]
	delete(r.waiting, row)
	return item
}

// wait has an item wait until the item that it revises may be revised again. The item that waited before is stored
// without a notice to readers. It returns false if there is no room.
func (k *keeper) wait(ctx context.Context, c *pinned, topic engine.ID, item *feedtree.Item,
	f *tidings.Change) (bool, error) {
	row, until := c.revisions.full(f, k.now())
	past, ok := c.revisions.wait(row, item)
	if !ok {
		return false, nil
	}
	if past == nil { // it is the first that waits
		k.later(until.Sub(k.now()), func() {
			if item := c.revisions.leave(row); item != nil {
				k.Keep(topic, item)
			}
		})
		return true, nil
	}
	given, err := arrivalOf(c, topic, past, nil)
	if err == nil {
		_, err = k.pushes.config.Entrance.Apply(ctx, given)
	}
	if err != nil {
		return false, err
	}
	k.pushes.host.InLoop(ctx, func() { k.pushes.trees.Kept(topic, past.Number, true) })
	return true, nil
}

// isRevised reports whether a publisher has published a revision of an item later than this one, or may have.
func (k *keeper) isRevised(ctx context.Context, topic engine.ID, item *feedtree.Item,
	entry *changeset.Set) (bool, error) {
	const highest = 1<<63 - 1
	later, err := k.pushes.config.Pushed.Items(ctx, topic, item.Number+1, highest, maxCompared, lent)
	if err != nil {
		return false, err
	}
	size, marks := 0, entry.Marks()
	for _, p := range later {
		size += len(p.Signed)
		other := new(feedtree.Item)
		if err := other.UnmarshalBinary(p.Signed); err != nil {
			return false, err
		}
		set, err := changeset.Decode(other.Content(), k.pushes.config.Feed)
		if err != nil {
			continue // it says nothing to readers
		}
		for _, m := range set.Marks() {
			if slices.ContainsFunc(marks, func(mark tidings.ItemIdentity) bool {
				return identity(mark) == identity(m)
			}) {
				return true, nil
			}
		}
	}
	return len(later) == maxCompared || size >= lent, nil
}

// identity is the best distinction of an item from others.
func identity(m tidings.ItemIdentity) uint64 { return cmp.Or(m.ID, m.Link, m.Title) }
