package sim

import (
	"math/bits"
	"time"
)

// Steady is a Latency that does not change from one message to the next of the same two nodes, so that none can
// overtake another. It saves the world the book-keeping by which messages keep their order, some 30 ns a message.
type Steady interface {
	Latency

	// Steady reports whether it is so.
	Steady() bool
}

// Steady is true.
func (c Constant) Steady() bool { return true }

func isSteady(l Latency) bool {
	s, ok := l.(Steady)
	return ok && s.Steady()
}

// order keeps messages between two nodes in the order of sending: no message arrives before an earlier one. It
// remembers the last arrival of each pair, while that is to come, in a hash table with open addressing. Its size
// follows the number of pairs with messages under way.
type order struct {
	slots []arrival // a power of two, at least a quarter of them empty
	used  int
	until time.Duration // the latest arrival of all
}

type arrival struct {
	pair uint64 // 0: empty
	at   time.Duration
}

// after returns when a message arrives that would arrive at the given time if it were alone.
func (o *order) after(from, to Node, at, now time.Duration) time.Duration {
	if o.used >= len(o.slots)/4*3 {
		o.rebuild(now)
	}
	pair := uint64(uint32(from))<<32 | uint64(uint32(to))
	pair++ // so that no pair is 0
	s := o.find(pair)
	if s.pair == 0 {
		s.pair = pair
		o.used++
	} else {
		at = max(at, s.at)
	}
	s.at = at
	o.until = max(o.until, at)
	return at
}

func (o *order) find(pair uint64) *arrival {
	mask := uint64(len(o.slots) - 1)
	i := pair * 0x9e3779b97f4a7c15 >> (64 - bits.Len64(mask))
	for {
		if s := &o.slots[i]; s.pair == pair || s.pair == 0 {
			return s
		}
		i = (i + 1) & mask
	}
}

// rebuild forgets what is past and makes room.
func (o *order) rebuild(now time.Duration) {
	live := 0
	for _, s := range o.slots {
		if s.pair != 0 && s.at > now {
			live++
		}
	}
	old := o.slots
	o.slots = make([]arrival, 1<<bits.Len(uint(4*live+63)))
	o.used = live
	for _, s := range old {
		if s.pair != 0 && s.at > now {
			*o.find(s.pair) = s
		}
	}
}
