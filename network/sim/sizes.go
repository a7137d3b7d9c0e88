package sim

import (
	"unsafe"

	"tidings/network/engine"
)

// sizes remembers the lengths of messages that were sent of late: messages do not change once they
// are sent, and many are sent to several peers, at once or by and by. A message has one place; the
// next one that has the same takes it over.
type sizes struct{ slots []sized }

type sized struct {
	message engine.Message // it stays in memory as long as it is here, so that no other has its address
	size    int
}

const sizesBits = 12

// of returns how many bytes m takes.
func (s *sizes) of(c *engine.Codec, m engine.Message) int {
	if s.slots == nil {
		s.slots = make([]sized, 1<<sizesBits)
	}
	address := uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&m))[1])
	slot := &s.slots[uint64(address)*0x9e3779b97f4a7c15>>(64-sizesBits)]
	if slot.message != m {
		slot.message, slot.size = m, c.Size(m)
	}
	return slot.size
}
