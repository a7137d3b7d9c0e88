package sim

import (
	"time"

	"tidings/network/engine"
)

// call is a timer of a node: a function to call.
type call struct {
	f          func() // nil: called or cancelled
	due        int64  // in the world's time
	node       Node
	generation uint32 // of the slot, so that a Timer that has passed means no later one
	next, prev uint32 // the node's other calls, newest first; slot+1, 0: none
	entries    uint32 // in the queue; the slot is not used again before they are gone
	work       bool   // a done of Env.Work
}

// timers holds the calls of all nodes.
type timers struct {
	slab   slab[call]
	live   int // calls to come
	queued int // entries in the queue
}

var _ engine.Stopper = (*World)(nil)

// after has f called d of the node's time from now.
func (w *World) after(n Node, d time.Duration, f func(), work bool) engine.Timer {
	slot, c := w.timers.slab.alloc()
	v := w.node(n)
	c.f, c.due, c.node, c.work = f, int64(w.dueAt(v, max(d, 0))), n, work
	c.generation++
	c.prev, c.next = 0, v.calls
	if v.calls != 0 {
		w.timers.slab.at(v.calls - 1).prev = slot + 1
	}
	v.calls = slot + 1
	w.timers.live++
	w.queueCall(slot, c)
	return engine.NewTimer(w, uint64(c.generation)<<32|uint64(slot))
}

func (w *World) queueCall(slot uint32, c *call) {
	c.entries++
	w.timers.queued++
	w.queue.push(entry{at: c.due, ref: refOf(timer, slot), node: c.node})
}

// StopTimer is for [engine.Timer].
func (w *World) StopTimer(id uint64) bool {
	c := w.timers.slab.at(uint32(id))
	if c.f == nil || c.generation != uint32(id>>32) {
		return false
	}
	w.endCall(c)
	w.maybeSweep()
	return true
}

// endCall removes c from its node.
func (w *World) endCall(c *call) {
	c.f = nil
	w.timers.live--
	if c.next != 0 {
		w.timers.slab.at(c.next - 1).prev = c.prev
	}
	if c.prev != 0 {
		w.timers.slab.at(c.prev - 1).next = c.next
	} else {
		w.node(c.node).calls = c.next
	}
}

// due notes that an entry of a call has come, and returns what to call: nil if the call
// was cancelled or put off.
func (w *World) due(e entry) func() {
	c := w.timers.slab.at(e.slot())
	var f func()
	if c.f != nil && c.due == e.at {
		f = c.f
		if c.work {
			w.node(c.node).working--
		}
		w.endCall(c)
	}
	w.dropEntry(e.slot(), c)
	return f
}

func (w *World) dropEntry(slot uint32, c *call) {
	w.timers.queued--
	if c.entries--; c.entries == 0 {
		w.timers.slab.release(slot)
	}
}

// endCalls cancels all calls of a node.
func (w *World) endCalls(v *node) {
	for v.calls != 0 {
		w.endCall(w.timers.slab.at(v.calls - 1))
	}
	w.maybeSweep()
}

// maybeSweep removes dead entries from the queue when they are more than half of it, so that calls cancelled cost no
// more memory than what is to come.
func (w *World) maybeSweep() {
	dead := w.timers.queued - w.timers.live
	if dead < 4096 || dead < w.queue.length/2 {
		return
	}
	w.queue.remove(func(e entry) bool {
		if e.what() != timer {
			return false
		}
		c := w.timers.slab.at(e.slot())
		if c.f != nil && c.due == e.at {
			return false
		}
		w.dropEntry(e.slot(), c)
		return true
	})
}
