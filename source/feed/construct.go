package feed

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
)

// construct is the text of an element, with what its attributes say of it.
type construct struct {
	text   string // references resolved once; markup, if markup
	markup bool   // elements stood in it as such, not escaped
	typ    string // "", text, html, xhtml, or a media type
	depth  int    // of its element
}

// isPlain reports whether the text is plain. byDefault says whether the element's specification makes type plain the
// default.
func (t construct) isPlain(byDefault bool) bool {
	switch {
	case t.markup:
		return false
	case t.typ == "":
		return byDefault
	case t.typ == "text" || t.typ == "plain" || t.typ == "text/plain":
		return true
	}
	return false
}

// isText reports whether the construct's type is one that can be shown at all.
func (t construct) isText() bool {
	switch t.typ {
	case "", "text", "plain", "html", "xhtml":
		return true
	}
	return strings.HasPrefix(t.typ, "text/") || strings.HasSuffix(t.typ, "xml") || t.markup
}

// body returns the construct as the text of an item.
func (t construct) body(plainByDefault bool, limit int) body {
	return newBody(t.text, t.isPlain(plainByDefault), limit)
}

// newBody returns a text as that of an item, cut to limit bytes. One that shows nothing is none, so that it hides no
// other.
func newBody(text string, plain bool, limit int) body {
	b := body{text: cutText(strings.TrimSpace(text), limit), plain: plain}
	if !b.shows() {
		return body{blank: b.text != ""}
	}
	return b
}

// shows reports whether a text has something to see or to play: a character, a picture, a sound or a frame.
func (b body) shows() (seen bool) {
	if b.plain {
		return strings.ContainsFunc(b.text, isVisible)
	}
	walk(b.text, func(text string) bool {
		seen = strings.ContainsFunc(text, isVisible)
		return !seen
	}, func(name string, attrs []attr) bool {
		seen = isMedium(name, attrs)
		return !seen
	})
	return seen
}

// isVisible reports whether r alone can be seen.
func isVisible(r rune) bool {
	// Braille without a dot
	return r != ' ' && unicode.IsPrint(r) && !unicode.IsMark(r) && !isTreacherous(r) && r != '\u2800'
}

// isMedium reports whether a tag with attributes shows or plays something. Pictures that only count readers do not.
func isMedium(name string, attrs []attr) bool {
	of := func(key string) string {
		for _, a := range attrs {
			if strings.EqualFold(a.name, key) {
				return unescape(a.value)
			}
		}
		return ""
	}
	switch name {
	case "video", "audio":
		return true
	case "iframe", "embed":
		return of("src") != ""
	case "img":
		link := firstOf(of("src"), of("data-src"), of("data-lazy-src"), of("data-original"), of("srcset"))
		return link != "" && !isPixel(of("width"), of("height")) && !isBeacon(link) && !isHidingStyle(of("style"))
	}
	return false
}

// title returns the construct as one line of plain text.
func (t construct) title(strict bool, limit int) string {
	switch {
	case t.markup || t.typ != "" && !t.isPlain(true):
		return plainTitle(plainText(t.text), limit)
	case !strict && looksLikeHTML(t.text):
		return plainTitle(plainText(t.text), limit)
	}
	return plainTitle(t.text, limit)
}

// looksLikeHTML guesses whether a text that is nominally plain is HTML after all, as
// titles in RSS often are. It errs on the side of plain text: all its tags must be
// HTML's, and there must be an end tag or a character reference.
func looksLikeHTML(s string) bool {
	if strings.IndexByte(s, '<') < 0 {
		return hasReference(s)
	}
	sure := hasReference(s)
	sc := scanner{src: s, maxAttrs: 100, maxTag: 1 << 20}
	for {
		tok, err := sc.next()
		if err != nil {
			return false
		}
		switch tok.kind {
		case tokenEnd:
			return sure && !sc.broken
		case tokenClose, tokenStart:
			if !htmlNames[strings.ToLower(tok.name)] {
				return false
			}
			sure = sure || tok.kind == tokenClose || tok.empty || voidNames[strings.ToLower(tok.name)]
		}
	}
}

