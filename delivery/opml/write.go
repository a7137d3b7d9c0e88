package opml

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"tidings"
)

// Write writes l as OPML 2.0 in UTF-8. Folders and entries keep the order in which l first names them, a folder's
// entries together. Parse reads the same List back if its texts are single lines without blanks at their ends. The
// exception is user names and passwords in addresses: those are never written.
func Write(w io.Writer, l List) error {
	root := &folder{}
	for _, e := range l.Entries {
		root.at(cleanNames(tidings.FolderNames(e.Folder))).add(outline{entry: e})
	}
	b := bufio.NewWriter(w)
	b.WriteString(xml.Header)
	b.WriteString("<opml version=\"2.0\" xmlns:" + prefix + "=\"" + Namespace + "\">\n<head>")
	element(b, "title", cleanText(l.Title))
	b.WriteString("</head>\n<body>\n")
	root.write(b, 1)
	b.WriteString("</body>\n</opml>\n")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("writing OPML: %w", err)
	}
	return nil
}

// folder is a node of the tree that is written; at most maxFolderDepth deep.
type folder struct {
	name     string
	outlines []outline
	inner    map[string]*folder
}

// outline is an entry, or a folder.
type outline struct {
	entry  Entry
	folder *folder
}

func (f *folder) add(o outline) { f.outlines = append(f.outlines, o) }

// at returns the folder of that path, made where it is missing.
func (f *folder) at(names []string) *folder {
	for _, name := range names {
		next := f.inner[name]
		if next == nil {
			next = &folder{name: name}
			if f.inner == nil {
				f.inner = make(map[string]*folder)
			}
			f.inner[name] = next
			f.add(outline{folder: next})
		}
		f = next
	}
	return f
}

func (f *folder) write(b *bufio.Writer, depth int) {
	indent := strings.Repeat("  ", depth)
	for _, o := range f.outlines {
		b.WriteString(indent)
		b.WriteString("<outline")
		if o.folder != nil {
			attribute(b, "text", o.folder.name)
			attribute(b, "title", o.folder.name)
			b.WriteString(">\n")
			o.folder.write(b, depth+1)
			b.WriteString(indent)
			b.WriteString("</outline>\n")
			continue
		}
		o.entry.write(b)
	}
}

// write writes an outline. A page, a query or a zone has another type than "rss". So readers that accept only feeds
// leave it alone.
func (e Entry) write(b *bufio.Writer) {
	title, kind := cleanText(e.Title), "rss"
	if e.Page {
		kind = "page"
	} else if k := tidings.KindOf(e.URL); !k.HasOrigin() {
		kind = string(k)
	}
	attribute(b, "text", title)
	attribute(b, "title", title)
	attribute(b, "type", kind)
	attribute(b, "xmlUrl", withoutCredentials(e.URL))
	if e.Site != "" {
		attribute(b, "htmlUrl", withoutCredentials(e.Site))
	}
	if tags := tidings.SplitTags(strings.Join(e.Tags, ",")); len(tags) > 0 {
		attribute(b, "category", strings.Join(tags, ","))
	}
	for _, own := range e.own() {
		if own[1] != "" {
			attribute(b, prefix+":"+own[0], own[1])
		}
	}
	b.WriteString("/>\n")
}

// bufio.Writer keeps its first error for Flush, so the small writes need no checks.

func attribute(b *bufio.Writer, name, value string) {
	b.WriteByte(' ')
	b.WriteString(name)
	b.WriteString(`="`)
	_ = xml.EscapeText(b, []byte(value))
	b.WriteByte('"')
}

func element(b *bufio.Writer, name, text string) {
	b.WriteString("<" + name + ">")
	_ = xml.EscapeText(b, []byte(text))
	b.WriteString("</" + name + ">")
}
