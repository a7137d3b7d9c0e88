package sim

import "tidings/network/engine"

// backlog is messages that wait, in the order of their coming. Where one must go, it is the
// oldest of the least urgent class. The messages are linked through their deliveries.
type backlog struct {
	first, last [engine.Classes]uint32 // by class; slot+1, 0: none
	length      int
	peak        int
	pushed      uint32
	senders     senders
}

func (b *backlog) push(w *World, slot uint32) {
	p := w.passages.at(slot)
	b.pushed++
	p.order, p.next = b.pushed, 0
	if last := b.last[p.class]; last != 0 {
		w.passages.at(last - 1).next = slot + 1
	} else {
		b.first[p.class] = slot + 1
	}
	b.last[p.class] = slot + 1
	b.length++
	b.peak = max(b.peak, b.length)
	b.senders.add(p.from)
}

// pop removes the message that came first of all.
func (b *backlog) pop(w *World) uint32 {
	first, order := engine.Control, uint32(0)
	found := false
	for class, slot := range b.first {
		if slot == 0 {
			continue
		}
		// By difference, so that the count may wrap.
		if o := w.passages.at(slot - 1).order; !found || int32(o-order) < 0 {
			first, order, found = engine.Class(class), o, true
		}
	}
	return b.popClass(w, first)
}

// shed removes the message that goes when there are too many.
func (b *backlog) shed(w *World) uint32 {
	class := engine.Class(engine.Classes - 1)
	for b.first[class] == 0 {
		class--
	}
	return b.popClass(w, class)
}

// popClass removes the first message of a class, which has some.
func (b *backlog) popClass(w *World, class engine.Class) uint32 {
	slot := b.first[class] - 1
	p := w.passages.at(slot)
	b.first[class] = p.next
	if b.first[class] == 0 {
		b.last[class] = 0
	}
	b.length--
	b.senders.remove(p.from)
	return slot
}

// senders counts the messages of each sender that wait in one queue of a node. A live node has a queue for each link
// (live.Limits), so a bound of live nodes is one of each count, not of their sum.
type senders struct {
	waiting map[Node]int // none is 0
	peak    int          // the most that one of them ever had
}

func (s *senders) add(n Node) {
	if s.waiting == nil {
		s.waiting = make(map[Node]int)
	}
	s.waiting[n]++
	s.peak = max(s.peak, s.waiting[n])
}

func (s *senders) remove(n Node) {
	if s.waiting[n]--; s.waiting[n] == 0 {
		delete(s.waiting, n)
	}
}
