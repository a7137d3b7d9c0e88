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
	// maxWitnesses bounds the items that are examined. maxTwins bounds the known items that each may have been. maxCuts
	// bounds the places up to which its address may have been changed.
	maxWitnesses = 64
	maxTwins     = 4
	maxCuts      = 32
)

// moved applies rule 5. A site that moves changes the guids, the links, or both, of all its items at once: from
// http://localhost:4000/ to its own name, to another host, under another path, or with another authority in tag: URIs.
// What stands before a certain place of the address is replaced, and what follows stays.
//
// The change is derived from pairs of an item and a known one that is gone, with the same title and the same date, or
// without dates the same text. Several must show it (enoughMoved), and three of four that have such a pair. Then an
// item is the known one that its address leads back to, if that has its title and the dates do not contradict.
//
// Of known items only the hashes of their addresses are here. FNV-1a can be undone. So what follows the place in the
// new address is removed from the old address's hash, and the hash of what stood before it remains. If it is a change
// of address, this hash is the same for all items. For others it seldom is, though more often than by chance where
// addresses are counters; so it counts only if titles with dates or texts confirm it.
//
// It returns how many items it has recognised.
func (m *matcher) moved() int {
	strange := 0
	for i := range m.items {
		if m.isStrange(i) {
			strange++
		}
	}
	if strange*datedWitness < enoughMoved {
		return 0
	}
	return m.movedBy(guidAddress) + m.movedBy(linkAddress)
}

// address is one of the two by which an item is known.
type address struct {
	text func(it *Item) string // as it was hashed
	hash func(mark *tidings.ItemIdentity) uint64
	with func(mark tidings.ItemIdentity, hash uint64) tidings.ItemIdentity
	same parts
	gone among // has such an address
}

var (
	guidAddress = address{
		text: func(it *Item) string { return guidKey(it.ID) },
		hash: func(mark *tidings.ItemIdentity) uint64 { return mark.ID },
		with: func(mark tidings.ItemIdentity, hash uint64) tidings.ItemIdentity { mark.ID = hash; return mark },
		same: sameID,
		gone: goneWithID,
	}
	linkAddress = address{
		text: func(it *Item) string { return linkKey(it.URL) },
		hash: func(mark *tidings.ItemIdentity) uint64 { return mark.Link },
		with: func(mark tidings.ItemIdentity, hash uint64) tidings.ItemIdentity { mark.Link = hash; return mark },
		same: sameLink,
		gone: goneWithLink,
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
		m.claim(i, m.pick(m.onDates(sought{a.same | sameTitle, a.gone, a.with(it.Mark, old.value())})...))
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
// Those without a guid are matched by rule 3.
func (m *matcher) isStrange(i int) bool {
	mark := &m.items[i].Mark
	return m.match[i] == none && mark.ID != 0 && m.knownID[mark.ID].n == 0 && m.knownLink[mark.Link].n == 0
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
		if order := cmp.Or(cmp.Compare(n, weights[best]), cmp.Compare(len(best.now), len(change.now)),
			cmp.Compare(change.now, best.now), cmp.Compare(change.old, best.old)); order > 0 {
			best = change
		}
	}
	return best, weights[best] >= enoughMoved && 4*weights[best] >= 3*all
}

// changesOf returns the changes of address by which an item can have been a known one that says the same.
func (m *matcher) changesOf(i int, a address, text string) (changes []rehoused) {
	var twins []int
	for _, s := range saying(a.gone, m.items[i]) {
		twins = append(twins, m.free(s, maxTwins)...)
	}
	slices.Sort(twins)
	for _, c := range twins[:min(len(twins), maxTwins)] {
		for _, cut := range cutsOf(text) {
			old := print64(a.hash(&m.known[c].ItemIdentity))
			old.undo(text[cut:])
			changes = append(changes, rehoused{text[:cut], old})
		}
	}
	slices.SortFunc(changes, func(a, b rehoused) int {
		return cmp.Or(cmp.Compare(a.now, b.now), cmp.Compare(a.old, b.old))
	})
	return slices.Compact(changes) // an item has one vote
}

// hasText reports whether an item says anything but its title. Of one that another node sends in part, as being known,
// nobody can decide.
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
