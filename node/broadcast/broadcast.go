// Package broadcast wakes any number of waiters at once.
package broadcast

import "sync"

// Broadcast notifies any number of waiters that something has happened since they last checked. To miss nothing a
// waiter gets the channel before it checks. It is safe for concurrent use.
type Broadcast struct {
	mu sync.Mutex
	ch chan struct{}
}

// New returns a Broadcast on which nothing has happened yet.
func New() *Broadcast { return &Broadcast{ch: make(chan struct{})} }

// Wait returns a channel that is closed at the next Ring.
func (b *Broadcast) Wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ch
}

// Ring wakes all waiters.
func (b *Broadcast) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.ch)
	b.ch = make(chan struct{})
}
