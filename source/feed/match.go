package feed

import "tidings"

// Match compares a document's items with those already known: which are new, which changed, and which are what they
// were. The result has the document's order and holds each story once; Summary, Content and Raw are filled for new and
// changed items only. Its only effects are these and a note of what was left out. It forgets nothing: known are all
// items that the store holds of the channel, listed lately or not.
//
// An item that is wholly as it was is that item. Every other is matched by these rules, the first that fits:
//
//  1. Its guid, where no other item of the document has the same, and no two known
//     items had. Then whatever else changed, it is that item.
//  2. Where a guid is used by several items, those are distinguished by link, then title.
//  3. Without a guid: its link, where no other item of the document has the same; else
//     link and title; else title and date, or title and text.
//     Alarms and the state of a service are listed several times with the same link and title, or title and text, at
//     different dates. If one document does so, another date makes another item here and in rule 2.
//  4. A guid never seen, on an item whose link and title are those of a known item
//     whose own guid is gone from the document, with the same or no date, or the same
//     text: a guid rewritten, not a new item.
//  5. A guid and link never seen, where those of several items lead to known ones by one
//     change of address: a site that has moved (see moved).
//  6. A guid and link never seen, where several items, or most, say what known ones say
//     that are gone from the document: they have been given new ones (see reissued).
//
// Rules 5 and 6 depend on what is no longer in the document, so they apply to whole documents alone.
//
// An item that fits none is new. It is changed if what a reader sees differs (see fingerprint), quiet if only its guid,
// link or date do.
func Match(known []tidings.KnownItem, doc *Document) []tidings.FoundItem {
	m := newMatcher(known, distinct(doc))
	m.follow(doc.Partial)
	left := newAllowance()
	found := m.found(left)
	if left.isUsedUp() {
		doc.note("has more tags or addresses in its texts than are shown: the rest is left out")
	}
	return found
}

// follow follows the rules.
func (m *matcher) follow(partial bool) {
	m.unchanged()
	m.byID()
	m.byLinkAndTitle()
	m.rewritten()
	if !partial {
		m.reissued(m.moved())
	}
}

// none says that an item of the document is no known one.
const none = -1

type matcher struct {
	known []tidings.KnownItem
	items []*Item
	match []int  // by item: the known one it is
	taken []bool // by known: whether an item is it

	knownID, knownLink       map[uint64]holders
	docID, docLink, docTitle map[uint64]int // how many items of the document have it

	dated map[group]bool // groups in which dates distinguish items; nil: not known yet
	views map[viewKind]*view
	looks int // known items looked at to choose one: what a hostile feed might drive up
}

// holders are the known items that have a given part of a mark.
type holders struct {
	n     int
	first int
}

func newMatcher(known []tidings.KnownItem, items []*Item) *matcher {
	m := &matcher{
		known: known, items: items,
		match:    make([]int, len(items)),
		taken:    make([]bool, len(known)),
		docID:    make(map[uint64]int, len(items)),
		docLink:  make(map[uint64]int, len(items)),
		docTitle: make(map[uint64]int, len(items)),
		views:    make(map[viewKind]*view),
	}
	m.knownID = holdersOf(known, func(k *tidings.KnownItem) uint64 { return k.ID })
	m.knownLink = holdersOf(known, func(k *tidings.KnownItem) uint64 { return k.Link })
	for i, it := range items {
		m.match[i] = none
		m.docID[it.Mark.ID]++
		m.docLink[it.Mark.Link]++
		m.docTitle[it.Mark.Title]++
	}
	return m
}

func holdersOf(known []tidings.KnownItem, part func(*tidings.KnownItem) uint64) map[uint64]holders {
	of := make(map[uint64]holders, len(known))
	for i := range known {
		p := part(&known[i])
		h, have := of[p]
		switch {
		case p == 0:
			continue
		case !have:
			h.first = i
		}
		h.n++
		of[p] = h
	}
	return of
}

// unchanged goes before all rules: an item that is as it was cannot be another. Nearly all items of a feed are. Without
// it, two items that the rules can hardly distinguish might change places at every poll.
func (m *matcher) unchanged() {
	for i, it := range m.items {
		if same := m.knownID[it.Mark.ID]; it.Mark.ID != 0 && same.n <= 1 { // no other known item has its guid
			if same.n == 1 && m.known[same.first].ItemIdentity == it.Mark {
				m.claim(i, same.first)
			}
			continue
		}
		m.claim(i, m.pick(sought{sameAll, all, it.Mark}))
	}
}

// byID applies rules 1 and 2.
func (m *matcher) byID() {
	for i, it := range m.items {
		id := it.Mark.ID
		if id == 0 || m.match[i] != none {
			continue
		}
		as := it.Mark
		as.ID = m.guidKnown(it)
		same := m.knownID[as.ID]
		if same.n == 0 {
			continue
		}
		if m.docID[id] == 1 && same.n == 1 {
			m.claim(i, same.first)
			continue
		}
		like := sought{sameID | sameLink | sameTitle, all, as}
		if m.datesTell(groupOf(as)) {
			m.claim(i, m.pick(m.onDates(like)...))
			continue
		}
		m.claim(i, m.pick(like))
	}
	for i, it := range m.items {
		mark := it.Mark
		if mark.ID == 0 || m.match[i] != none || m.knownID[mark.ID].n == 0 || m.datesTell(groupOf(mark)) {
			continue
		}
		if mark.Link != 0 && m.docLink[mark.Link] == 1 {
			m.claim(i, m.pick(sought{sameID | sameLink, all, mark}))
		}
		if mark.Title != 0 && m.docTitle[mark.Title] == 1 {
			m.claim(i, m.pick(sought{sameID | sameTitle, all, mark}))
		}
	}
}

