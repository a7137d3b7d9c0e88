package live

import (
	"container/heap"
	"time"
)

// timers are the calls to come, by time. The loop alone uses them.
type timers struct {
	heap timerHeap
	byID map[uint64]*timer
	last uint64
}

type timer struct {
	at    time.Duration
	id    uint64 // ascending, so that equal times keep their order
	index int    // in the heap
	call  func()
}

func newTimers() *timers { return &timers{byID: make(map[uint64]*timer)} }

// add plans a call and returns the timer's ID.
func (t *timers) add(at time.Duration, call func()) uint64 {
	t.last++
	e := &timer{at: at, id: t.last, call: call}
	t.byID[e.id] = e
	heap.Push(&t.heap, e)
	return e.id
}

// StopTimer cancels a call; see engine.Stopper.
func (t *timers) StopTimer(id uint64) bool {
	e := t.byID[id]
	if e == nil {
		return false
	}
	delete(t.byID, id)
	heap.Remove(&t.heap, e.index)
	return true
}

// next returns when the earliest call is due.
func (t *timers) next() (time.Duration, bool) {
	if len(t.heap) == 0 {
		return 0, false
	}
	return t.heap[0].at, true
}

// due removes the earliest call if it is due by now; nil if none is.
func (t *timers) due(now time.Duration) func() {
	if len(t.heap) == 0 || t.heap[0].at > now {
		return nil
	}
	e := heap.Pop(&t.heap).(*timer)
	delete(t.byID, e.id)
	return e.call
}

type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].id < h[j].id
}
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *timerHeap) Push(x any) {
	e := x.(*timer)
	e.index = len(*h)
	*h = append(*h, e)
}
func (h *timerHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return e
}