// hasReference reports whether s holds a character reference that HTML knows.
func hasReference(s string) bool {
	for {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			return false
		}
		s = s[i:]
		if n := referenceEnd(s); n > 0 && unescape(s[:n]) != s[:n] {
			return true
		}
		s = s[1:]
	}
}

// innerMarkup writes the inside of an XML element as HTML: prefixes go, elements that
// are empty in XML get the end tag that HTML needs. Beside elements HTML may stand escaped (see escapedBeside).
func innerMarkup(src, typ string) string {
	isXML := typ == "xhtml" || strings.HasSuffix(typ, "xml")
	mixed := !isXML && escapedBeside(src)
	var b strings.Builder
	b.Grow(len(src))
	sc := scanner{src: src, maxAttrs: 1 << 20, maxTag: 1 << 30}
	var at nesting
	for {
		tok, err := sc.next()
		if err != nil || tok.kind == tokenEnd {
			return strings.TrimSpace(b.String())
		}
		switch tok.kind {
		case tokenText:
			if mixed && at.isOutside() {
				tok.text = unescape(tok.text)
			}
			b.WriteString(tok.text)
		case tokenCData:
			if isXML {
				b.WriteString(escape(tok.text))
			} else {
				b.WriteString(tok.text) // HTML that was put in CDATA a level too deep
			}
		case tokenClose:
			at.end(tok)
			_, local := splitName(tok.name)
			if !voidNames[local] {
				b.WriteString("</" + local + ">")
			}
		case tokenStart:
			at.start(tok, sc.attrs)
			writeTag(&b, tok, sc.attrs)
		}
	}
}

// escapedBeside reports whether the text that stands beside the elements in src is escaped HTML. It is if a program
// joins a text with another that it has escaped. Escaped HTML within an element is text: somebody writes of tags there.
func escapedBeside(src string) bool {
	if !strings.Contains(src, "&lt;") && !strings.Contains(src, "&#") {
		return false
	}
	var text strings.Builder
	sc := scanner{src: src, maxAttrs: 1 << 20, maxTag: 1 << 30}
	var at nesting
	for {
		tok, err := sc.next()
		if err != nil || tok.kind == tokenEnd {
			break
		}
		switch tok.kind {
		case tokenText:
			if at.isOutside() {
				text.WriteString(unescape(tok.text))
			}
		case tokenStart:
			at.start(tok, sc.attrs)
		case tokenClose:
			at.end(tok)
		}
	}
	return strings.IndexByte(text.String(), '<') >= 0 && looksLikeHTML(text.String())
}

// nesting is where in the inside of an XML element a token stands.
type nesting struct{ depth int }

// wrappers are elements that only hold others together.
var wrappers = set("div section article main")

func (n *nesting) start(tok token, attrs []attr) {
	if tok.empty || voidNames[tok.name] || n.depth == 0 && wrappers[tok.name] && !isDeclaring(attrs) {
		return
	}
	n.depth++
}

func (n *nesting) end(tok token) {
	if n.depth > 0 && !voidNames[tok.name] {
		n.depth--
	}
}

// isOutside reports whether no element is open but wrappers.
func (n *nesting) isOutside() bool { return n.depth == 0 }

// isDeclaring reports whether an element declares what it is, which a text that is escaped does not.
func isDeclaring(attrs []attr) bool {
	return slices.ContainsFunc(attrs, func(a attr) bool { return strings.HasPrefix(a.name, "xmlns") })
}

func writeTag(b *strings.Builder, tok token, attrs []attr) {
	_, local := splitName(tok.name)
	b.WriteString("<" + local)
	for _, a := range attrs {
		if strings.HasPrefix(a.name, "xmlns") {
			continue
		}
		quote := `"`
		if strings.Contains(a.value, quote) {
			quote = "'"
		}
		b.WriteString(" " + a.name + "=" + quote + a.value + quote)
	}
	b.WriteString(">")
	if tok.empty && !voidNames[local] {
		b.WriteString("</" + local + ">")
	}
}

// fromBase64 decodes Atom 0.3's mode="base64"; what cannot be decoded, or is no text,
// stays as it is.
func fromBase64(s string) string {
	packed := strings.Map(func(r rune) rune {
		if r <= ' ' {
			return -1
		}
		return r
	}, s)
	decoded, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return s
	}
	text, _ := Decode(decoded, "")
	return text
}