// guidKnown returns the hash by which an item's guid is known: that of the other of its two forms if only that is, see
// keepApart.
func (m *matcher) guidKnown(it *Item) uint64 {
	id := it.Mark.ID
	if m.knownID[id].n > 0 || it.ID == "" {
		return id
	}
	other := hashOf(it.ID)
	if other == id {
		other = hashOf(guidKey(it.ID))
	}
	if m.docID[other] > 0 {
		return id
	}
	return other
}

// byLinkAndTitle applies rule 3.
func (m *matcher) byLinkAndTitle() {
	for i, it := range m.items {
		mark := it.Mark
		if mark.ID != 0 || mark.Link == 0 || m.match[i] != none {
			continue
		}
		like := sought{sameLink | sameTitle, all, mark}
		if m.docLink[mark.Link] > 1 || m.datesTell(groupOf(mark)) { // dates may say which item of several it is
			m.claim(i, m.pick(m.onDates(like)...))
			continue
		}
		m.claim(i, m.pick(like))
		if same := m.knownLink[mark.Link]; same.n == 1 {
			m.claim(i, same.first)
		}
	}
	for i, it := range m.items {
		if mark := it.Mark; mark.ID == 0 && mark.Title != 0 && m.match[i] == none {
			m.claim(i, m.pick(m.titled(it)...))
		}
	}
	for i, it := range m.items { // nothing but a text
		if mark := it.Mark; mark.ID == 0 && mark.Link == 0 && mark.Title == 0 {
			m.claim(i, m.pick(m.onDates(sought{sameID | sameLink | sameTitle | samePrint, all, mark})...))
		}
	}
}

// titled returns what to seek for an item without a guid by its title and date, or title and text. A known item with
// another link that stands in the document is here itself.
func (m *matcher) titled(it *Item) (list []sought) {
	mark := it.Mark
	if mark.Date != 0 {
		list = append(list, sought{sameTitle | sameDate, linkGone, mark},
			sought{sameTitle | sameDate | sameLink, all, mark})
		if m.datesTell(saidAgain(mark)) {
			return list
		}
	}
	if it.best().text != "" {
		list = append(list, sought{sameTitle | samePrint, linkGone, mark})
	}
	return append(list, sought{sameTitle | samePrint | sameLink, all, mark})
}

// rewritten applies rule 4.
func (m *matcher) rewritten() {
	for i, it := range m.items {
		mark := it.Mark
		if mark.ID == 0 || mark.Title == 0 || m.match[i] != none || m.knownID[mark.ID].n > 0 ||
			m.knownLink[mark.Link].n == 0 {
			continue
		}
		m.claim(i, m.pick(m.onDates(sought{sameLink | sameTitle, idGone, mark})...))
	}
}

// pick returns the first of the known items sought that is not matched yet. Those listed in the latest document come
// first.
func (m *matcher) pick(list ...sought) int {
	best := none
	for _, s := range list {
		if free := m.free(s, 1); len(free) > 0 && (best == none || m.before(free[0], best)) {
			best = free[0]
		}
	}
	return best
}

// before reports whether one of two known items is rather chosen.
func (m *matcher) before(a, b int) bool {
	if m.known[a].Listed != m.known[b].Listed {
		return m.known[a].Listed
	}
	return a < b
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
func (m *matcher) found(left *allowance) []tidings.FoundItem {
	out := make([]tidings.FoundItem, len(m.items))
	for i, it := range m.items {
		f := &out[i]
		f.Mark = it.Mark
		change := tidings.New
		if k := m.match[i]; k != none {
			old := m.known[k]
			f.Row, f.Was = old.Row, old.ItemIdentity
			change = ""
			if old.Print != it.Mark.Print && old.Print != 0 {
				change = tidings.Changed
			} else {
				f.Quiet = old.ItemIdentity != it.Mark
			}
		}
		if change != "" {
			it.render(left)
			f.Raw = it.Raw
		}
		f.Item = it.Item
		f.Item.Change = change
	}
	return out
}

// distinct returns a document's items without those that stand in it twice, with everything by which they are known. Of
// Atom's entries with one id, link and title the one updated last stays, at the place of the first: they are versions
// of one (RFC 4287, 4.1.1), unless they say that they were published at different times.
func distinct(doc *Document) []*Item {
	out := make([]*Item, 0, len(doc.Items))
	at := make(map[tidings.ItemIdentity]int, len(doc.Items))
	for i := range doc.Items {
		it := &doc.Items[i]
		key := it.Mark
		if doc.Format == Atom && key.ID != 0 {
			key.Print = 0
			if it.Published.IsZero() {
				key.Date = 0
			}
		}
		j, twice := at[key]
		if !twice {
			at[key] = len(out)
			out = append(out, it)
			continue
		}
		if it.Mark != out[j].Mark {
			doc.note("lists several versions of an item: the latest counts")
		}
		if it.latest().After(out[j].latest()) {
			out[j] = it
		}
	}
	return out
}
