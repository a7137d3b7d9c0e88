package feed

import "time"

const (
	// leastReissued is how many items must be recognised before others are by less than everything.
	leastReissued = 3
	// sameStamp is within how much time all the dates of a document lie that are the time when it was made.
	sameStamp = time.Minute
)

// reissued applies rule 6. Some feeds give their items new guids and links at every fetch, or once, with their
// generator; titles, dates and texts stay. Such an item is no news.
//
// An item that is strange (isStrange) is a known one that is gone from the document, with the same title, if
//
//   - their dates and texts are the same, too; or
//   - their dates are, or one has none and their texts are, nothing else in the document has that title, and at least
//     leastReissued items are recognised by rules 5 and 6; or
//   - their texts are, nothing else in the document has that title, no item has kept its guid, the dates of the strange
//     items are no more than a stamp of when the document was made, and rules 5 and 6 recognise at least leastReissued
//     of them and more than half.
//
// All this applies only if at least as many items are recognised as have kept their guids: where guids hold, a new one
// means a new item. An item with another title, or with another date under the same title, is new.
func (m *matcher) reissued(moved int) {
	var strange []int
	kept := 0
	for i, it := range m.items {
		if m.isStrange(i) {
			strange = append(strange, i)
		} else if k := m.match[i]; k != none && it.Mark.ID != 0 && m.known[k].ID == it.Mark.ID {
			kept++
		}
	}
	if kept > moved+len(strange) || len(strange) == 0 { // where so many guids hold, no other item is recognised
		return
	}
	surely := m.claimTwins(strange, func(it *Item) []sought {
		if it.Mark.Date == 0 || !it.hasText() {
			return nil
		}
		return []sought{{sameTitle | sameDate | samePrint, gone, it.Mark}}
	})
	likely := m.claimTwins(strange, func(it *Item) []sought {
		if !m.standsAlone(it) {
			return nil
		}
		return saying(gone, it)
	})
	n := moved + len(surely) + len(likely)
	if n < kept {
		m.release(surely)
	}
	if n < kept || n < leastReissued {
		m.release(likely)
	}
	if kept > 0 || !m.stamped(strange) {
		return
	}
	undated := m.claimTwins(strange, func(it *Item) []sought {
		if !m.standsAlone(it) || !it.hasText() {
			return nil
		}
		return []sought{{sameTitle | samePrint, gone, it.Mark}}
	})
	if n := moved + m.matched(strange); n < leastReissued || 2*n <= moved+len(strange) {
		m.release(undated)
	}
}

// matched counts those of some items that have been matched.
func (m *matcher) matched(items []int) (n int) {
	for _, i := range items {
		if m.match[i] != none {
			n++
		}
	}
	return n
}

// standsAlone reports whether nothing else in the document has an item's title. Items without one are compared by text.
func (m *matcher) standsAlone(it *Item) bool {
	return it.Mark.Title == 0 || m.docTitle[it.Mark.Title] == 1
}

// claimTwins matches unmatched items of the list with the known ones that twins seeks for them. It returns the matched
// items.
func (m *matcher) claimTwins(items []int, twins func(*Item) []sought) (claimed []int) {
	for _, i := range items {
		if m.match[i] != none {
			continue
		}
		if m.claim(i, m.pick(twins(m.items[i])...)); m.match[i] != none {
			claimed = append(claimed, i)
		}
	}
	return claimed
}

// release undoes matches.
func (m *matcher) release(items []int) {
	for _, i := range items {
		m.taken[m.match[i]] = false
		m.match[i] = none
	}
	clear(m.views) // which the matched items may have left
}

// stamped reports whether the dates of items say no more than when the document was made.
func (m *matcher) stamped(items []int) bool {
	var first, last time.Time
	same, read := true, true
	for _, i := range items {
		it := m.items[i]
		same = same && it.Mark.Date == m.items[items[0]].Mark.Date
		at := it.Published
		if at.IsZero() {
			at = it.Updated
		}
		read = read && !at.IsZero()
		if first.IsZero() || at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	return same || read && last.Sub(first) <= sameStamp
}
