package pastry

import (
	"encoding/binary"
	"slices"
	"time"

	"tidings/network/engine"
)

// contact is a peer that this node has met: it has answered, or has spoken first.
type contact struct {
	peer  engine.Peer
	rtt   time.Duration // of the latest probe; 0: not measured
	spoke time.Duration // Env.Now when it last spoke
	near  bool          // it has named, as a neighbour, the nodes that it knows next to self

	incarnation uint32 // as it has said itself; 0: not known

	kept  *kept  // what it has sent, if it is the next one; nil: nothing
	holds uint64 // the digest of what it keeps of this node's, as it has said last; 0: nothing
}

// known is everybody that a node knows, in one list by ID. The paper's leaf set L and routing
// table R are two views of it (leafset.go, table.go):
//
//   - the leaf set is those next to self in the list, half on either side, the list seen as a ring;
//   - slot (r, c) of the routing table is those that share the first r digits with self and have c as the next one.
//     They are together in the list.
//
// A contact stays while it is in the leaf set or among the perSlot fastest of its slot. So the
// list is bounded by the leaf set and, for N nodes, about 15 log16 N slots.
type known struct {
	env     engine.Env
	self    engine.ID
	digit   int // bits
	half    int // of the leaf set
	perSlot int

	list []contact // by ID, ascending; self is not among them
	at   int       // where self would stand: list[at-1] < self < list[at]
	ring int       // size's answer; 0: the list has changed
}

// find returns the contact with the given ID, nil if there is none. The pointer is good until
// the list changes.
func (k *known) find(id engine.ID) *contact {
	if i, ok := k.search(id); ok {
		return &k.list[i]
	}
	return nil
}

// search returns where id stands in the list, or would stand.
func (k *known) search(id engine.ID) (int, bool) {
	// A node spends most of its time here. The first 8 bytes nearly always decide.
	start := binary.BigEndian.Uint64(id[:])
	low, high := 0, len(k.list)
	for low < high {
		middle := int(uint(low+high) / 2)
		other := &k.list[middle].peer.ID
		at := binary.BigEndian.Uint64(other[:])
		switch {
		case at < start || at == start && other.Compare(id) < 0:
			low = middle + 1
		case *other == id:
			return middle, true
		default:
			high = middle
		}
	}
	return low, false
}

// add inserts a contact that is not in the list, and drops the one that thereby loses its claim. It may be the
// newcomer. It reports whether the leaf set has changed.
func (k *known) add(c contact) (leaf bool) {
	i, _ := k.search(c.peer.ID)
	k.makeRoom()
	k.list, k.ring = slices.Insert(k.list, i, c), 0
	if c.peer.ID.Compare(k.self) < 0 {
		k.at++
	}
	leaf = k.isLeaf(i)
	k.trim(c.peer.ID)
	if leaf { // the one that stood last on its side has left the leaf set
		for _, id := range k.beyond() {
			if c := k.find(id); c != nil {
				c.near = false
				k.trim(id)
			}
		}
	}
	return leaf
}

// makeRoom makes room for one more. The list grows by an eighth, not by half or more as slices do. It comes near its
// full length in a node's first minute, and any excess stays for its life.
func (k *known) makeRoom() {
	if n := len(k.list); n == cap(k.list) {
		k.list = append(make([]contact, 0, n+n/8+8), k.list...)
	}
}

// remove drops the contact with the given ID. It reports whether it was in the leaf set.
func (k *known) remove(id engine.ID) (leaf bool) {
	i, ok := k.search(id)
	if !ok {
		return false
	}
	leaf = k.isLeaf(i)
	k.drop(i)
	return leaf
}

func (k *known) drop(i int) {
	k.list, k.ring = slices.Delete(k.list, i, i+1), 0
	if i < k.at {
		k.at--
	}
}

// trim drops the excess ones of id's slot: the slowest first, of equals the latest in the list, and none of the leaf
// set.
func (k *known) trim(id engine.ID) {
	for {
		from, to := k.slotOf(id)
		if to-from <= k.perSlot {
			return
		}
		worst := -1
		for i := from; i < to; i++ {
			if !k.isLeaf(i) && (worst < 0 || !faster(k.list[i], k.list[worst])) {
				worst = i
			}
		}
		if worst < 0 {
			return
		}
		k.drop(worst)
	}
}

// faster reports whether a has the shorter round trip. One that was not measured is slower.
func faster(a, b contact) bool { return a.rtt != 0 && (b.rtt == 0 || a.rtt < b.rtt) }

// claim is what a node is to this one, or would be if it were met.
type claim uint8

const (
	none    claim = iota // others of its slot are faster, perhaps
	ofTable              // there is room in its slot
	ofLeafSet
)

// claims returns the claim of the node with the given ID, and whether it is in the list.
func (k *known) claims(id engine.ID) (c claim, found bool) {
	if id == k.self {
		return none, false
	}
	i, found := k.search(id)
	if found && k.isLeaf(i) || !found && k.wouldBeLeaf(i, id) {
		return ofLeafSet, found
	}
	from, to := k.slotAt(i, id, k.self.CommonDigits(id, k.digit)+1)
	if found || to-from < k.perSlot {
		return ofTable, found
	}
	return none, false
}
