package sim

import (
	"math/bits"
	"slices"
)

const (
	// A bucket of sortChunks at most is sorted rather than dealt out, with up to 1<<sortBits
	// counts.
	sortBits   = 10
	sortChunks = 1 << sortBits / chunkEntries
)

// insert sorts e into front.
func (q *queue) insert(e entry) {
	i := len(q.front)
	for i > q.head && q.front[i-1].at > e.at {
		if i--; len(q.front)-i >= few {
			if q.insertNext(e) {
				return
			}
			q.spill(e.at)
			i = len(q.front)
			break
		}
	}
	if len(q.front) == cap(q.front) && q.head > i/2 {
		q.front = slices.Delete(q.front, 0, q.head)
		q.prefetched -= q.head
		i, q.head = i-q.head, 0
	}
	q.front = append(q.front, e)
	copy(q.front[i+1:], q.front[i:])
	q.front[i] = e
}

// insertNext sorts e into front if it is one of the next, and there is room before these.
func (q *queue) insertNext(e entry) bool {
	if q.head == 0 {
		return false
	}
	next := q.front[q.head:]
	for i := range min(few, len(next)) {
		if next[i].at > e.at {
			q.head--
			copy(q.front[q.head:], next[:i])
			q.front[q.head+i] = e
			return true
		}
	}
	return false
}

// spill puts all of front that is later than at back into buckets.
func (q *queue) spill(at int64) {
	from, _ := slices.BinarySearchFunc(q.front[q.head:], at, func(e entry, at int64) int {
		if e.at <= at {
			return -1
		}
		return 1
	})
	later := q.front[q.head+from:]
	q.front = q.front[:q.head+from]
	q.limit = at + 1
	for _, e := range later {
		q.put(e)
	}
}

// bringIn brings the entries of a bucket into front, which is empty, unless they should be dealt
// out first.
func (q *queue) bringIn(first *chunk, begin int64, shift uint) bool {
	if shift > 0 {
		return first.within(sortChunks) && q.sortIn(first, begin, shift)
	}
	for c := first; c != nil; c = c.next { // all of one time
		q.front = append(q.front, c.entries[:c.length]...)
	}
	return true
}

// sortIn sorts the entries of a bucket into front, which is empty, unless many lie close together. first is its first
// chunk, begin the earliest time it can hold, and 1<<shift how many. The entries are dealt out once more, into as many
// parts as there are entries (a counting sort), which leaves next to nothing to do for the insertion sort that follows.
func (q *queue) sortIn(first *chunk, begin int64, shift uint) bool {
	length := 0
	for c := first; c != nil; c = c.next {
		length += c.length
	}
	parts := min(uint(bits.Len(uint(length))), sortBits, shift)
	shift -= parts
	counts := q.counts[:1<<parts]
	clear(counts)
	for c := first; c != nil; c = c.next {
		for i := range c.entries[:c.length] {
			counts[uint64(c.entries[i].at-begin)>>(shift%64)]++
		}
	}
	before := uint16(0)
	for i, n := range counts {
		if n > few && shift > 0 {
			return false
		}
		counts[i] = before
		before += n
	}
	q.front = slices.Grow(q.front, length)[:length]
	for c := first; c != nil; c = c.next {
		for _, e := range c.entries[:c.length] {
			to := &counts[uint64(e.at-begin)>>(shift%64)]
			q.front[*to] = e
			*to++
		}
	}
	if shift > 0 {
		insertionSort(q.front)
	}
	return true
}

func insertionSort(entries []entry) {
	for i := 1; i < len(entries); i++ {
		e := entries[i]
		j := i
		for ; j > 0 && entries[j-1].at > e.at; j-- {
			entries[j] = entries[j-1]
		}
		entries[j] = e
	}
}
