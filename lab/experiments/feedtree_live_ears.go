package experiments

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab/crowd"
)

// pushReader is one node, and who listens at its door.
type pushReader struct {
	member *crowd.Member
	client *api.Client

	mu     sync.Mutex
	told   map[string]pushTold // by item
	failed error
}

// pushTold is one telling of an item.
type pushTold struct {
	signed time.Time // what the publisher says; whole milliseconds
	at     time.Time // when the listener had it
}

// listen reads the node's stream until ctx ends.
func (r *pushReader) listen(ctx context.Context) {
	err := r.client.Follow(ctx, 0, time.Time{}, func(u tidings.Update) error {
		now := time.Now()
		r.mu.Lock()
		defer r.mu.Unlock()
		for i := range u.Items {
			if _, again := r.told[u.Items[i].ID]; !again { // who is told twice is found by the tally
				r.told[u.Items[i].ID] = pushTold{u.Time, now}
			}
		}
		return nil
	})
	if ctx.Err() == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.failed = fmt.Errorf("listening to a node: %w", errors.Join(err, errors.New("the stream ended")))
	}
}

// of returns when the listener was told of an item.
func (r *pushReader) of(item string) (told pushTold, ok bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	told, ok = r.told[item]
	return told, ok, r.failed
}

// hear waits until the listeners at all of some nodes are told of an item. It returns false if that takes too
// long.
func (t *pushTown) hear(readers []*pushReader, item string, within time.Duration) (bool, error) {
	for deadline := time.Now().Add(within); ; {
		missing := false
		for _, r := range readers {
			_, ok, err := r.of(item)
			if err != nil {
				return false, err
			}
			missing = missing || !ok
		}
		if !missing || time.Now().After(deadline) {
			return !missing, nil
		}
		if err := sleep(t.ctx, time.Now().Add(5*time.Millisecond)); err != nil {
			return false, err
		}
	}
}

// stored returns, by name, how often a node's stream has each item of a channel; unsigned counts those after
// the first version that nobody has signed.
func (r *pushReader) stored(ctx context.Context, channel string) (tellings map[string]int, unsigned int, err error) {
	tellings = make(map[string]int)
	for after := int64(0); ; {
		some, err := r.client.Updates(ctx, tidings.UpdateQuery{Channel: channel, After: after, Limit: tidings.MaxLimit})
		if err != nil || len(some) == 0 {
			return tellings, unsigned, err
		}
		for i := range some {
			u := &some[i]
			after = u.ID
			for k := range u.Items {
				tellings[u.Items[k].ID]++
			}
			if u.Version > 1 && u.SignedBy == "" {
				unsigned += len(u.Items)
			}
		}
	}
}
