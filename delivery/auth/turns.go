package auth

import (
	"context"
	"slices"
	"sync"
)

// maxStrangersWaiting bounds how many strangers wait for a password to be hashed: a few seconds in all on a slow
// machine.
const maxStrangersWaiting = 8

// turns lets password hashes be computed one at a time, as each needs 64 MiB. Known clients go before strangers. The
// limits on attempts bound how many of the known ones wait.
type turns struct {
	mu        sync.Mutex
	taken     bool
	known     []chan struct{} // closed when it is their turn
	strangers []chan struct{} // at most maxStrangersWaiting
}

// await waits for its turn. Without an error, the caller owes a give. Errors: the context's, or ErrTooManyAttempts for
// a stranger if too many wait.
func (t *turns) await(ctx context.Context, known bool) error {
	t.mu.Lock()
	if !t.taken {
		t.taken = true
		t.mu.Unlock()
		return nil
	}
	mine, queue := make(chan struct{}), &t.known
	if !known {
		queue = &t.strangers
		if len(t.strangers) >= maxStrangersWaiting {
			t.mu.Unlock()
			return ErrTooManyAttempts
		}
	}
	*queue = append(*queue, mine)
	t.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
		t.leave(queue, mine)
		return ctx.Err()
	}
}

// leave gives up waiting. A turn that came in the same moment goes to the next.
func (t *turns) leave(queue *[]chan struct{}, mine chan struct{}) {
	t.mu.Lock()
	i := slices.Index(*queue, mine)
	if i >= 0 {
		*queue = slices.Delete(*queue, i, i+1)
	}
	t.mu.Unlock()
	if i < 0 {
		t.give()
	}
}

// give hands the turn on.
func (t *turns) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, queue := range []*[]chan struct{}{&t.known, &t.strangers} {
		if len(*queue) > 0 {
			close((*queue)[0])
			*queue = slices.Delete(*queue, 0, 1)
			return
		}
	}
	t.taken = false
}
