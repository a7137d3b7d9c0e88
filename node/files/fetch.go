package files

import (
	"context"
	"time"

	"tidings/network/pieces"
)

const (
	// maxFetching is how many contents are fetched at a time.
	maxFetching = 4
	// fetchFirst is the pause before a content that no node gave is tried again. fetchLast is the longest such pause,
	// and after fetchDays days it is given up.
	fetchFirst = time.Minute
	fetchLast  = 6 * time.Hour
	fetchDays  = 7
)

// fetchSome begins to fetch what is wanted.
func (f *Files) fetchSome(ctx context.Context) {
	for _, ref := range f.catalog.beginDue(time.Now()) {
		asked := false
		f.host.InLoop(ctx, func() {
			asked = true
			f.pieces.Fetch(ref, nil, func(err error) { f.fetched(ref, err) })
		})
		if !asked { // the network has stopped
			return
		}
	}
}

// fetched notes how a fetch has ended; it is called in the loop.
func (f *Files) fetched(ref pieces.Ref, err error) {
	if f.catalog.fetched(ref, err, time.Now()) {
		f.giveUp(ref)
	}
	f.more.Ring()
}

// giveUp has the store note that a content is wanted no longer.
func (f *Files) giveUp(ref pieces.Ref) {
	f.workers.Do(func(ctx context.Context) {
		if !f.catalog.isWanted(ref) { // or else a person has asked for it since
			f.complain(ctx, f.pushed.GiveUp(ctx, ref))
		}
	})
}
