package channels

import (
	"context"

	"tidings/source"
	"tidings/store"
)

// Entrance is how new versions enter a node, from any source.
type Entrance struct {
	Store     *store.Store
	Scheduler *source.Scheduler
	// Stored is called when there is something new for readers. It does not wait.
	Stored func()
}

// Apply stores arrivals of one channel, in one transaction, and notifies readers. What others have found, this node's
// next poll starts from. Errors are those of [store.Store.Apply].
func (e *Entrance) Apply(ctx context.Context, arrivals ...store.Arrival) ([]store.Applied, error) {
	applied, err := e.Store.Apply(ctx, arrivals...)
	if err != nil {
		return nil, err
	}
	told := false
	for i, a := range applied {
		told = told || a.Update != nil
		if r, remote := arrivals[i].(store.Remote); remote && !r.Change.Past {
			e.Scheduler.Change(r.URL, func(job *source.Job) { job.Took(r.Change) })
		}
	}
	if told {
		e.Stored()
	}
	return applied, nil
}
