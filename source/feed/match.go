package feed

import (
	"cmp"
	"slices"

	"tidings"
)

// Match tells a document's items apart from those already known: which are new, which
// changed, and which are what they were. The result has the document's order and
// holds each story once; Summary, Content and Raw are filled for new and changed
// items only. Match has no effects but that, and forgets nothing: known are all
// items that the store holds of the channel, listed lately or not.
//
// What is wholly as it was is the item that it was. Every other is told by these
// rules, the first that fits:
//
//  1. Its guid, where no other item of the document has the same, and no two known
//     items had. Then whatever else changed, it is that item.
//  2. Where a guid is used by several items, those are told apart by link, then title.
//  3. Without a guid: its link, where no other item of the document has the same; else
//     link and title; else title and date, or title and text.
//  4. A guid never seen, on an item whose link and title are those of a known item
//     whose own guid is gone from the document, with the same or no date, or the same
//     text: a guid rewritten, not a new item.
//  5. A guid and link never seen, where those of several items lead to known ones by one
//     change of address: a site that has moved (see moved).
//  6. A guid and link never seen, where several items, or most, say what known ones say
//     that are gone from the document: they have been given new ones (see reissued).
//
// Rules 5 and 6 go by what is not in the document any more, so that they are for whole
// documents alone.
//
// An item that fits none is new. It is changed if what a reader sees differs (see
// fingerprint), quiet if only its guid, link or date do.
func Match(known []tidings.KnownItem, doc *Document) []tidings.FoundItem {
	items := distinct(doc.Items)
	m := newMatcher(known, items)
	m.unchanged()
	m.byID()
	m.byLinkAndTitle()
	m.rewritten()
	if !doc.Partial {
		m.reissued(m.moved())
	}
	return m.found()
}

// none says that an item of the document is no known one.
const none = -1

type matcher struct {
	known []tidings.KnownItem
	items []*Item
	match []int  // by item: the known one it is
	taken []bool // by known: whether an item is it

	knownID, knownLink, knownTitle, knownPrint index
	docID, docLink, docTitle                   map[uint64]int // how many items of the document have it
}

func newMatcher(known []tidings.KnownItem, items []*Item) *matcher {
	m := &matcher{
		known: known, items: items,
		match:    make([]int, len(items)),
		taken:    make([]bool, len(known)),
		docID:    make(map[uint64]int, len(items)),
		docLink:  make(map[uint64]int, len(items)),
		docTitle: make(map[uint64]int, len(items)),
	}
	m.knownID = newIndex(known, func(k *tidings.KnownItem) uint64 { return k.ID })
	m.knownLink = newIndex(known, func(k *tidings.KnownItem) uint64 { return k.Link })
	m.knownTitle = newIndex(known, func(k *tidings.KnownItem) uint64 { return k.Title })
	m.knownPrint = newIndex(known, func(k *tidings.KnownItem) uint64 { return k.Print })
	for i, it := range items {
		m.match[i] = none
		m.docID[it.Mark.ID]++
		m.docLink[it.Mark.Link]++
		m.docTitle[it.Mark.Title]++
	}
	return m
}

// unchanged goes before all rules: what is as it was cannot be anything else. It is
// what nearly all items of a feed are, and without it two items that the rules can
// hardly tell apart might change places at every look.
func (m *matcher) unchanged() {
	for i, it := range m.items {
		m.claim(i, m.pick(m.knownPrint.of(it.Mark.Print), func(k *tidings.KnownItem) bool { return k.Mark == it.Mark }))
	}
}

// byID applies rules 1 and 2.
func (m *matcher) byID() {
	for i, it := range m.items {
		id := it.Mark.ID
		if id == 0 || m.match[i] != none {
			continue
		}
		same := m.knownByGuid(it)
		if m.docID[id] == 1 && len(same) == 1 {
			m.claim(i, same[0])
			continue
		}
		m.claim(i, m.pick(same, func(k *tidings.KnownItem) bool {
			return k.Link == it.Mark.Link && k.Title == it.Mark.Title
		}))
	}
	for i, it := range m.items {
		if it.Mark.ID == 0 || m.match[i] != none {
			continue
		}
		same := m.knownID.of(it.Mark.ID)
		m.claim(i, m.pick(same, func(k *tidings.KnownItem) bool {
			return k.Link != 0 && k.Link == it.Mark.Link && m.docLink[k.Link] == 1
		}))
		m.claim(i, m.pick(same, func(k *tidings.KnownItem) bool {
			return k.Title != 0 && k.Title == it.Mark.Title && m.docTitle[k.Title] == 1
		}))
	}
}

// knownByGuid returns the known items with an item's guid. It may have been known by the other of its two forms, see
// keepApart.
func (m *matcher) knownByGuid(it *Item) []int {
	same := m.knownID.of(it.Mark.ID)
	if len(same) > 0 || it.ID == "" {
		return same
	}
	other := hashOf(it.ID)
	if other == it.Mark.ID {
		other = hashOf(guidKey(it.ID))
	}
	if m.docID[other] > 0 {
		return nil
	}
	return m.knownID.of(other)
}

