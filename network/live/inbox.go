package live

import (
	"sync"

	"tidings/network/engine"
)

// inbox is what peers sent and the loop has not handled. Each link has a bounded queue of its own. The loop handles one
// message of each in turn, so that a peer that sends much delays the others by one message at most.
type inbox struct {
	mu    sync.Mutex
	ready []*inflow // those with something in their queue, in turn
	wake  chan struct{}
}

// inflow is the queue of one link.
type inflow struct {
	box      *inbox
	link     *link
	queue    []arrival
	bytes    int
	maxCount int
	maxBytes int
	space    chan struct{} // of size 1: rings when there is room again
	blocked  bool          // the reader waits for room
}

// arrival is a message or the end of a stream.
type arrival struct {
	message engine.Message
	size    int
	stream  *incoming
	end     error // why the stream ended, if message is nil
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1)} }

func (b *inbox) flow(l *link, limits Limits) *inflow {
	return &inflow{box: b, link: l, maxCount: limits.InboxMessages, maxBytes: limits.InboxBytes,
		space: make(chan struct{}, 1)}
}

// put adds an arrival; it waits while there is no room, until done closes. It reports
// whether the arrival was accepted. Several readers may wait while a link changes streams.
func (f *inflow) put(a arrival, done <-chan struct{}) bool {
	for {
		if f.offer(a) {
			return true
		}
		select {
		case <-f.space:
		case <-done:
			return false
		}
	}
}

func (f *inflow) offer(a arrival) bool {
	f.box.mu.Lock()
	full := len(f.queue) >= f.maxCount || len(f.queue) > 0 && f.bytes+a.size > f.maxBytes
	f.blocked = full && a.message != nil
	if f.blocked {
		f.box.mu.Unlock()
		return false
	}
	f.queue = append(f.queue, a)
	f.bytes += a.size
	if len(f.queue) == 1 {
		f.box.ready = append(f.box.ready, f)
	}
	f.box.mu.Unlock()
	f.box.ring()
	return true
}

// isBlocked reports whether the reader waits for the loop.
func (f *inflow) isBlocked() bool {
	f.box.mu.Lock()
	defer f.box.mu.Unlock()
	return f.blocked
}

// next returns the next arrival of the link with the turn.
func (b *inbox) next() (*link, arrival, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ready) == 0 {
		return nil, arrival{}, false
	}
	f := b.ready[0]
	b.ready = b.ready[1:]
	a := f.queue[0]
	f.queue[0] = arrival{}
	f.queue = f.queue[1:]
	f.bytes -= a.size
	if len(f.queue) > 0 {
		b.ready = append(b.ready, f)
	} else {
		f.queue = nil
	}
	select {
	case f.space <- struct{}{}:
	default:
	}
	return f.link, a, true
}

func (b *inbox) ring() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}
