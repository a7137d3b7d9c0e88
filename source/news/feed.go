package news

import (
	"slices"

	"tidings"
	"tidings/source/feed"
)

// Feed returns the document as a feed: of several versions of an item the one that counts, in the place of the first. A
// feed of one publisher has its name for a title.
func (d *Document) Feed(cfg feed.Config) *feed.Document {
	var items []tidings.Item
	title := ""
	for i := range d.Items {
		it := d.Items[i].asItem()
		if i == 0 {
			title = it.News.Publisher
		} else if it.News.Publisher != title {
			title = ""
		}
		same := func(other tidings.Item) bool { return other.ID == it.ID }
		if at := slices.IndexFunc(items, same); at < 0 {
			items = append(items, it)
		} else if it.News.MayReplace(items[at].News) {
			items[at] = it
		}
	}
	out := feed.NewDocument(title, items, cfg)
	out.Format = feed.Format(d.Format)
	out.Notes = append(d.Notes, out.Notes...)
	return out
}

// asItem returns the item as all others are kept: with what it says as a news item in it.
func (it *Item) asItem() tidings.Item {
	item, n := it.Item, it.News
	item.News = &n
	return item
}
