package feedtree

import (
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"tidings/network/engine"
)

// An item can withdraw earlier ones of its feed: a kill of a news item withdraws the versions before it. Their numbers
// stand before its entry, and are signed with that. So a node that is asked for a withdrawn item answers with the one
// that withdrew it. A node that has that one no longer needs the earlier one.

// withdrawingMark begins the entry of an item that withdraws others. A count follows, then the numbers, ascending, each
// as its distance from the one before, all as unsigned varints. Then comes the entry.
const withdrawingMark = "tidings feedtree withdraws\n"

// MaxWithdrawn is how many items one withdraws, at most. Followers keep fewer.
const MaxWithdrawn = 4096

// Withdrawing returns an entry that also withdraws earlier items. Of more than MaxWithdrawn the highest
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

// Withdraws returns the numbers of the items that this one withdraws, ascending, all of them below its own;
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

// Withdrawn reports whether an event is an item that was withdrawn, as far as this node has seen it. If a node asks for
// what it has missed, a router does not send it such an event. The item that withdrew it is sent there as well.
func (n *Node) Withdrawn(topic engine.ID, event engine.Message) bool {
	return n.record.isWithdrawn(topic, event)
}

// skipWithdrawn counts the items that an item withdraws as received, if they are not here yet: no node is to be asked
// for them.
func (f *following) skipWithdrawn(n *Node, topic engine.ID, i *Item) {
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

// genuine reports whether a withdrawal is of a topic, and of a number that can have been given by a time: see
// statement.looks.
func (w *Withdrawal) genuine(topic engine.ID, latest time.Time) bool {
	return 0 < w.Number && w.Number <= uint64(max(latest.UnixMilli(), 0)) && w.Verify(topic) == nil
}

// acceptWithdrawal accepts what stands in the archive in the place of an item, and reports whether it is genuine.
func (f *following) acceptWithdrawal(n *Node, topic engine.ID, w *Withdrawal) bool {
	if f.void || !f.trusts(topic, w.Key) || !w.genuine(topic, n.env.Wall().Add(n.config.Ahead)) {
		return false
	}
	n.exists(f, w.Number)
	f.needNot(n, topic, w.Number)
	n.settle(f)
	return true
}
