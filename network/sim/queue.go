package sim

import (
	"math/bits"
	"slices"
)

// queue holds what is to come, earliest first, and of equals what came first.
//
// It is a radix heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990) with digits of six bits: an entry
// lies in the bucket of the highest digit in which its time differs from last, a time that
// lies not after the earliest entry. When the lower buckets have run dry, the earliest of the
// rest is dealt out again, one level lower at least. The bucket is a function of time and
// last alone, so equals always share one, in the order of their coming.
//
// A bucket of few entries is not dealt out but sorted into front. That, the wider digits, and
// buckets that are lists of chunks out of one pool, make it 1.2 to 2.9 times as fast as the
// textbook's binary radix heap, and 4 to 10 times as fast as a 4-ary heap, with 100,000 and
// 1,000,000 entries of latencies and time-outs, all measured side by side.
type queue struct {
	length int
	peak   int

	// front holds all entries before limit, sorted, from head on.
	front []entry
	head  int
	limit int64

	last    int64
	buckets [levels][digits]bucket
	used    [levels]uint64 // by level: bit i tells that bucket i has entries
	spare   *chunk

	// soon, if not nil, is told of entries that are about to come: of most, once.
	soon      func([]entry)
	soonUntil int64 // it was told of those before
}

const (
	digitBits = 6
	digits    = 1 << digitBits
	levels    = (63 + digitBits - 1) / digitBits

	// few is how many entries are sorted rather than dealt out, and how far from the
	// end of front an entry is sorted in before the rest is put back.
	few = 48

	// soonChunks is how many chunks of entries at most are told of at a time: what they
	// point to has room in a processor's cache.
	soonChunks = 8
)

// chunk is a part of a bucket: 1 KiB.
type chunk struct {
	next    *chunk
	length  int
	entries [63]entry
}

// within tells whether a list has at most n chunks.
func (c *chunk) within(n int) bool {
	for ; c != nil; c = c.next {
		if n--; n < 0 {
			return false
		}
	}
	return true
}

type bucket struct{ first, last *chunk }

// push adds e, which must not be due before what was popped last, nor before the time until
// which nothing was found to pop.
func (q *queue) push(e entry) {
	q.length++
	q.peak = max(q.peak, q.length)
	if e.at < q.limit {
		q.insert(e)
	} else {
		q.put(e)
	}
}

// pop takes out the next entry if it is due by the given time.
func (q *queue) pop(until int64) (entry, bool) {
	if q.head == len(q.front) && !q.refill(until) || q.front[q.head].at > until {
		return entry{}, false
	}
	e := q.front[q.head]
	q.head++
	q.length--
	return e, true
}

// insert sorts e into front.
func (q *queue) insert(e entry) {
	i := len(q.front)
	for i > q.head && q.front[i-1].at > e.at {
		if i--; len(q.front)-i >= few {
			q.spill(e.at)
			i = len(q.front)
			break
		}
	}
	if len(q.front) == cap(q.front) && q.head > i/2 {
		q.front = slices.Delete(q.front, 0, q.head)
		i, q.head = i-q.head, 0
	}
	q.front = append(q.front, e)
	copy(q.front[i+1:], q.front[i:])
	q.front[i] = e
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

// put adds e to its bucket. Its time is neither before last nor before limit.
func (q *queue) put(e entry) {
	level := 0
	if x := uint64(e.at ^ q.last); x != 0 {
		level = (bits.Len64(x) - 1) / digitBits
	}
	digit := e.at >> (level * digitBits) % digits
	b := &q.buckets[level][digit]
	c := b.last
	switch {
	case c == nil:
		c = q.chunk()
		b.first, b.last = c, c
		q.used[level] |= 1 << digit
	case c.length == len(c.entries):
		c.next = q.chunk()
		c = c.next
		b.last = c
	}
	c.entries[c.length] = e
	c.length++
}

func (q *queue) chunk() *chunk {
	c := q.spare
	if c == nil {
		return new(chunk)
	}
	q.spare = c.next
	c.next, c.length = nil, 0
	return c
}

// free gives the chunks of b back to the pool.
func (q *queue) free(b bucket) {
	b.last.next = q.spare
	q.spare = b.first
}

// refill brings the earliest entries into front, unless all are later than until.
func (q *queue) refill(until int64) bool {
	q.front, q.head = q.front[:0], 0
	for level := 0; level < levels; {
		if q.used[level] == 0 {
			level++
			continue
		}
		digit := int64(bits.TrailingZeros64(q.used[level]))
		shift := level * digitBits
		begin := q.last>>(shift+digitBits)<<(shift+digitBits) | digit<<shift
		if begin > until {
			return false
		}
		b := q.buckets[level][digit]
		if end := begin + 1<<shift; q.soon != nil && end > q.soonUntil && b.first.within(soonChunks) {
			q.soonUntil = end
			for c := b.first; c != nil; c = c.next {
				q.soon(c.entries[:c.length])
			}
		}
		q.buckets[level][digit] = bucket{}
		q.used[level] &^= 1 << digit
		q.last = begin
		if level == 0 || b.first == b.last && b.first.length <= few {
			q.limit = begin + 1<<shift
			for c := b.first; c != nil; c = c.next {
				for _, e := range c.entries[:c.length] {
					q.insert(e)
				}
			}
			q.free(b)
			return true
		}
		for c := b.first; c != nil; c = c.next {
			for _, e := range c.entries[:c.length] {
				q.put(e)
			}
		}
		q.free(b)
		level = 0
	}
	return false
}

// remove takes out all entries that unwanted says so of.
func (q *queue) remove(unwanted func(entry) bool) {
	waiting := slices.Delete(q.front, 0, q.head)
	q.front, q.head = slices.DeleteFunc(waiting, unwanted), 0
	q.length -= len(waiting) - len(q.front)
	for level := range q.buckets {
		for digit := range q.buckets[level] {
			q.removeFrom(level, digit, unwanted)
		}
	}
}

// removeFrom leaves no bucket marked as used that is empty: refill would take it for a sign
// that time has come to it.
func (q *queue) removeFrom(level, digit int, unwanted func(entry) bool) {
	b := &q.buckets[level][digit]
	left := 0
	for c := b.first; c != nil; c = c.next {
		kept := slices.DeleteFunc(c.entries[:c.length], unwanted)
		q.length -= c.length - len(kept)
		c.length = len(kept)
		left += c.length
	}
	if left == 0 && b.first != nil {
		q.free(*b)
		*b = bucket{}
		q.used[level] &^= 1 << digit
	}
}
