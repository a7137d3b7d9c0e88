package microformats

import (
	"fmt"
	"html"
	"mime"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	node "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"tidings"
	"tidings/source/feed"
	"tidings/source/feed/date"
)

// Format is that of feeds that are read of a page's microformats.
const Format feed.Format = "h-feed"

// LeastEntries is how many entries a page must have to be offered as a feed of them: a page with one is that entry.
const LeastEntries = 2

// Feed makes a feed of the entries that a page at pageURL marks up: those of the first h-feed that has any, else those
// that stand in no other item. It fails with feed.ErrNotFeed for a page that has neither an h-feed nor an h-entry.
func Feed(root *node.Node, pageURL string, cfg feed.Config) (*feed.Document, error) {
	items := Parse(root, pageURL)
	of, entries := entriesOf(items)
	if of == nil && len(entries) == 0 {
		return nil, fmt.Errorf("reading the page's microformats: %w: it marks up neither an h-feed nor an h-entry",
			feed.ErrNotFeed)
	}
	if of == nil {
		of = new(Item)
	}
	c := converter{page: pageURL, author: people(of.Properties["author"])}
	var list []tidings.Item
	for _, it := range entries {
		list = append(list, c.item(it))
	}
	doc := feed.NewDocument(firstOf(of.Text("name"), titleOf(root)), list, cfg)
	doc.Format, doc.Site = Format, pageURL
	doc.Notes = append(doc.Notes, "read the entries that the page marks up (h-feed)")
	return doc, nil
}

// entriesOf returns the feed that counts, nil if there is none, and the entries.
func entriesOf(items []*Item) (of *Item, entries []*Item) {
	var feeds []*Item
	var search func(it *Item)
	search = func(it *Item) {
		if it.Is("h-feed") {
			feeds = append(feeds, it)
		}
		for _, child := range it.Children {
			search(child)
		}
	}
	for _, it := range items {
		search(it)
	}
	for _, f := range feeds {
		if entries = entriesIn(f); len(entries) > 0 {
			return f, entries
		}
	}
	for _, it := range items {
		if it.Is("h-entry") {
			entries = append(entries, it)
		}
	}
	if len(entries) == 0 && len(feeds) > 0 {
		return feeds[0], nil
	}
	return nil, entries
}

// entriesIn returns the entries of a feed, whether they are its children or a property "entry" of it.
func entriesIn(f *Item) (entries []*Item) {
	for _, v := range f.Properties["entry"] {
		if v.Item != nil && v.Item.Is("h-entry") && !slices.Contains(entries, v.Item) {
			entries = append(entries, v.Item)
		}
	}
	for _, child := range f.Children {
		if child.Is("h-entry") {
			entries = append(entries, child)
		}
	}
	return entries
}

// converter makes items of entries.
type converter struct {
	page   string
	author string // of the feed
}

func (c converter) item(e *Item) tidings.Item {
	it := tidings.Item{
		URL:       e.Text("url"),
		Title:     e.Text("name"),
		Author:    firstOf(people(e.Properties["author"]), c.author),
		Published: momentIn(e, "published"),
		Updated:   momentIn(e, "updated"),
		Summary:   paragraphs(e.Text("summary")),
	}
	if it.URL == "" && e.ID != "" {
		it.URL = c.at(e.ID)
	}
	it.ID = firstOf(e.Text("uid"), it.URL)
	plain := ""
	for _, v := range e.Properties["content"] {
		if it.Content = v.HTML; it.Content == "" {
			it.Content = paragraphs(v.Text)
		}
		if plain = v.Text; it.Content != "" {
			break
		}
	}
	// Notes have their whole text for a name, which is no title.
	if name := collapsed(it.Title); strings.HasPrefix(collapsed(plain), name) && len(e.Properties["content"]) > 0 {
		it.Title = ""
	}
	it.Content += c.responses(e, it) + photos(e, it.Content+it.Summary)
	for _, name := range []string{"audio", "video"} {
		for _, v := range e.Properties[name] {
			it.Enclosures = append(it.Enclosures, tidings.Enclosure{URL: v.Text, Type: typeOf(v.Text, name)})
		}
	}
	for _, v := range e.Properties["category"] {
		it.Categories = append(it.Categories, v.Text)
	}
	return it
}

// at returns the address of an element of the page.
func (c converter) at(id string) string {
	u, err := url.Parse(c.page)
	if err != nil {
		return ""
	}
	u.Fragment = id
	return u.String()
}

// responses says what an entry answers to, where it says nothing else.
func (c converter) responses(e *Item, it tidings.Item) string {
	if it.Content != "" || it.Summary != "" || it.Title != "" {
		return ""
	}
	for _, kind := range []struct{ property, words string }{
		{"like-of", "Likes"}, {"repost-of", "Reposted"}, {"bookmark-of", "Bookmarked"}, {"in-reply-to", "In reply to"},
	} {
		if v := e.Text(kind.property); v != "" {
			return fmt.Sprintf(`<p>%s <a href="%s">%s</a></p>`, kind.words, html.EscapeString(v), html.EscapeString(v))
		}
	}
	return ""
}

// maxPhotos bounds the pictures of an entry that are shown besides those in its text.
const maxPhotos = 20

// photos returns the pictures of an entry that are not in its text.
func photos(e *Item, shown string) string {
	var b strings.Builder
	for i, v := range e.Properties["photo"] {
		src := html.EscapeString(v.Text)
		if i >= maxPhotos || src == "" || strings.Contains(shown, src) {
			continue
		}
		fmt.Fprintf(&b, `<p><img src="%s" alt="%s"></p>`, src, html.EscapeString(v.Alt))
	}
	return b.String()
}

// people returns the names of authors, in one line.
func people(authors []Value) string {
	var names []string
	for _, v := range authors {
		if name := collapsed(v.Text); v.Item == nil || v.Item.Text("name") == "" {
			names = append(names, name)
		} else {
			names = append(names, collapsed(v.Item.Text("name")))
		}
	}
	return strings.Join(slices.DeleteFunc(names, func(name string) bool { return name == "" }), ", ")
}

// momentIn returns the first moment of a property that can be read.
func momentIn(e *Item, name string) time.Time {
	for _, v := range e.Properties[name] {
		if at, ok := date.Parse(v.Text); ok {
			return at
		}
	}
	return time.Time{}
}

// typeOf guesses the media type of a file by its address.
func typeOf(address, kind string) string {
	if u, err := url.Parse(address); err == nil {
		if t := mime.TypeByExtension(path.Ext(u.Path)); strings.HasPrefix(t, kind+"/") {
			return t
		}
	}
	return ""
}

// paragraphs returns plain text as HTML.
func paragraphs(plain string) string {
	return strings.ReplaceAll(html.EscapeString(plain), "\n", "<br>\n")
}

func collapsed(s string) string { return strings.Join(strings.Fields(s), " ") }

// titleOf returns the title of a page.
func titleOf(root *node.Node) string {
	for n := range root.Descendants() {
		if n.DataAtom == atom.Title && n.Namespace == "" && n.FirstChild != nil {
			return n.FirstChild.Data
		}
	}
	return ""
}
