package publish

import (
	"slices"
	"time"

	"tidings"
	"tidings/source/feed"
)

// isWhole reports whether a document lists all current items of its publisher. A feed does; a news document has the
// items that are new.
func isWhole(doc *feed.Document) bool { return doc.Format.IsFeed() }

// channelIn returns what a document says of its channel. A feed is the channel. A news document is from a provider, and
// its name is not the channel's.
func channelIn(doc *feed.Document) (title, site string) {
	if !doc.Format.IsFeed() {
		return "", ""
	}
	return doc.Title, doc.Site
}

// unembargoed returns a document with the items that may be published now. Items under embargo do not leave the node.
// due is when the next may be; zero: there is none.
func unembargoed(doc *feed.Document, now time.Time) (free *feed.Document, due time.Time) {
	for i := range doc.Items {
		if n := doc.Items[i].News; n.Embargoed(now) && (due.IsZero() || n.Embargo.Before(due)) {
			due = n.Embargo
		}
	}
	if due.IsZero() {
		return doc, due
	}
	some := *doc
	some.Items = slices.DeleteFunc(slices.Clone(doc.Items), func(i feed.Item) bool { return i.News.Embargoed(now) })
	return &some, due
}

// mayPublish refuses a document with items under embargo, unless it is watched, so that they are published in time.
func mayPublish(doc *feed.Document, watched bool) error {
	if watched {
		return nil
	}
	now := time.Now()
	for i := range doc.Items {
		if it := &doc.Items[i]; it.News.Embargoed(now) {
			return tidings.WithHint(tidings.Invalidf("the item %s is under embargo until %s", tidings.Quote(it.ID),
				it.News.Embargo.Format(time.RFC3339)),
				"publish it then, or have its file watched with --watch: the node publishes it when the embargo ends")
		}
	}
	return nil
}
