package node

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// After a burst of work the process keeps as much memory again as it uses, and the runtime returns it to the system
// over many minutes, or never while nothing collects garbage. The store keeps all pages that it has once needed, as far
// as its caches have room. A node at rest returns both: it would otherwise hold twice what its channels need.
const (
	restEvery   = 10 * time.Second // between two checks
	restQuiet   = 8 << 20          // bytes allocated between two checks: a process with fewer is at rest
	restWorth   = 16 << 20         // bytes; less is not returned, for each return collects garbage once
	shrinkEvery = 5 * time.Minute  // of the store's caches, while the node stays at rest
)

// resting is what all nodes of this process know of its memory together.
var resting rest

// rest returns memory to the system when the process is at rest.
type rest struct {
	mu        sync.Mutex
	at        time.Time // of the last check
	allocated uint64    // since the process began, as of then
}

// heapUse is what the runtime says of the heap, in bytes.
type heapUse struct {
	allocated uint64 // since the process began
	free      uint64 // held, and not in use
	objects   uint64 // in use, or garbage
	live      uint64 // in use as of the last collection
}

func readHeap() heapUse {
	names := []string{"/gc/heap/allocs:bytes", "/memory/classes/heap/free:bytes", "/memory/classes/heap/objects:bytes",
		"/gc/heap/live:bytes"}
	samples := make([]metrics.Sample, len(names))
	for i, name := range names {
		samples[i].Name = name
	}
	metrics.Read(samples)
	value := func(i int) uint64 { return samples[i].Value.Uint64() }
	return heapUse{value(0), value(1), value(2), value(3)}
}

// isWorth reports whether returning memory is worth a collection of garbage.
func (h heapUse) isWorth(allocatedBefore uint64) bool {
	unused := h.free
	if h.objects > h.live {
		unused += h.objects - h.live
	}
	return h.allocated-allocatedBefore < restQuiet && unused >= restWorth
}

// check returns memory to the system if the process, whose heap is h, was at rest since the check before.
func (r *rest) check(now time.Time, h heapUse) (returned bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.at) < restEvery/2 {
		return false // another node has checked
	}
	if returned = !r.at.IsZero() && h.isWorth(r.allocated); returned {
		debug.FreeOSMemory()
	}
	r.at, r.allocated = now, h.allocated
	return returned
}

// stillness is since when the process is at rest, as one node sees it.
type stillness struct {
	still     bool
	allocated uint64 // since the process began, as of the last check; 0: there was none
	shrunk    time.Time
}

// check reports whether to empty the caches of the store: when the process comes to rest, and then from time to time.
func (s *stillness) check(now time.Time, allocated uint64) (shrink bool) {
	still := s.allocated != 0 && allocated-s.allocated < restQuiet
	if shrink = still && (!s.still || now.Sub(s.shrunk) >= shrinkEvery); shrink {
		s.shrunk = now
	}
	s.still, s.allocated = still, allocated
	return shrink
}

// rest returns memory of the process until ctx ends.
func (n *Node) rest(ctx context.Context) {
	check := time.NewTicker(restEvery)
	defer check.Stop()
	var s stillness
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-check.C:
			if s.check(now, readHeap().allocated) {
				if err := n.store.DB.Shrink(ctx); err != nil && ctx.Err() == nil {
					n.log.Warn("the caches of the store were not emptied", "error", err)
				}
			}
			resting.check(now, readHeap())
		}
	}
}
