package news

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"tidings"
)

func writeNITF(it Item) string {
	n := it.News
	w := &writer{}
	w.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	w.start("nitf", "version", "-//IPTC//DTD NITF 3.6//EN", "xml:lang", n.Language)
	w.start("head")
	w.leaf("title", n.Headline)
	w.start("tobject", "tobject.type", "news")
	w.leaf("tobject.property", "", "tobject.property.type", n.Genre)
	for _, s := range n.Subjects {
		if isRefnum(s) {
			w.leaf("tobject.subject", "", "tobject.subject.ipr", "IPTC", "tobject.subject.refnum", s.Code,
				"tobject.subject.detail", s.Name)
		}
	}
	w.end()
	writeDocdata(w, n)
	w.leaf("pubdata", "", "name", n.Publisher, "ex-ref", it.URL)
	w.leaf("revision-history", "", "norm", formatNorm(n.Created))
	w.end()
	w.start("body")
	w.start("body.head")
	if n.Headline != "" {
		w.start("hedline")
		w.leaf("hl1", n.Headline)
		w.end()
	}
	w.leaf("byline", n.Byline)
	if it.Summary != "" {
		w.start("abstract")
		w.leaf("p", it.Summary)
		w.end()
	}
	w.end()
	w.start("body.content")
	writeBody(w, it.Content)
	w.end()
	w.end()
	w.end()
	return w.String()
}

func writeDocdata(w *writer, n tidings.News) {
	status := string(n.Status)
	if n.Status == tidings.Usable && !n.Embargo.IsZero() {
		status = "embargoed"
	}
	w.start("docdata", "management-status", status)
	if n.Signal == tidings.Corrected {
		w.leaf("correction", "", "id-string", n.GUID)
	}
	w.leaf("doc-id", "", "id-string", n.GUID)
	w.leaf("urgency", "", "ed-urg", strconv.Itoa(n.Urgency))
	w.leaf("date.issue", "", "norm", formatNorm(n.Revised))
	w.leaf("date.release", "", "norm", formatNorm(n.Embargo))
	w.leaf("date.expire", "", "norm", formatNorm(n.Expires))
	w.leaf("du-key", "", "key", n.Slugline, "generation", strconv.Itoa(n.Version))
	w.leaf("ed-msg", "", "info", n.Note, "msg-type", string(n.Signal))
	w.start("key-list")
	for _, s := range n.Subjects {
		if s.Code == "" {
			w.leaf("keyword", "", "key", s.Name)
		}
	}
	w.end()
	w.start("identified-content")
	for _, s := range n.Subjects {
		if s.Code != "" && !isRefnum(s) {
			w.leaf("classifier", s.Name, "idsrc", s.Scheme, "value", s.Code)
		}
	}
	for _, s := range n.Places {
		w.leaf("location", s.Name, "code-source", s.Scheme, "location-code", s.Code)
	}
	w.end()
	w.end()
}

// isRefnum reports whether a subject is one that NITF has by number.
func isRefnum(s tidings.Subject) bool {
	return is8Digits(s.Code) && s.Scheme == refnum(s.Code) && s.Scheme != ""
}

// nitfNames are the elements of HTML that NITF has under the same name.
var nitfNames = set("p em a br ul ol li dl dt dd q pre hr sub sup table caption thead tbody tfoot tr td th col colgroup")

// renamed are the elements that NITF names otherwise.
var renamed = map[string]string{"h2": "hl2", "blockquote": "bq", "div": "block"}

// inlineNames are those of classNames that stand in a line.
var inlineNames = set(`b i u s strong small big tt code kbd samp var mark span abbr cite dfn del ins bdi bdo time strike
	ruby rt rp audio video source wbr picture`)

// writeBody writes safe HTML as XML with NITF's elements: those that it lacks become a block or em with their name as
// class, and images become media.
func writeBody(w *writer, content string) {
	z := html.NewTokenizer(strings.NewReader(content))
	for {
		kind := z.Next()
		tok := z.Token()
		name, class := tok.Data, ""
		switch {
		case nitfNames[name]:
		case renamed[name] != "":
			name = renamed[name]
		case inlineNames[name]:
			name, class = "em", name
		default:
			name, class = "block", name
		}
		switch {
		case kind == html.ErrorToken:
			return
		case kind == html.TextToken:
			w.text(tok.Data)
		case kind == html.EndTagToken:
			w.WriteString("</" + name + ">")
		case tok.Data == "img":
			writeImage(w, tok.Attr)
		case kind == html.StartTagToken || kind == html.SelfClosingTagToken:
			w.WriteString("<" + name)
			if class != "" {
				w.attr("class", class)
			}
			for _, a := range tok.Attr {
				w.attr(a.Key, a.Val)
			}
			if voidElements[tok.Data] {
				w.WriteString("/")
			}
			w.WriteString(">")
		}
	}
}

// writeImage writes an image as NITF's media.
func writeImage(w *writer, attrs []html.Attribute) {
	w.WriteString(`<media media-type="image"><media-reference`)
	for _, a := range attrs {
		for name, inHTML := range imageAttrs {
			if inHTML == a.Key {
				w.attr(name, a.Val)
			}
		}
	}
	w.WriteString("/></media>")
}
