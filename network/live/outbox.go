package live

import (
	"sync"

	"tidings/network/engine"
)

// outbox is what waits to be sent to one peer, bounded in messages and bytes. The loop puts
// in, the link's writer takes out; neither waits for the other. Frames leave in the order in
// which they came. When there is no room, the oldest of the least urgent class goes first.
type outbox struct {
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
func (q *fifo) take() (f frame) {
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

// put adds a frame and returns those that had to go for it, which may include itself.
func (o *outbox) put(class engine.Class, f frame) (dropped []frame) {
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

// drop takes out the oldest frame of the least urgent class that waits.
func (o *outbox) drop() frame {
	for c := len(o.classes) - 1; ; c-- {
		if q := &o.classes[c]; !q.empty() {
			return o.taken(q)
		}
	}
}

func (o *outbox) taken(q *fifo) frame {
	f := q.take()
	o.count--
	o.bytes -= len(f.bytes)
	return f
}

// jump adds a frame that goes before all others and takes the place of one of the same
// kind that still waits. There are two such kinds, Ping and Pong.
func (o *outbox) jump(f frame) {
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

// take moves frames into batch, in order, until it holds at least most bytes or nothing
// waits.
func (o *outbox) take(batch []frame, most int) []frame {
	o.mu.Lock()
	defer o.mu.Unlock()
	batch = append(batch, o.first...)
	o.first = o.first[:0]
	for size := 0; size < most && o.count > 0; {
		f := o.taken(o.earliest())
		size += len(f.bytes)
		batch = append(batch, f)
	}
	return batch
}

// earliest returns the class whose first frame came before those of all others.
func (o *outbox) earliest() *fifo {
	var best *fifo
	for i := range o.classes {
		if q := &o.classes[i]; !q.empty() && (best == nil || q.peek().seq < best.peek().seq) {
			best = q
		}
	}
	return best
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

// drain takes out all messages, in order; pings and pongs are lost.
func (o *outbox) drain() []frame {
	o.mu.Lock()
	o.first = nil
	o.mu.Unlock()
	return o.take(nil, 1<<62)
}

func (o *outbox) ring() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
