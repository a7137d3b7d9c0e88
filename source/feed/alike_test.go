package feed

import (
	"fmt"
	"testing"

	"tidings"
)

// alikeItems are stories of one channel as it might publish them to make others work: known ones, and after them the
// document's.
var alikeItems = map[string]func(i int, again bool) tidings.ItemIdentity{
	"one link": func(i int, again bool) tidings.ItemIdentity {
		return tidings.ItemIdentity{Link: 1, Title: number(i, again), Print: 1}
	},
	"one link and title": func(i int, again bool) tidings.ItemIdentity {
		return tidings.ItemIdentity{Link: 1, Title: 1, Date: number(i, again), Print: number(i, again)}
	},
	"one guid": func(i int, again bool) tidings.ItemIdentity {
		return tidings.ItemIdentity{ID: 1, Link: number(i, again), Title: number(i, again), Print: 1}
	},
	"one title, other guids": func(i int, again bool) tidings.ItemIdentity {
		return tidings.ItemIdentity{ID: number(i, again), Title: 1, Date: number(i, again), Print: 1}
	},
	"one title, other texts": func(i int, again bool) tidings.ItemIdentity {
		return tidings.ItemIdentity{ID: number(i, again), Title: 1, Date: 1, Print: number(i, again)}
	},
	"one title and date": func(i int, again bool) tidings.ItemIdentity {
		return tidings.ItemIdentity{ID: number(i, again), Link: number(i, again), Title: 1, Date: 1, Print: 1}
	},
	"one title, other dates": func(i int, again bool) tidings.ItemIdentity {
		return tidings.ItemIdentity{Title: 1, Date: number(i, again), Print: number(i, again)}
	},
	"one text": func(i int, again bool) tidings.ItemIdentity {
		return tidings.ItemIdentity{ID: number(i, again), Date: number(i, again), Print: 1}
	},
	"one link, other guids": func(i int, again bool) tidings.ItemIdentity {
		return tidings.ItemIdentity{ID: number(i, again), Link: 1, Title: 1, Date: number(i, again),
			Print: number(i, again)}
	},
	"one title, no guid once": func(i int, again bool) tidings.ItemIdentity {
		if again {
			return tidings.ItemIdentity{ID: number(i, again), Link: number(i, again), Title: 1, Date: 1, Print: 1}
		}
		return tidings.ItemIdentity{Title: 1, Date: 1, Print: 1}
	},
}

func number(i int, again bool) uint64 {
	if again {
		return uint64(1_000_000 + i)
	}
	return uint64(2 + i)
}

// alike makes n known items and a document of n others.
func alike(n int, mark func(i int, again bool) tidings.ItemIdentity) (known []tidings.KnownItem, doc *Document) {
	doc = &Document{}
	for i := range n {
		known = append(known, tidings.KnownItem{Row: int64(i + 1), ItemIdentity: mark(i, false), Listed: i%2 == 0})
		it := Item{Mark: mark(i, true), content: body{text: "x", plain: true}}
		it.ID, it.URL = fmt.Sprint("https://a.example/", i), fmt.Sprint("https://a.example/", i)
		doc.Items = append(doc.Items, it)
	}
	return known, doc
}

// However many of a channel's items are alike, each item is compared with at most 20 known ones on average.
func TestHostile16AlikeItemsAreFewToLookAt(t *testing.T) {
	const n = 1000
	for name, mark := range alikeItems {
		known, doc := alike(n, mark)
		m := newMatcher(known, distinct(doc))
		m.follow(doc.Partial)
		if m.looks > 20*n {
			t.Errorf("%s: %d known items are looked at for %d", name, m.looks, n)
		}
	}
}
