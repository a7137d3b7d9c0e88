package feedtree

import (
	"encoding/binary"
	"slices"
	"strings"

	"tidings/network/engine"
)

// An item can take earlier ones of its feed back: a kill of a news item does so with the versions before it.
// Their numbers stand before its entry, and are signed with that. So a node that is asked for an item that
// was taken back answers with the one that did so, and whoever has that needs the earlier one no more.

// withdrawingMark begins the entry of an item that takes others back: a count follows, then the numbers,
// ascending, each as its distance from the one before, all as unsigned varints; then the entry.
const withdrawingMark = "tidings feedtree withdraws\n"

// MaxWithdrawn is how many items one takes back, at most. Followers keep fewer.
const MaxWithdrawn = 4096

// Withdrawing returns an entry that also takes earlier items back. Of more than MaxWithdrawn the highest
// numbers count.
func Withdrawing(numbers []uint64, entry []byte) []byte {
	numbers = slices.Compact(slices.Sorted(slices.Values(numbers)))
	numbers = numbers[max(0, len(numbers)-MaxWithdrawn):]
	if len(numbers) == 0 {
		return entry
	}
	b := binary.AppendUvarint([]byte(withdrawingMark), uint64(len(numbers)))
	before := uint64(0)
	for _, number := range numbers {
		b = binary.AppendUvarint(b, number-before)
		before = number
	}
	return append(b, entry...)
}

// Withdraws returns the numbers of the items that this one takes back, ascending, all of them below its own;
// nil: none. What else it may name counts for nothing.
func (i *Item) Withdraws() []uint64 {
	numbers, _ := i.parts()
	return numbers
}

// Content returns the entry in the Library's form.
func (i *Item) Content() []byte {
	_, content := i.parts()
	return content
}

func (i *Item) parts() (numbers []uint64, content []byte) {
	if !strings.HasPrefix(string(i.Entry[:min(len(i.Entry), len(withdrawingMark))]), withdrawingMark) {
		return nil, i.Entry
	}
	rest := i.Entry[len(withdrawingMark):]
	next := func() (n uint64, ok bool) {
		n, size := binary.Uvarint(rest)
		rest = rest[max(size, 0):]
		return n, size > 0
	}
	count, ok := next()
	if !ok || count == 0 || count > MaxWithdrawn {
		return nil, i.Entry
	}
	for number := uint64(0); count > 0; count-- {
		step, ok := next()
		if !ok || step == 0 || number+step < number {
			return nil, i.Entry
		}
		if number += step; number < i.Number {
			numbers = append(numbers, number)
		}
	}
	return numbers, rest
}

// withdrawals are the items that were taken back lately, as far as this node has seen it: by the numbers of
// those that did so.
type withdrawals struct{ by recent[place, uint64] }

// maxWithdrawals is how many are remembered: about four bytes of each item's message.
const maxWithdrawals = 1 << 14

// note remembers what a genuine item takes back. It goes from what this node has for others.
func (w *withdrawals) note(n *Node, topic engine.ID, i *Item) {
	for _, number := range i.Withdraws() {
		w.by.put(place{topic, number}, i.Number)
		n.passed.remove(topic, number)
	}
}

// Withdrawn reports whether an event is an item that was taken back, as far as this node has seen it. A
// router does not hand such an event on to a node that asks for what it has missed: the item that took it
// back comes there as well.
func (n *Node) Withdrawn(topic engine.ID, event engine.Message) bool {
	if named, ok := event.(*Named); ok {
		event = named.Event
	}
	i, ok := event.(*Item)
	if !ok {
		return false
	}
	_, withdrawn := n.withdrawals.by.get(place{topic, i.Number})
	return withdrawn
}

// takeBack counts as had what an item takes back and is not here so far: nobody is to be asked for it.
func (f *following) takeBack(n *Node, topic engine.ID, i *Item) {
	for _, number := range i.Withdraws() {
		f.needNot(n, topic, number)
	}
}

// needNot counts a number as had, unless its item is here.
func (f *following) needNot(n *Node, topic engine.ID, number uint64) {
	if f.wants(number) {
		n.drop(f, number)
		f.insert(later{number: number, topic: topic, state: kept})
		n.env.Trace(TakenBack{topic, number})
	}
}

// genuine reports whether a withdrawal is of a topic, and of a number that can have been given: see
// statement.looks.
func (w *Withdrawal) genuine(n *Node, topic engine.ID) bool {
	latest := n.env.Wall().Add(n.config.Ahead).UnixMilli()
	return 0 < w.Number && w.Number <= uint64(max(latest, 0)) && w.Verify(topic) == nil
}

// takeWithdrawal takes what stands in the archive in the place of an item, and reports whether it is genuine.
func (f *following) takeWithdrawal(n *Node, topic engine.ID, w *Withdrawal) bool {
	if f.void || !f.trusts(topic, w.Key) || !w.genuine(n, topic) {
		return false
	}
	n.exists(f, w.Number)
	f.needNot(n, topic, w.Number)
	n.settle(f)
	return true
}
