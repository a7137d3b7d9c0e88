package publish

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"tidings"
	"tidings/network/feedtree"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/store/large"
	"tidings/store/published"
)

// edition is what to publish of a document: items that are new or have changed, in the order in which to number them.
// It also has what items are known by from then on.
type edition struct {
	items  []tidings.FoundItem
	from   []int // of items: their places in marks
	texts  map[int]string
	files  map[int][]tidings.File // those with signed bytes; by the place in marks too
	marks  []published.Mark
	listed []int64 // nil: the document is a part only
}

// editionOf compares a document with what was published of it. whole says that it has all items that are listed now.
// contents may have more of an item than it does.
func editionOf(doc *feed.Document, known []published.Mark, contents *contents, whole bool) edition {
	were := make([]tidings.KnownItem, len(known))
	rows := make(map[int64]*published.Mark, len(known))
	for i := range known {
		were[i], rows[known[i].Row] = known[i].KnownItem, &known[i]
	}
	e := edition{texts: make(map[int]string), files: make(map[int][]tidings.File)}
	if whole {
		e.listed = []int64{}
	}
	for _, found := range feed.Match(were, doc) {
		if whole && found.Row != 0 {
			e.listed = append(e.listed, found.Row)
		}
		e.add(found, rows[found.Row], doc, contents)
	}
	e.inOrder()
	e.addFiles(contents)
	return e
}

// addFiles adds files of the items, in the order of these: what is kept first goes first. Where not all can be
// kept, those of the latest items are.
func (e *edition) addFiles(contents *contents) {
	fit := make([]bool, len(e.items))
	for i := len(e.items) - 1; i >= 0; i-- {
		fit[i] = !e.items[i].News.Withdrawn() && contents.fit(&e.items[i].Item)
	}
	for i, at := range e.from {
		if fit[i] && e.files[at] == nil {
			e.files[at] = contents.files(&e.items[i].Item, time.Time{})
		}
	}
}

// refs returns the contents of the files of each item that is published, by the item's place in marks.
func (e *edition) refs() map[int][]large.Ref {
	all := make(map[int][]large.Ref, len(e.from))
	for _, at := range e.from {
		all[at] = nil
		for _, f := range e.files[at] {
			all[at] = append(all[at], f.Ref)
		}
	}
	return all
}

// add adds an item of the document. was is what was published of it, nil if nothing.
func (e *edition) add(found tidings.FoundItem, was *published.Mark, doc *feed.Document, contents *contents) {
	if found.News.Withdrawn() {
		contents = nil // regardless of its files
	}
	text := contents.of(&found.Item)
	mark := published.Mark{KnownItem: tidings.KnownItem{Row: found.Row, ItemIdentity: found.Mark}}
	if text != "" {
		mark.Content = sha256.Sum256([]byte(text))
	}
	var files []tidings.File
	if found.Change == "" && was != nil {
		files = contents.renewed(&found.Item)
		if text != "" && mark.Content != was.Content || len(files) > 0 {
			found = whole(found, doc)
			found.Change = tidings.Changed
		}
	}
	switch {
	case found.Change != "":
		e.items, e.from = append(e.items, found), append(e.from, len(e.marks))
		if text != "" {
			e.texts[len(e.marks)] = text
		}
		if len(files) > 0 {
			e.files[len(e.marks)] = files
		}
	case !found.Quiet:
		return
	case was != nil:
		mark.Content = was.Content
	}
	e.marks = append(e.marks, mark)
}

// whole returns an item with its texts, which Match leaves out of those that are as they were.
func whole(found tidings.FoundItem, doc *feed.Document) tidings.FoundItem {
	for i := range doc.Items {
		if it := &doc.Items[i]; it.Mark == found.Mark {
			it.Render()
			found.Item, found.Raw = it.Item, it.Raw
			break
		}
	}
	return found
}

// inOrder puts the oldest item first: by dates if all have one, else as in feeds, which begin with the newest.
func (e *edition) inOrder() {
	order := make([]int, len(e.items))
	dated := true
	for i := range order {
		order[i] = len(order) - 1 - i
		dated = dated && !e.items[i].Published.IsZero()
	}
	if dated {
		slices.SortStableFunc(order, func(a, b int) int { return e.items[a].Published.Compare(e.items[b].Published) })
	}
	items, from := make([]tidings.FoundItem, len(order)), make([]int, len(order))
	for i, at := range order {
		items[i], from[i] = e.items[at], e.from[at]
	}
	e.items, e.from = items, from
}

// entry returns the i-th item as it travels: with as much of it as there is room for. An item may be too large even as
// the feed has it. It is sent as its mark alone, and readers have to request it from the feed.
func (e *edition) entry(i int, title, site string) ([]byte, error) {
	found := e.items[i]
	carried := feed.Carried{FoundItem: found, Whole: true, Files: e.files[e.from[i]]}
	if text := e.texts[e.from[i]]; text != "" {
		carried.Content = text
	}
	for _, less := range []func(){
		func() {},
		func() { carried.Content = found.Content },
		func() { carried = feed.Carried{FoundItem: tidings.FoundItem{Mark: found.Mark}} },
	} {
		less()
		p := changeset.Set{Kind: tidings.KindFeed, Title: title, Site: site, Items: []feed.Carried{carried}}
		b, err := p.Encode()
		if err != nil {
			return nil, fmt.Errorf("item %s: %w", found.ID, err)
		}
		if len(b) <= feedtree.MaxEntry {
			return b, nil
		}
	}
	return nil, fmt.Errorf("item %s: %w: it is too large", found.ID, tidings.ErrInvalid)
}

// relists reports whether other items are listed than before.
func (e *edition) relists(known []published.Mark) bool {
	if e.listed == nil {
		return false
	}
	n := 0
	for i := range known {
		if known[i].Listed {
			n++
		}
	}
	return n != len(e.listed)
}
