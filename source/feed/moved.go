package feed

import (
	"cmp"
	"slices"

	"tidings"
)

// Bounds of the search for a change of address.
const (
	// enoughMoved is what the items that show a change of address must weigh together before it is believed: two that
	// have the date of the known one (datedWitness), or three.
	enoughMoved   = 6
	datedWitness  = 3
	simpleWitness = 2
	// maxWitnesses bounds the items that are asked for it, maxTwins the known items that each may have been, and
	// maxCuts the places at which its address may have been changed up to.
	maxWitnesses = 64
	maxTwins     = 4
	maxCuts      = 32
)

// moved applies rule 5. A site that moves changes the guids, the links, or both, of all its items at once, from
// http://localhost:4000/ to its own name, to another host, under another path, or with another authority in tag: URIs:
// what stands before some place of the address becomes another, what follows stays.
//
// The change is read off pairs of an item and a known one that is gone, with the same title and the same date, or without
// dates the same text. Several must show it (enoughMoved), and three of four that have such a pair. Then an item is the
// known one that its address leads back to, if that has its title and nothing in the dates speaks against it.
//
// Of known items only the hashes of their addresses are here. As FNV-1a can be undone, what follows the place in the new
// address is taken back from the old one's hash, and leaves the hash of what stood before it: the same for all items if
// it is a change of address. It seldom is for others, though more often than chance where addresses are counters; so it
// counts only where titles with dates or texts say the same.
//
// It returns how many items it has recognised.
func (m *matcher) moved() int {
	return m.movedBy(guidAddress) + m.movedBy(linkAddress)
}

// address is one of the two by which an item is known.
type address struct {
	text  func(it *Item) string // as it was hashed
	hash  func(mark *tidings.Mark) uint64
	known func(m *matcher) index
}

var (
	guidAddress = address{
		text:  func(it *Item) string { return guidKey(it.ID) },
		hash:  func(mark *tidings.Mark) uint64 { return mark.ID },
		known: func(m *matcher) index { return m.knownID },
	}
	linkAddress = address{
		text:  func(it *Item) string { return linkKey(it.URL) },
		hash:  func(mark *tidings.Mark) uint64 { return mark.Link },
		known: func(m *matcher) index { return m.knownLink },
	}
)

// rehoused is a change of address: from whatever has the hash old to now.
type rehoused struct {
	now string
	old print64
}

func (m *matcher) movedBy(a address) (moved int) {
	change, ok := m.changeOf(a)
	if !ok {
		return 0
	}
	for i, it := range m.items {
		text, ok := m.strange(i, a)
		if !ok || len(text) <= len(change.now) || text[:len(change.now)] != change.now {
			continue
		}
		old := change.old
		old.add(text[len(change.now):])
		m.claim(i, m.pick(a.known(m).of(old.value()), func(k *tidings.KnownItem) bool {
			return k.Title == it.Mark.Title && m.gone(k) &&
				(k.Date == it.Mark.Date || k.Date == 0 || it.Mark.Date == 0 || k.Print == it.Mark.Print)
		}))
		if m.match[i] != none {
			moved++
		}
	}
	return moved
}

// strange returns the address of an item that has not been matched and whose guid and link are no known item's; false
// if it is another, has no such address, or is not all here.
func (m *matcher) strange(i int, a address) (string, bool) {
	it := m.items[i]
	if !m.isStrange(i) || a.hash(&it.Mark) == 0 {
		return "", false
	}
	text := a.text(it)
	return text, hashOf(text) == a.hash(&it.Mark)
}

// isStrange reports whether an item has a guid and has not been matched, and neither guid nor link is a known item's.
// Those without a guid are told by rule 3.
func (m *matcher) isStrange(i int) bool {
	mark := &m.items[i].Mark
	return m.match[i] == none && mark.ID != 0 && len(m.knownID.of(mark.ID)) == 0 && len(m.knownLink.of(mark.Link)) == 0
}

// gone reports whether nothing in the document has a known item's guid or link.
func (m *matcher) gone(k *tidings.KnownItem) bool {
	return (k.ID == 0 || m.docID[k.ID] == 0) && (k.Link == 0 || m.docLink[k.Link] == 0)
}

// changeOf returns the change of address that most items show.
func (m *matcher) changeOf(a address) (rehoused, bool) {
	weights := make(map[rehoused]int)
	witnesses, all := 0, 0
	for i := range m.items {
		text, ok := m.strange(i, a)
		if !ok {
			continue
		}
		shown := m.changesOf(i, a, text)
		if len(shown) == 0 {
			continue
		}
		weight := simpleWitness
		if m.items[i].Mark.Date != 0 {
			weight = datedWitness
		}
		for _, change := range shown {
			weights[change] += weight
		}
		all += weight
		if witnesses++; witnesses == maxWitnesses {
			break
		}
	}
	var best rehoused
	for change, n := range weights {
		if order := cmp.Or(cmp.Compare(n, weights[best]), cmp.Compare(len(best.now), len(change.now)), cmp.Compare(change.now, best.now), cmp.Compare(change.old, best.old)); order > 0 {
			best = change
		}
	}
	return best, weights[best] >= enoughMoved && 4*weights[best] >= 3*all
}

// changesOf returns the changes of address by which an item can have been a known one that says the same.
func (m *matcher) changesOf(i int, a address, text string) (changes []rehoused) {
	twins := 0
	for _, c := range m.likeIn(m.items[i]) {
		k := &m.known[c]
		if m.taken[c] || a.hash(&k.Mark) == 0 || !m.gone(k) || !m.saysTheSame(k, m.items[i]) {
			continue
		}
		for _, cut := range cutsOf(text) {
			old := print64(a.hash(&k.Mark))
			old.undo(text[cut:])
			changes = append(changes, rehoused{text[:cut], old})
		}
		if twins++; twins == maxTwins {
			break
		}
	}
	slices.SortFunc(changes, func(a, b rehoused) int { return cmp.Or(cmp.Compare(a.now, b.now), cmp.Compare(a.old, b.old)) })
	return slices.Compact(changes) // an item has one vote
}

// likeIn returns the known items with an item's title; without one, with its text.
func (m *matcher) likeIn(it *Item) []int {
	if it.Mark.Title == 0 {
		return m.knownPrint.of(it.Mark.Print)
	}
	return m.knownTitle.of(it.Mark.Title)
}

// saysTheSame reports whether a known item has the title and date of another, or where there is no date to compare, its
// title and text.
func (m *matcher) saysTheSame(k *tidings.KnownItem, it *Item) bool {
	if k.Title != it.Mark.Title {
		return false
	}
	if k.Date != 0 && it.Mark.Date != 0 {
		return k.Date == it.Mark.Date
	}
	return k.Print == it.Mark.Print && it.hasText()
}

// hasText reports whether an item says anything but its title. Of one that another node sends in part, as being known,
// nobody can tell.
func (it *Item) hasText() bool {
	return it.best().text != "" || it.Title == "" && it.Mark.Title != 0
}

// cutsOf returns the places in an address before and after what separates its parts, at most maxCuts.
func cutsOf(text string) (cuts []int) {
	for i := 0; i < len(text) && len(cuts) < maxCuts; i++ {
		switch text[i] {
		case '/', ':', ',', '?', '#', '=', '&', '@':
			if len(cuts) == 0 || cuts[len(cuts)-1] != i {
				cuts = append(cuts, i)
			}
			if i+1 < len(text) {
				cuts = append(cuts, i+1)
			}
		}
	}
	return cuts
}
