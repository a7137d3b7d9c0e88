package feedtree

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// later is an item whose number is above that up to which all are kept. It is held for those before it. Then the
// Library keeps it. Then its number is remembered until the gap is closed.
type later struct {
	number uint64
	time   int64
	topic  engine.ID
	state  laterState
	item   *Item         // while it is held, or on its way to the Library
	came   time.Duration // when
	from   engine.Peer
	way    Way
}

type laterState uint8

const (
	held laterState = iota
	keeping
	kept
)

// find returns where a number is, or belongs, among the later ones.
func (f *following) find(number uint64) (at int, found bool) {
	return slices.BinarySearchFunc(f.later, number, func(l later, number uint64) int {
		switch {
		case l.number < number:
			return -1
		case l.number > number:
			return 1
		}
		return 0
	})
}

// wants reports whether an item with a number is missing here, or may be replaced.
func (f *following) wants(number uint64) bool {
	if number <= f.have || f.void {
		return false
	}
	at, found := f.find(number)
	return !found || f.later[at].state == held
}

// has reports whether an item is here or was.
func (f *following) has(number uint64) bool {
	_, found := f.find(number)
	return found || number <= f.have
}

func (f *following) insert(l later) {
	at, _ := f.find(l.number)
	f.later = slices.Insert(f.later, at, l)
}

// drop forgets an item that is held.
func (n *Node) drop(f *following, number uint64) {
	if at, found := f.find(number); found {
		n.pending.remove(&f.later[at])
		f.later = slices.Delete(f.later, at, at+1)
	}
}

// absorb counts those as had that are kept without a gap before them.
func (f *following) absorb() {
	done := 0
	for done < len(f.later) {
		l := &f.later[done]
		if l.state != kept || l.number > f.have+1 {
			break
		}
		if l.number > f.have {
			f.have, f.haveTime = l.number, l.time
		}
		done++
	}
	f.later = slices.Delete(f.later, 0, done)
}

// missing returns the first numbers that are missing, from one up to another; 0, 0: none is.
func (f *following) missing() (from, to uint64) {
	next := f.have + 1
	for i := range f.later {
		switch number := f.later[i].number; {
		case number > next:
			return next, number - 1
		case number == next:
			next++
		}
	}
	if next <= f.last {
		return next, f.last
	}
	return 0, 0
}

// fits reports whether an item's time lies between those of the items before and after it.
func (f *following) fits(number uint64, time int64) bool {
	at, _ := f.find(number)
	if at < len(f.later) && f.later[at].number == number {
		return true
	}
	before := f.haveTime
	if at > 0 {
		before = f.later[at-1].time
	}
	if at < len(f.later) && f.later[at].time > 0 && time > f.later[at].time {
		return false
	}
	return time >= before
}

// pending counts the items of all channels that the Library does not have yet.
type pending struct{ items, bytes int }

func (p *pending) add(l *later) {
	p.items++
	p.bytes += len(l.item.Entry)
}

func (p *pending) remove(l *later) {
	if l.item != nil {
		p.items--
		p.bytes -= len(l.item.Entry)
		l.item = nil
	}
}
