package history

import (
	"context"
	"slices"
	"time"

	"tidings/network/archive"
	"tidings/network/engine"
	"tidings/store/published"
)

const (
	// insertAtOnce is how many items are put into the archive at a time: about 8 MiB, if they have the greatest length.
	insertAtOnce = 16
	// insertPatience is how long the archive may need for them.
	insertPatience = 2 * time.Minute
	// insertAgain is the pause before items that too few nodes have accepted are put there again. It doubles, up to
	// insertSlow.
	insertAgain = 15 * time.Second
	insertSlow  = 10 * time.Minute
)

// Published has what was just published here be put into the archive. It does not wait for that.
func (a *Archive) Published() { a.fresh.Ring() }

// Run puts published items into the network's archive once other nodes have them, since they no longer change then. It
// repeats that until the archive keeps them, also after a restart, until ctx ends.
func (a *Archive) Run(ctx context.Context) {
	pause := insertAgain
	for ctx.Err() == nil {
		fresh := a.fresh.Wait() // before the check
		behind, left := a.insertAll(ctx, published.Unarchived{})
		if left == 0 {
			pause = insertAgain
			select {
			case <-ctx.Done():
			case <-fresh:
			}
			continue
		}
		again := time.After(pause)
		pause = min(2*pause, insertSlow)
		for waiting := true; waiting; {
			select {
			case <-ctx.Done():
				return
			case <-again:
				waiting = false
			case <-fresh: // new items do not wait for those that the archive does not accept
				fresh = a.fresh.Wait()
				behind, _ = a.insertAll(ctx, behind)
			}
		}
	}
}

// insertAll puts there what is behind an item and not known to be there. It returns the last such item, and how many
// the archive has not accepted; if the store fails, one more.
func (a *Archive) insertAll(ctx context.Context, behind published.Unarchived) (last published.Unarchived, left int) {
	for ctx.Err() == nil {
		items, err := a.published.Unarchived(ctx, behind, insertAtOnce)
		if err == nil && len(items) == 0 {
			return behind, left
		}
		var taken []published.Unarchived
		if err == nil {
			taken = a.insertSome(ctx, items)
			err = a.published.NoteArchived(ctx, taken)
		}
		if err != nil {
			a.complain(ctx, err)
			return behind, left + 1
		}
		left += len(items) - len(taken)
		behind = items[len(items)-1]
	}
	return behind, left
}

// Insert puts items into the archive, and returns those that it keeps.
func (a *Archive) Insert(ctx context.Context, items []published.Item) (kept []published.Item) {
	for some := range slices.Chunk(items, insertAtOnce) {
		var of []published.Unarchived
		for _, item := range some {
			of = append(of, published.Unarchived{Item: item})
		}
		for _, item := range a.insertSome(ctx, of) {
			kept = append(kept, item.Item)
		}
	}
	return kept
}

// insertSome puts items there, and returns those that the archive keeps. An item that withdraws others is kept once
// these are gone.
func (a *Archive) insertSome(ctx context.Context, items []published.Unarchived) (taken []published.Unarchived) {
	ctx, cancel := context.WithTimeout(ctx, insertPatience)
	defer cancel()
	for i, kept := range a.insertEach(ctx, items) {
		if kept && a.voidThose(ctx, items[i]) {
			taken = append(taken, items[i])
		}
	}
	return taken
}

// voidThose has the archive forget what an item withdraws. It reports whether it has.
func (a *Archive) voidThose(ctx context.Context, item published.Unarchived) bool {
	back, err := a.host.Withdrawals(ctx, item.Item)
	if err != nil {
		a.complain(ctx, err)
		return false
	}
	for some := range slices.Chunk(back, insertAtOnce) {
		voids := make([]published.Unarchived, len(some))
		for i, w := range some {
			voids[i].Item = published.Item{Topic: item.Topic, Number: w.Number, Signed: voidOf(w)}
		}
		if slices.Contains(a.insertEach(ctx, voids), false) {
			return false
		}
	}
	return true
}

// insertEach puts items there, and returns which of them the archive keeps.
func (a *Archive) insertEach(ctx context.Context, items []published.Unarchived) (kept []bool) {
	kept = make([]bool, len(items))
	type end struct {
		of  int
		why archive.Refusal
	}
	ends := make(chan end, len(items))
	under := 0
	a.host.InLoop(ctx, func() {
		if !a.ring.Active() || len(a.ring.Known()) == 0 {
			return // there is no node that would keep them
		}
		for i := range items {
			under++
			name := archive.Name{Topic: engine.ID(items[i].Topic), Number: items[i].Number}
			a.archive.Insert(name, items[i].Signed, func(_ int, why archive.Refusal) { ends <- end{i, why} })
		}
	})
	for range under {
		select {
		case e := <-ends:
			if kept[e.of] = e.why == archive.Accepted; !kept[e.of] {
				a.log.Debug("the archive has not taken an item", "topic", engine.ID(items[e.of].Topic), "number",
					items[e.of].Number, "why", e.why)
			}
		case <-ctx.Done():
			return kept
		}
	}
	return kept
}
