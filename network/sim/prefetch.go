package sim

import "unsafe"

// prefetch reads what the events that are about to come will need: nodes, messages, protocols. The cost of a world of
// many nodes is not work but waiting for memory, one miss after another as each event follows the last. Here the events
// do not depend on each other, so that the processor fetches for many of them at a time. It changes nothing. It makes
// worlds of 100,000 nodes and more half as fast again at least.
func (w *World) prefetch(entries []entry) {
	if w.Len() < cached {
		return
	}
	var sum uint64 // so that no read is left out
	for _, e := range entries {
		switch e.what() {
		case arrive:
			v := w.node(e.node)
			sum += uint64(v.incarnation) + v.sent // on either cache line
			sum += uint64(w.passages.at(e.slot()).place)
		case timer:
			sum += uint64(w.node(e.node).incarnation)
			sum += uint64(w.timers.slab.at(e.slot()).due)
		}
	}
	for _, e := range entries {
		if e.what() != arrive {
			continue
		}
		sum += firstByte(unsafe.Pointer(&w.node(e.node).protocol))
		p := w.passages.at(e.slot())
		sum += uint64(w.node(p.from).incarnation) + firstByte(unsafe.Pointer(&p.message))
	}
	w.sink = sum
}

// cached is how many nodes a processor's own cache holds anyway.
const cached = 2000

// firstByte reads a byte of what an interface points to. In every interface the second word is
// a pointer: to the value, or the value itself where that is a pointer, which may be nil.
func firstByte(i unsafe.Pointer) uint64 {
	if value := (*[2]unsafe.Pointer)(i)[1]; value != nil {
		return uint64(*(*byte)(value))
	}
	return 0
}
