package feed

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxReference is the length of the longest character reference worth looking at.
const maxReference = 34

// referenceEnd returns the length of the character reference at the start of s,
// 0 if there is none that ends in ";".
func referenceEnd(s string) int {
	for i := 1; i < len(s) && i < maxReference; i++ {
		switch c := s[i]; {
		case c == ';':
			if i < 2 {
				return 0
			}
			return i + 1
		case c == '#' && i == 1, 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		default:
			return 0
		}
	}
	return 0
}

// unescape resolves character references once: numeric ones, and all names that
// HTML knows, declared or not. What is no reference, such as the "&" in "AT&T",
// stays. References to control characters give nothing.
func unescape(s string) string {
	i := strings.IndexByte(s, '&')
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		b.WriteString(s[:i])
		s = s[i:]
		n := referenceEnd(s)
		switch {
		case n == 0:
			b.WriteByte('&')
			n = 1
		default:
			writeReference(&b, s[:n])
		}
		s = s[n:]
		i = strings.IndexByte(s, '&')
	}
	b.WriteString(s)
	return b.String()
}

func writeReference(b *strings.Builder, ref string) {
	switch ref {
	case "&lt;":
		b.WriteByte('<')
	case "&gt;":
		b.WriteByte('>')
	case "&amp;":
		b.WriteByte('&')
	case "&quot;":
		b.WriteByte('"')
	case "&apos;", "&#39;", "&#039;":
		b.WriteByte('\'')
	default:
		for _, r := range html.UnescapeString(ref) {
			if !isIllegal(r) {
				b.WriteRune(r)
			}
		}
	}
}

// isIllegal reports whether r must not occur in text: control characters and
// noncharacters that XML forbids.
func isIllegal(r rune) bool {
	switch {
	case r < ' ':
		return r != '\t' && r != '\n' && r != '\r'
	case 0x7f <= r && r < 0xa0:
		return true
	case 0xfdd0 <= r && r <= 0xfdef, r&0xfffe == 0xfffe, 0xd800 <= r && r <= 0xdfff:
		return true
	}
	return false
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

func escape(s string) string { return escaper.Replace(s) }

// isASCII reports whether s is of ASCII alone, and none of it is illegal: most texts are, and need no closer look.
func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\t' && c != '\n' && c != '\r' || c >= 0x7f {
			return false
		}
	}
	return true
}

// cutText cuts s to at most limit bytes, between characters.
func cutText(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// PlainText returns the text of HTML, words separated by single blanks.
func PlainText(markup string) string { return plainText(markup) }

func plainText(src string) string {
	var b strings.Builder
	eachWord(src, func(word string, spaced bool) {
		if spaced && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	})
	return b.String()
}

// eachWord calls f with every run of visible characters in HTML, references
// resolved; spaced reports whether white space or a block's edge stands before it.
// A run that goes on across inline tags or references comes in pieces.
func eachWord(src string, f func(word string, spaced bool)) {
	eachText(src, func(text string, spaced bool) bool { return eachField(text, spaced, f) })
}

// eachText calls f with every piece of text that HTML shows, references resolved; spaced reports whether white space or
// a block's edge stands before it. f returns whether white space stands at its end.
func eachText(src string, f func(text string, spaced bool) bool) {
	spaced := true
	walk(src, func(text string) bool {
		spaced = f(text, spaced)
		return true
	}, func(name string, _ []attr) bool {
		spaced = spaced || blockNames[name]
		return true
	})
}

// walk calls text with every piece of text that HTML shows, references resolved, and tag with every tag, until one of
// them returns false. attrs are those of a tag that starts an element that is shown.
func walk(src string, text func(string) bool, tag func(name string, attrs []attr) bool) {
	sc := scanner{src: src, maxAttrs: 1 << 30, maxTag: 1 << 30}
	hidden := ""
	var endless map[string]bool // hidden elements known to have no end from here on
	for on := true; on; {
		tok, err := sc.next()
		if err != nil || tok.kind == tokenEnd {
			return
		}
		switch tok.kind {
		case tokenText, tokenCData:
			if hidden == "" {
				piece := tok.text
				if tok.kind == tokenText {
					piece = unescape(piece)
				}
				on = text(piece)
			}
		case tokenStart, tokenClose:
			name := lower(tok.name)
			var attrs []attr
			if tok.kind == tokenStart && hidden == "" {
				attrs = sc.attrs
			}
			on = tag(name, attrs)
			switch {
			case hidden != "":
				if name == hidden && tok.kind == tokenClose {
					hidden = ""
				}
			case tok.kind == tokenStart && !tok.empty && hiddenNames[name] && !endless[name]:
				// An unclosed <script> must not swallow the rest of the text unseen.
				if hasEnd(src[tok.end:], name) {
					hidden = name
				} else {
					if endless == nil {
						endless = make(map[string]bool)
					}
					endless[name] = true
				}
			}
		}
	}
}

// hasEnd reports whether an end tag of the name follows.
func hasEnd(rest, name string) bool {
	for {
		i := strings.Index(rest, "</")
		if i < 0 {
			return false
		}
		rest = rest[i+2:]
		if after, ok := cutPrefixFold(rest, name); ok && (after == "" || endsName(after[0])) {
			return true
		}
	}
}

// lower is strings.ToLower without a look at names that are in lower case already,
// as nearly all are.
func lower(name string) string {
	for i := 0; i < len(name); i++ {
		if c := name[i]; c < 'a' || c > 'z' {
			return strings.ToLower(name)
		}
	}
	return name
}

// eachField cuts plain text into words for eachWord.
func eachField(s string, spaced bool, f func(word string, spaced bool)) bool {
	start := -1
	for i := 0; i < len(s); {
		size, blank, unseen := 1, false, false
		if c := s[i]; c < utf8.RuneSelf {
			blank = c <= ' '
		} else {
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			blank = unicode.IsSpace(r)
			unseen = r == '\u200b' || r == '\ufeff' || r == '\u00ad' // within a word too
		}
		switch {
		case unseen && start >= 0:
			f(s[start:i], spaced)
			start, spaced = -1, false
		case unseen:
		case blank && start >= 0:
			f(s[start:i], spaced)
			start, spaced = -1, true
		case blank:
			spaced = true
		case start < 0:
			start = i
		}
		i += size
	}
	if start >= 0 {
		f(s[start:], spaced)
		return false
	}
	return spaced
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
