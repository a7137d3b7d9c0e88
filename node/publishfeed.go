package node

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"tidings"
	"tidings/network/feedtree"
	"tidings/source/changeset"
	"tidings/source/feed"
	"tidings/store"
)

// edition is what is to be published of a document: items that are new or have changed, in the order in
// which they are to be numbered, and what items are known by from then on.
type edition struct {
	items  []tidings.FoundItem
	from   []int // of items: their places in marks
	texts  map[int]string
	files  map[int][]tidings.File // whose bytes are signed; by the place in marks too
	marks  []store.PublishedMark
	listed []int64 // nil: the document is a part only
}

// editionOf compares a document with what was published of it. whole tells that it has all items that
// are listed now; contents may have more of an item than it does.
func editionOf(doc *feed.Document, known []store.PublishedMark, contents *contents, whole bool) edition {
	were := make([]tidings.KnownItem, len(known))
	rows := make(map[int64]*store.PublishedMark, len(known))
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
func (e *edition) refs() map[int][]store.Ref {
	all := make(map[int][]store.Ref, len(e.from))
	for _, at := range e.from {
		all[at] = nil
		for _, f := range e.files[at] {
			all[at] = append(all[at], f.Ref)
		}
	}
	return all
}

// add takes in an item of the document; was is what was published of it, nil if nothing.
func (e *edition) add(found tidings.FoundItem, was *store.PublishedMark, doc *feed.Document, contents *contents) {
	if found.News.Withdrawn() {
		contents = nil // whatever is there of it
	}
	text := contents.of(&found.Item)
	mark := store.PublishedMark{KnownItem: tidings.KnownItem{Row: found.Row, ItemIdentity: found.Mark}}
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

// inOrder puts the oldest item first: by dates where all have one, else as feeds do, which
// begin with the newest.
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

// entry returns the i-th item as it travels: with as much of it as there is room for. What is too
// large even as the feed has it is known by its mark alone, and the feed has to be asked for it.
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

// documentOf makes a feed of an entry that a content system has published, and reads it as any other.
func documentOf(e tidings.PublishedEntry, base string, c feed.Config) (*feed.Document, error) {
	if strings.TrimSpace(e.ID) == "" {
		return nil, tidings.Invalidf("the entry has no id: give it the one that it has in your feed")
	}
	if e.HTML != "" && e.Text != "" {
		return nil, tidings.Invalidf("the entry has both html and text: give one of them")
	}
	type attachment struct {
		URL  string `json:"url"`
		Type string `json:"mime_type,omitempty"`
		Size int64  `json:"size_in_bytes,omitempty"`
	}
	type author struct {
		Name string `json:"name"`
	}
	item := map[string]any{"id": e.ID, "url": e.URL, "title": e.Title, "content_html": e.HTML, "content_text": e.Text, "summary": e.Summary, "tags": e.Tags}
	if e.Author != "" {
		item["authors"] = []author{{e.Author}}
	}
	for name, at := range map[string]time.Time{"date_published": e.Published, "date_modified": e.Updated} {
		if !at.IsZero() {
			item[name] = at.Format(time.RFC3339)
		}
	}
	var files []attachment
	for _, f := range e.Enclosures {
		files = append(files, attachment{f.URL, f.Type, f.Length})
	}
	item["attachments"] = files
	if e.News != nil {
		item[feed.NewsField] = e.News
	}
	b, err := json.Marshal(map[string]any{"version": "https://jsonfeed.org/version/1.1", "items": []any{item}})
	if err != nil {
		return nil, err
	}
	doc, err := feed.Parse(b, "application/feed+json", base, c)
	if err != nil {
		return nil, err
	}
	if e.News != nil && (len(doc.Items) != 1 || doc.Items[0].News == nil) {
		return nil, tidings.Invalidf("what the entry says as a news item cannot be read: it needs a guid of at most 2048 bytes")
	}
	if e.News.Withdrawn() {
		return doc, nil // which is all that is said of it
	}
	if len(doc.Items) != 1 || cmp.Or(e.Title, e.HTML, e.Text, e.Summary) == "" && len(e.Enclosures) == 0 {
		return nil, tidings.Invalidf("the entry says nothing: it needs a title, a text or an enclosure")
	}
	return doc, nil
}
