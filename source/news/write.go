package news

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"tidings"
)

// Write writes an item as a document of a format: NITF 3.6, NewsML-G2 2.35 or ninjs 3.1. It fails if the item has no
// GUID or the format is none of these.
//
// What is written is read back the same: every field of News, and the content. NITF has subjects in three places, so
// that their order may change, and has no place for enclosures.
func Write(it Item, format Format) ([]byte, error) {
	if it.News.GUID == "" {
		return nil, fmt.Errorf("writing news: %w: the item has no GUID", tidings.ErrInvalid)
	}
	p := parser{cfg: Default(), doc: &Document{}}
	it.Content = p.markup(it.Content)
	it.Summary = html.UnescapeString(p.summary(it.Summary))
	p.finish(&it)
	switch format {
	case NITF:
		return []byte(writeNITF(it)), nil
	case NewsMLG2:
		return []byte(writeNewsML(it)), nil
	case Ninjs:
		return writeNinjs(it)
	}
	return nil, fmt.Errorf("writing news: %w: unknown format %q", tidings.ErrInvalid, string(format))
}

// WriteAll writes items of a channel as one document: a NewsML-G2 news message, or a list in ninjs. Items of ordinary
// feeds are written with what Of says of them; those without a GUID are left out.
func WriteAll(channelURL, channelTitle string, items []tidings.Item, format Format) ([]byte, error) {
	var docs [][]byte
	var latest time.Time
	for i := range items {
		it := Item{Item: items[i], News: Of(channelURL, channelTitle, items[i])}
		if it.News.GUID == "" {
			continue
		}
		doc, err := Write(it, format)
		if err != nil {
			return nil, err
		}
		for _, t := range []time.Time{it.News.Revised, it.Updated} {
			if t.After(latest) {
				latest = t
			}
		}
		docs = append(docs, doc)
	}
	switch format {
	case NewsMLG2:
		return newsMessage(docs, latest), nil
	case Ninjs:
		return slices.Concat([]byte("["), bytes.Join(docs, []byte(",")), []byte("]\n")), nil
	}
	return nil, fmt.Errorf("writing news: %w: %s has one item a document", tidings.ErrInvalid, format)
}

// writer writes XML.
type writer struct {
	strings.Builder
	open []string
}

// start opens an element with attributes, given as names and values in turn; those without a value are left out.
func (w *writer) start(name string, attrs ...string) {
	w.tag(name, attrs, ">")
	w.open = append(w.open, name)
}

// end closes the innermost element.
func (w *writer) end() {
	last := len(w.open) - 1
	w.WriteString("</" + w.open[last] + ">\n")
	w.open = w.open[:last]
}

// leaf writes an element with a text, or nothing if it has neither text nor attributes.
func (w *writer) leaf(name, text string, attrs ...string) {
	if text == "" && strings.Join(values(attrs), "") == "" {
		return
	}
	if text == "" {
		w.tag(name, attrs, "/>\n")
		return
	}
	w.start(name, attrs...)
	w.text(text)
	w.end()
}

func (w *writer) tag(name string, attrs []string, end string) {
	w.WriteString("<" + name)
	for i, value := range values(attrs) {
		if value != "" {
			w.attr(attrs[2*i], value)
		}
	}
	w.WriteString(end)
}

func (w *writer) attr(name, value string) {
	w.WriteString(" " + name + `="`)
	w.text(value)
	w.WriteString(`"`)
}

func (w *writer) text(s string) {
	_ = xml.EscapeText(&w.Builder, []byte(s)) // a Builder does not fail
}

// values returns every second of names and values.
func values(attrs []string) (out []string) {
	for i := 1; i < len(attrs); i += 2 {
		out = append(out, attrs[i])
	}
	return out
}
