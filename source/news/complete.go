package news

import (
	"tidings"
	"tidings/source/feed"
)

// Complete refuses a document that has an item with nothing to show, which would be published as an item without a
// title: no headline, text, summary, link or file, and not withdrawn either. Errors: tidings.ErrInvalid with a hint.
func Complete(d *feed.Document) error {
	for _, it := range d.Items {
		n := it.News
		if n == nil || n.Withdrawn() || it.Title != "" || it.Content != "" || it.Raw != "" || it.Summary != "" ||
			it.URL != "" || len(it.Enclosures) > 0 {
			continue
		}
		return tidings.WithHint(tidings.Invalidf("the item %s has neither a headline nor content",
			tidings.Quote(it.ID)),
			"give it a headline (in NewsML-G2 contentMeta/headline), or a text (contentSet)")
	}
	return nil
}
