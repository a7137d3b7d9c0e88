package node

import "sync"

// wake tells any number of waiters that something has happened since they last polled.
type wake struct {
	mu sync.Mutex
	ch chan struct{}
}

func newWake() *wake { return &wake{ch: make(chan struct{})} }

// wait returns a channel that is closed at the next ring.
func (w *wake) wait() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ch
}

func (w *wake) ring() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.ch)
	w.ch = make(chan struct{})
}