// byLinkAndTitle applies rule 3.
func (m *matcher) byLinkAndTitle() {
	for i, it := range m.items {
		mark := it.Mark
		if mark.ID != 0 || mark.Link == 0 || m.match[i] != none {
			continue
		}
		same := m.knownLink.of(mark.Link)
		m.claim(i, m.pick(same, func(k *tidings.KnownItem) bool { return k.Title == mark.Title && m.agreeOnDate(k, it) }))
		if m.docLink[mark.Link] == 1 && len(same) == 1 {
			m.claim(i, same[0])
		}
	}
	for i, it := range m.items {
		mark := it.Mark
		if mark.ID != 0 || mark.Title == 0 || m.match[i] != none {
			continue
		}
		m.claim(i, m.pick(m.knownTitle.of(mark.Title), func(k *tidings.KnownItem) bool {
			if k.Link != 0 && m.docLink[k.Link] > 0 && k.Link != mark.Link {
				return false // the known one is here itself
			}
			return k.Date != 0 && k.Date == mark.Date || k.Print == mark.Print && (it.best().text != "" || k.Link == mark.Link)
		}))
	}
	for i, it := range m.items { // nothing but a text
		mark := it.Mark
		if mark.ID == 0 && mark.Link == 0 && mark.Title == 0 {
			m.claim(i, m.pick(m.knownPrint.of(mark.Print), func(k *tidings.KnownItem) bool {
				return k.ID == 0 && k.Link == 0 && k.Title == 0
			}))
		}
	}
}

// agreeOnDate reports whether nothing in the dates speaks against k being it, where
// link and title agree and neither says which item of several it is.
func (m *matcher) agreeOnDate(k *tidings.KnownItem, it *Item) bool {
	if m.docLink[it.Mark.Link] == 1 {
		return true
	}
	return k.Date == it.Mark.Date || k.Date == 0 || it.Mark.Date == 0 || k.Print == it.Mark.Print
}

// rewritten applies rule 4.
func (m *matcher) rewritten() {
	for i, it := range m.items {
		mark := it.Mark
		if mark.ID == 0 || mark.Link == 0 || mark.Title == 0 || m.match[i] != none || len(m.knownID.of(mark.ID)) > 0 {
			continue
		}
		m.claim(i, m.pick(m.knownLink.of(mark.Link), func(k *tidings.KnownItem) bool {
			return k.Title == mark.Title && (k.ID == 0 || m.docID[k.ID] == 0) &&
				(k.Date == mark.Date || k.Date == 0 || mark.Date == 0 || k.Print == mark.Print)
		}))
	}
}

// pick returns the first of the known items that nobody has taken and ok accepts, one
// listed lately before all others.
func (m *matcher) pick(candidates []int, ok func(*tidings.KnownItem) bool) int {
	best := none
	for _, c := range candidates {
		if k := &m.known[c]; !m.taken[c] && ok(k) {
			if k.Listed {
				return c
			}
			if best == none {
				best = c
			}
		}
	}
	return best
}

// claim says that item i is known item k, unless that is settled already.
func (m *matcher) claim(i, k int) {
	if k == none || m.match[i] != none || m.taken[k] {
		return
	}
	m.match[i] = k
	m.taken[k] = true
}

// found puts the result together.
func (m *matcher) found() []tidings.FoundItem {
	out := make([]tidings.FoundItem, len(m.items))
	for i, it := range m.items {
		f := &out[i]
		f.Mark = it.Mark
		change := tidings.New
		if k := m.match[i]; k != none {
			old := m.known[k]
			f.Row, f.Was = old.Row, old.Mark
			change = ""
			if old.Print != it.Mark.Print && old.Print != 0 {
				change = tidings.Changed
			} else {
				f.Quiet = old.Mark != it.Mark
			}
		}
		if change != "" {
			it.Render()
			f.Raw = it.Raw
		}
		f.Item = it.Item
		f.Item.Change = change
	}
	return out
}

// distinct returns a document's items without those that stand in it twice: of items
// with the same guid, link and title the one updated last stays (RFC 4287, 4.1.1), at
// the place of the first. Without a guid the text must be the same too, and without
// a link or title the date.
func distinct(items []Item) []*Item {
	out := make([]*Item, 0, len(items))
	at := make(map[tidings.Mark]int, len(items))
	for i := range items {
		it := &items[i]
		key := tidings.Mark{ID: it.Mark.ID, Link: it.Mark.Link, Title: it.Mark.Title}
		if key.ID == 0 {
			key.Print = it.Mark.Print
			if key.Link == 0 || key.Title == 0 {
				key.Date = it.Mark.Date
			}
		}
		j, twice := at[key]
		if !twice {
			at[key] = len(out)
			out = append(out, it)
		} else if it.latest().After(out[j].latest()) {
			out[j] = it
		}
	}
	return out
}

// index finds known items by a part of their mark.
type index struct {
	order []int // of the known items that have the part, sorted by it
	start map[uint64]span
}

type span struct{ from, to int }

func newIndex(known []tidings.KnownItem, part func(*tidings.KnownItem) uint64) index {
	x := index{order: make([]int, 0, len(known)), start: make(map[uint64]span, len(known))}
	for i := range known {
		if part(&known[i]) != 0 {
			x.order = append(x.order, i)
		}
	}
	slices.SortStableFunc(x.order, func(a, b int) int { return cmp.Compare(part(&known[a]), part(&known[b])) })
	for i := 0; i < len(x.order); {
		p := part(&known[x.order[i]])
		j := i + 1
		for j < len(x.order) && part(&known[x.order[j]]) == p {
			j++
		}
		x.start[p] = span{i, j}
		i = j
	}
	return x
}

// of returns the known items that have the part, in their order.
func (x index) of(part uint64) []int {
	s := x.start[part]
	return x.order[s.from:s.to]
}
