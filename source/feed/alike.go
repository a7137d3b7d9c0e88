package feed

import "tidings"

// parts are those parts of their marks in which two items are to be alike.
type parts uint8

const (
	sameID parts = 1 << iota
	sameLink
	sameTitle
	sameDate
	samePrint
	sameAll = sameID | sameLink | sameTitle | sameDate | samePrint
)

// of returns a mark without its other parts.
func (p parts) of(mark tidings.ItemIdentity) (some tidings.ItemIdentity) {
	if p&sameID != 0 {
		some.ID = mark.ID
	}
	if p&sameLink != 0 {
		some.Link = mark.Link
	}
	if p&sameTitle != 0 {
		some.Title = mark.Title
	}
	if p&sameDate != 0 {
		some.Date = mark.Date
	}
	if p&samePrint != 0 {
		some.Print = mark.Print
	}
	return some
}

// among says which known items may be chosen, whatever the item.
type among uint8

const (
	all          among = iota
	idGone             // nothing in the document has its guid
	linkGone           // nothing in the document has its link
	gone               // neither
	goneWithID         // and it has a guid
	goneWithLink       // and it has a link
)

// has reports whether a known item may be chosen.
func (m *matcher) has(a among, k *tidings.KnownItem) bool {
	noID, noLink := k.ID == 0 || m.docID[k.ID] == 0, k.Link == 0 || m.docLink[k.Link] == 0
	switch a {
	case idGone:
		return noID
	case linkGone:
		return noLink
	case gone:
		return noID && noLink
	case goneWithID:
		return noID && noLink && k.ID != 0
	case goneWithLink:
		return noID && noLink && k.Link != 0
	}
	return true
}

// sought are the known items that are like a mark. A part that the mark lacks, the known items lack too.
type sought struct {
	parts
	among
	mark tidings.ItemIdentity
}

// onDates returns what to seek so that nothing in the dates speaks against it: they are the same, or one has none, or
// the texts are the same. Where dates distinguish items, the dates must be the same; if the known item has none, the
// texts.
func (m *matcher) onDates(s sought) []sought {
	if s.mark.Date == 0 {
		return []sought{s}
	}
	undated := s.mark
	undated.Date = 0
	same := sought{s.parts | sameDate, s.among, s.mark}
	if m.datesTell(groupOf(s.mark)) {
		return []sought{same, {s.parts | sameDate | samePrint, s.among, undated}}
	}
	return []sought{same, {s.parts | sameDate, s.among, undated}, {s.parts | samePrint, s.among, s.mark}}
}

// group is what items have in common of which their dates may be the only difference.
type group struct{ link, title, print uint64 }

// groupOf returns the group of those with an item's link and title.
func groupOf(mark tidings.ItemIdentity) group { return group{link: mark.Link, title: mark.Title} }

// saidAgain returns the group of those with an item's title, whatever their links; without a title, with its text.
func saidAgain(mark tidings.ItemIdentity) group {
	if mark.Title == 0 {
		return group{print: mark.Print}
	}
	return group{title: mark.Title}
}

// datesTell reports whether one document, this or the latest one, lists items of a group with different dates: then
// these say which item is which.
func (m *matcher) datesTell(g group) bool {
	if m.dated == nil {
		m.dated = make(map[group]bool)
		m.compareDates(len(m.items), func(i int) tidings.ItemIdentity { return m.items[i].Mark })
		m.compareDates(len(m.known), func(i int) (mark tidings.ItemIdentity) {
			if k := &m.known[i]; k.Listed {
				mark = k.ItemIdentity
			}
			return mark
		})
	}
	return m.dated[g]
}

// compareDates notes the groups that have several dates among the items of one document.
func (m *matcher) compareDates(n int, mark func(i int) tidings.ItemIdentity) {
	dates := make(map[group]uint64, n)
	for i := range n {
		it := mark(i)
		if it.Date == 0 || it.Date == noItemsDate {
			continue
		}
		for _, g := range []group{groupOf(it), saidAgain(it)} {
			switch dates[g] {
			case 0:
				dates[g] = it.Date
			case it.Date:
			default:
				m.dated[g] = true
			}
		}
	}
}

// saying returns what to seek so that an item's title and date are the same. If there is no date to compare, its title
// and text must be. Without a title its text must be the same in any case.
func saying(a among, it *Item) (list []sought) {
	s := sought{sameTitle, a, it.Mark}
	if it.Mark.Title == 0 {
		s.parts |= samePrint
	}
	switch undated := it.Mark; {
	case it.Mark.Date == 0:
		if it.hasText() {
			list = append(list, sought{s.parts | samePrint, a, it.Mark})
		}
	default:
		list = append(list, sought{s.parts | sameDate, a, it.Mark})
		if it.hasText() {
			undated.Date = 0
			list = append(list, sought{s.parts | sameDate | samePrint, a, undated})
		}
	}
	return list
}

// view finds the known items that are like a mark and may be chosen. A feed's publisher can make any part of all its
// marks the same. So each known item is visited once to be chosen and once to leave the view, however many are alike.
type view struct {
	first map[tidings.ItemIdentity]int // the first of those that are alike, by the parts that count
	next  []int                        // by known item: the one behind it, none if there is none
}

func (m *matcher) view(p parts, a among) *view {
	v := m.views[viewKind{p, a}]
	if v == nil {
		v = m.newView(p, a)
		m.views[viewKind{p, a}] = v
	}
	return v
}

type viewKind struct {
	parts
	among
}

func (m *matcher) newView(p parts, a among) *view {
	v := &view{first: make(map[tidings.ItemIdentity]int, len(m.known)), next: make([]int, len(m.known))}
	for _, listed := range []bool{false, true} { // what comes last is first
		for i := len(m.known) - 1; i >= 0; i-- {
			k := &m.known[i]
			if k.Listed != listed || !m.has(a, k) {
				continue
			}
			key := p.of(k.ItemIdentity)
			next, ok := v.first[key]
			if !ok {
				next = none
			}
			v.first[key], v.next[i] = i, next
		}
	}
	return v
}

// free returns the first n, at most maxTwins, of the known items sought that are not matched yet. Those listed in the
// latest document come first.
func (m *matcher) free(s sought, n int) (found []int) {
	v, key := m.view(s.parts, s.among), s.parts.of(s.mark)
	at, ok := v.first[key]
	if !ok {
		return nil
	}
	var list [maxTwins]int
	found = list[:0]
	for at != none && len(found) < n {
		m.looks++
		if !m.taken[at] {
			found = append(found, at)
		}
		at = v.next[at]
	}
	for i := len(found) - 1; i >= 0; i-- { // matched items leave the view
		v.next[found[i]] = at
		at = found[i]
	}
	v.first[key] = at
	return found
}
