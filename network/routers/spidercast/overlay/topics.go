package overlay

import (
	"slices"

	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
)

// topic is one that the node follows or publishes on; neither: its slot is free.
type topic struct {
	id        engine.ID
	name      interest.Name
	follows   bool
	publishes bool
	cover     [tasks]int32 // how many neighbours of each task follow it
}

func (t *topic) on() bool { return t.follows || t.publishes }

// topics are self_interest of Figure 1. Everything else knows a topic by its slot: a number that stays the same as long
// as the topic does.
type topics struct {
	slots  []topic
	free   []int32
	byName map[interest.Name]int32
	count  int // |self_interest|

	candidates Candidates // are notified which topics lack cover
	scratch    []int32    // see trial
}

// find returns a topic's slot; -1: it has none.
func (t *topics) find(id engine.ID) int32 {
	if slot, ok := t.byName[interest.NameOf(id)]; ok && t.slots[slot].id == id {
		return slot
	}
	return -1
}

// add returns the slot of a topic, a new one if it has none; -1 if another topic has the same name.
func (t *topics) add(id engine.ID) (slot int32, isNew bool) {
	name := interest.NameOf(id)
	if slot, ok := t.byName[name]; ok {
		if t.slots[slot].id != id {
			return -1, false
		}
		return slot, false
	}
	if n := len(t.free); n > 0 {
		slot, t.free = t.free[n-1], t.free[:n-1]
	} else {
		slot = int32(len(t.slots))
		t.slots = append(t.slots, topic{})
	}
	t.slots[slot] = topic{id: id, name: name}
	t.byName[name] = slot
	t.count++
	return slot, true
}

// remove frees a slot; its topic is not covered any more.
func (t *topics) remove(slot int32) {
	delete(t.byName, t.slots[slot].name)
	t.slots[slot] = topic{}
	t.free = append(t.free, slot)
	t.count--
}

// in returns the slots of the topics that a set has, in order.
func (t *topics) in(s interest.Set) (slots []int32) {
	if s == nil {
		return nil
	}
	for i := range t.slots {
		if t.slots[i].on() && s.Has(t.slots[i].name) {
			slots = append(slots, int32(i))
		}
	}
	return slots
}

// anyFollowed reports whether this node follows a topic that a set has.
func (t *topics) anyFollowed(s interest.Set) bool {
	return s != nil && slices.ContainsFunc(t.slots, func(o topic) bool { return o.follows && s.Has(o.name) })
}

// followed returns the names of this node's topics that are also in one of the sets. They are an exact set of at most
// most names. complete reports whether it has all of them.
func (t *topics) followed(most int, sets ...interest.Set) (_ interest.Set, complete bool) {
	var names []interest.Name
	for i := range t.slots {
		o := &t.slots[i]
		if o.follows && slices.ContainsFunc(sets, func(s interest.Set) bool { return s != nil && s.Has(o.name) }) {
			names = append(names, o.name)
		}
	}
	slices.Sort(names)
	if complete = len(names) <= most; !complete {
		names = names[:most]
	}
	return interest.List(names), complete
}

// profile returns what this node announces.
func (t *topics) profile(version uint32, exact int) Profile {
	var follows, publishes []engine.ID
	for i := range t.slots {
		switch o := &t.slots[i]; {
		case o.follows:
			follows = append(follows, o.id)
		case o.publishes:
			publishes = append(publishes, o.id)
		}
	}
	return Profile{Version: version, Follows: interest.Of(follows, exact), Publishes: interest.Of(publishes, exact)}
}
