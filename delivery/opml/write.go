package opml

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// Write writes l as OPML 2.0 in UTF-8. Folders and entries keep the order in which l
// first names them, a folder's entries standing together. Parse reads the same List
// back if its texts are single lines without blanks at their ends.
func Write(w io.Writer, l List) error {
	root := &folder{}
	for _, e := range l.Entries {
		root.at(folderNames(e.Folder)).add(outline{entry: e})
	}
	b := bufio.NewWriter(w)
	b.WriteString(xml.Header)
	b.WriteString("<opml version=\"2.0\">\n<head>")
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
		title := cleanText(o.entry.Title)
		attribute(b, "text", title)
		attribute(b, "title", title)
		attribute(b, "type", "rss")
		attribute(b, "xmlUrl", o.entry.URL)
		if o.entry.Site != "" {
			attribute(b, "htmlUrl", o.entry.Site)
		}
		b.WriteString("/>\n")
	}
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
