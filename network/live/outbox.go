package live

import (
	"sync"
	"time"

	"tidings/network/engine"
)

// outbox is what waits to be sent to one peer, bounded in messages and bytes. The loop adds, the link's writer removes;
// neither waits for the other. Frames leave in the order in which they came, and not before they are due
// (Config.Delay). When there is no room, the oldest of the least urgent class goes first.
type outbox struct {
	delay      func() time.Duration // of a frame that is put in now; nil: none
	mu         sync.Mutex
	classes    [engine.Classes]fifo
	next       uint64 // sequence number of the frame to come
	count      int
	bytes      int
	maxCount   int
	maxBytes   int
	first      []frame // what goes before everything: a ping, a pong
	overflowed int     // dropped since last asked
	wake       chan struct{}
}

// frame is an encoded message.
type frame struct {
	kind  engine.Kind
	size  int // of the message without prefix
	bytes []byte
	seq   uint64
	due   time.Time // when it may leave; zero: at once
}

// fifo is a queue of frames in one class.
type fifo struct {
	frames []frame
	head   int
}

func (q *fifo) empty() bool  { return q.head == len(q.frames) }
func (q *fifo) peek() *frame { return &q.frames[q.head] }
func (q *fifo) push(f frame) { q.frames = append(q.frames, f) }
func (q *fifo) tidy() bool   { return q.head > 64 && q.head*2 > len(q.frames) }
func (q *fifo) pop() (f frame) {
	f, q.frames[q.head] = q.frames[q.head], frame{}
	q.head++
	if q.empty() {
		q.frames, q.head = q.frames[:0], 0
	} else if q.tidy() {
		n := copy(q.frames, q.frames[q.head:])
		clear(q.frames[n:])
		q.frames, q.head = q.frames[:n], 0
	}
	return f
}

func newOutbox(l Limits) *outbox {
	return &outbox{maxCount: l.QueueMessages, maxBytes: l.QueueBytes, wake: make(chan struct{}, 1)}
}

// outboxFor makes the outbox of a link to a peer.
func (h *Host) outboxFor(to engine.ID) *outbox {
	o := newOutbox(h.limits)
	if delay := h.config.Delay; delay != nil {
		o.delay = func() time.Duration { return delay(to) }
	}
	return o
}

// dueAt returns when a frame that is put in now may leave, and whether it may at all.
func (o *outbox) dueAt() (due time.Time, ok bool) {
	if o.delay == nil {
		return due, true
	}
	d := o.delay()
	return time.Now().Add(d), d >= 0
}

// put adds a frame and returns those that had to go for it, which may include itself.
func (o *outbox) put(class engine.Class, f frame) (dropped []frame) {
	due, ok := o.dueAt()
	if !ok {
		return []frame{f}
	}
	f.due = due
	o.mu.Lock()
	f.seq = o.next
	o.next++
	o.classes[class].push(f)
	o.count++
	o.bytes += len(f.bytes)
	for o.count > o.maxCount || o.bytes > o.maxBytes {
		dropped = append(dropped, o.drop())
	}
	o.overflowed += len(dropped)
	o.mu.Unlock()
	o.ring()
	return dropped
}

// drop removes the oldest frame of the least urgent class that waits.
func (o *outbox) drop() frame {
	for c := len(o.classes) - 1; ; c-- {
		if q := &o.classes[c]; !q.empty() {
			return o.popped(q)
		}
	}
}

func (o *outbox) popped(q *fifo) frame {
	f := q.pop()
	o.count--
	o.bytes -= len(f.bytes)
	return f
}

// jump adds a frame that goes before all others and replaces one of the same
// kind that still waits. There are two such kinds, Ping and Pong.
func (o *outbox) jump(f frame) {
	due, ok := o.dueAt()
	if !ok {
		return
	}
	f.due = due
	o.mu.Lock()
	replaced := false
	for i := range o.first {
		if o.first[i].kind == f.kind {
			o.first[i], replaced = f, true
		}
	}
	if !replaced {
		o.first = append(o.first, f)
	}
	o.mu.Unlock()
	o.ring()
}

// pop moves frames that are due into batch, in order, until it holds at least most bytes or none of them waits.
func (o *outbox) pop(batch []frame, most int) []frame {
	var now time.Time // before which nothing is due that is delayed
	if o.delay != nil {
		now = time.Now()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.popDue(batch, most, now)
}

func (o *outbox) popDue(batch []frame, most int, now time.Time) []frame {
	waiting := o.first[:0]
	for _, f := range o.first {
		if f.due.After(now) {
			waiting = append(waiting, f)
		} else {
			batch = append(batch, f)
		}
	}
	o.first = waiting
	for size := 0; size < most && o.count > 0; {
		q := o.earliest()
		if q.peek().due.After(now) { // those behind it keep their order
			break
		}
		f := o.popped(q)
		size += len(f.bytes)
		batch = append(batch, f)
	}
	return batch
}

// earliest returns the class with the first frame that came before those of all others.
func (o *outbox) earliest() *fifo {
	var best *fifo
	for i := range o.classes {
		if q := &o.classes[i]; !q.empty() && (best == nil || q.peek().seq < best.peek().seq) {
			best = q
		}
	}
	return best
}

// nextDue returns when the first of the frames that wait is due; zero if none waits.
func (o *outbox) nextDue() (due time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.count > 0 {
		due = o.earliest().peek().due
	}
	for _, f := range o.first {
		if due.IsZero() || f.due.Before(due) {
			due = f.due
		}
	}
	return due
}

// waiting returns how much waits.
func (o *outbox) waiting() (messages, bytes int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.count, o.bytes
}

// overflow returns how many frames were dropped since it was last called.
func (o *outbox) overflow() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, o.overflowed = o.overflowed, 0
	return n
}

// drain removes all messages, in order, due or not; pings and pongs are lost.
func (o *outbox) drain() (all []frame) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.first = nil
	for o.count > 0 {
		all = append(all, o.popped(o.earliest()))
	}
	return all
}

func (o *outbox) ring() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
