package sim

import (
	"math/bits"
	"unsafe"

	"tidings/network/engine"
)

// sizes remembers the lengths of messages that were sent twice of late: messages do not change once they are sent, and
// many are sent to several peers, at once or by and by. A message has one place; the next one that has the same shares
// it. Short ones are measured anew, which lasts no longer, so that they do not replace long ones. Those sent once are
// not kept: they would be tens of thousands of the longest, which are not needed any more.
type sizes struct {
	slots []sized
	shift int
}

type sized struct {
	message engine.Message // it stays in memory as long as it is here, so that no other has its address
	size    int
	once    uintptr // where the message lay that was measured here last; another may lie there by now
}

const (
	// There are so many slots for each node there is when the first message is sent, and in all.
	slotsANode          = 32
	leastBits, mostBits = 8, 16

	// shortMessage is how many bytes a message needs at most that is not remembered.
	shortMessage = 48
)

// of returns how many bytes m needs, in a world of so many nodes.
func (s *sizes) of(c *engine.Codec, m engine.Message, nodes int) int {
	if s.slots == nil {
		length := min(max(bits.Len(uint(slotsANode*nodes)), leastBits), mostBits)
		s.slots, s.shift = make([]sized, 1<<length), 64-length
	}
	address := uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&m))[1])
	slot := &s.slots[uint64(address)*0x9e3779b97f4a7c15>>s.shift]
	if slot.message == m {
		return slot.size
	}
	size := c.Size(m)
	switch {
	case size <= shortMessage:
	case slot.once == address:
		slot.message, slot.size = m, size
	default:
		slot.once = address
	}
	return size
}
