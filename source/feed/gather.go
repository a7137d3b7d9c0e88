package feed

import (
	"cmp"

	"tidings"
)

// Gather returns a document of items that come from several channels: a part of one, to which more are added as they come.
// An item is known by its ID alone there, since items of different channels may have their links, titles and texts in common; whoever gathers
// gives them IDs that are unique among channels.
func Gather(items []tidings.Item) *Document {
	doc := &Document{Items: make([]Item, len(items)), Partial: true}
	for i, it := range items {
		raw := cmp.Or(it.Content, it.Summary)
		gathered := Item{Item: it, Raw: raw, base: it.URL, summary: body{text: it.Summary}, content: body{text: it.Content}}
		gathered.Mark = tidings.ItemIdentity{ID: hashOf(it.ID), Print: fingerprint(&gathered)}
		doc.Items[i] = gathered
	}
	return doc
}

// Marks returns what the items of a document are known by, in its order.
func (d *Document) Marks() []tidings.ItemIdentity {
	marks := make([]tidings.ItemIdentity, len(d.Items))
	for i := range d.Items {
		marks[i] = d.Items[i].Mark
	}
	return marks
}
