package deliver

import (
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// floors are numbers above which a channel's next version has to be numbered. A node that could be an owner may sign a
// number above the others', for a content of its own, and send it to some nodes. They would accept no later version. So
// a node that holds a number above an owner's notifies the owner. There always is a higher number: none is accepted
// that is ahead of the calendar by more than machine.MaxAhead.
type floors struct {
	around
	above map[engine.ID]uint64 // by channel, at most maxFloors
}

const maxFloors = 1 << 14

// Floor returns the number above which the next version's has to be, and RaiseFloor raises it.
func (n *floors) Floor(channel engine.ID) uint64 { return n.above[channel] }
func (n *floors) RaiseFloor(channel engine.ID, version uint64) {
	floor, known := n.above[channel]
	if floor < version && (known || update.Room(&n.Base, len(n.above), "maxFloors", maxFloors)) {
		n.above[channel] = version
	}
}
