package feed

import (
	"fmt"
	"strings"
)

// tokenKind is what a token is.
type tokenKind uint8

const (
	tokenEnd     tokenKind = iota // of the document
	tokenText                     // text is the raw characters, references not resolved
	tokenCData                    // text is the characters
	tokenStart                    // name, scanner.attrs
	tokenClose                    // name
	tokenDoctype                  // text follows "<!DOCTYPE"
	tokenOther                    // comment, processing instruction
)

// token is a piece of an XML document. Its strings are parts of the document's.
type token struct {
	kind       tokenKind
	empty      bool // <name/>
	start, end int  // place in the document
	name, text string
}

// attr is an attribute as written, references in its value not resolved.
type attr struct{ name, value string }

// scanner cuts a document into tokens. It forgives what it can: a "<" that starts
// no markup is text, attributes need no quotes, an unclosed construct reaches to the
// document's end. It looks at every byte a bounded number of times.
type scanner struct {
	src      string
	pos      int
	attrs    []attr // of the latest start tag, overwritten by the next one
	maxAttrs int
	maxTag   int
	broken   bool // the document ended within a construct
}

// next returns the next token. It fails only with ErrLimit.
func (s *scanner) next() (token, error) {
	if s.pos >= len(s.src) {
		return token{kind: tokenEnd, start: s.pos, end: s.pos}, nil
	}
	if s.src[s.pos] != '<' || !s.markupAt(s.pos) {
		return s.textToken(), nil
	}
	rest := s.src[s.pos:]
	switch {
	case strings.HasPrefix(rest, "<!--"):
		return s.until(tokenOther, 4, "-->"), nil
	case strings.HasPrefix(rest, "<![CDATA["):
		return s.until(tokenCData, 9, "]]>"), nil
	case rest[1] == '?':
		return s.until(tokenOther, 2, "?>"), nil
	case rest[1] == '!':
		return s.doctype(), nil
	case rest[1] == '/':
		tok := s.until(tokenClose, 2, ">")
		tok.name = strings.TrimRight(tok.text, " \t\r\n")
		return tok, nil
	}
	return s.startTag()
}

// markupAt reports whether the "<" at i starts markup.
func (s *scanner) markupAt(i int) bool {
	if i+1 >= len(s.src) {
		return false
	}
	switch c := s.src[i+1]; c {
	case '!', '?':
		return true
	case '/':
		return i+2 < len(s.src) && isNameStart(s.src[i+2])
	default:
		return isNameStart(c)
	}
}

func isNameStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func (s *scanner) textToken() token {
	start := s.pos
	i := start
	for {
		if i < len(s.src) && s.src[i] == '<' && !s.markupAt(i) {
			i++
		}
		n := strings.IndexByte(s.src[i:], '<')
		if n < 0 {
			i = len(s.src)
			break
		}
		i += n
		if s.markupAt(i) {
			break
		}
	}
	s.pos = i
	return token{kind: tokenText, start: start, end: i, text: s.src[start:i]}
}

// until reads up to closing, which follows an opening of the given length.
func (s *scanner) until(kind tokenKind, opening int, closing string) token {
	start := s.pos
	from := start + opening
	tok := token{kind: kind, start: start}
	if n := strings.Index(s.src[from:], closing); n >= 0 {
		tok.text = s.src[from : from+n]
		s.pos = from + n + len(closing)
	} else {
		tok.text = s.src[from:]
		s.pos = len(s.src)
		s.broken = true
	}
	tok.end = s.pos
	return tok
}

// doctype reads a declaration, with the internal subset that it may hold.
func (s *scanner) doctype() token {
	start := s.pos
	tok := token{kind: tokenDoctype, start: start}
	inSubset := false
	quote := byte(0)
	i := start + 2
loop:
	for ; i < len(s.src); i++ {
		c := s.src[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[':
			inSubset = true
		case c == ']':
			inSubset = false
		case c == '>' && !inSubset:
			break loop
		}
	}
	tok.text = s.src[start+2 : i]
	if rest, ok := cutPrefixFold(tok.text, "DOCTYPE"); ok {
		tok.text = rest
	} else {
		tok.kind = tokenOther
	}
	s.broken = s.broken || i == len(s.src)
	s.pos = min(i+1, len(s.src))
	tok.end = s.pos
	return tok
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

func (s *scanner) startTag() (token, error) {
	tok := token{kind: tokenStart, start: s.pos}
	s.attrs = s.attrs[:0]
	i := s.pos + 1
	for i < len(s.src) && !endsName(s.src[i]) {
		i++
	}
	tok.name = s.src[s.pos+1 : i]
	for {
		for i < len(s.src) && isSpace(s.src[i]) {
			i++
		}
		if i-tok.start > s.maxTag {
			return tok, fmt.Errorf("%w: a tag of more than %d bytes", ErrLimit, s.maxTag)
		}
		if i >= len(s.src) {
			s.broken = true
			break
		}
		switch c := s.src[i]; {
		case c == '>':
			i++
		case c == '/':
			i++
			if i < len(s.src) && s.src[i] == '>' {
				tok.empty = true
				i++
				break
			}
			continue
		case c == '<':
			// The tag was never closed; here starts the next.
		default:
			if len(s.attrs) >= s.maxAttrs {
				return tok, fmt.Errorf("%w: more than %d attributes", ErrLimit, s.maxAttrs)
			}
			i = s.attribute(i)
			continue
		}
		break
	}
	s.pos = i
	tok.end = i
	return tok, nil
}

func endsName(c byte) bool {
	return isSpace(c) || c == '>' || c == '/' || c == '<'
}

// attribute reads the attribute at i and returns where it ends.
func (s *scanner) attribute(i int) int {
	start := i
	for i < len(s.src) && s.src[i] != '=' && !endsName(s.src[i]) {
		i++
	}
	a := attr{name: s.src[start:i]}
	j := i
	for j < len(s.src) && isSpace(s.src[j]) {
		j++
	}
	if j < len(s.src) && s.src[j] == '=' {
		i = j + 1
		for i < len(s.src) && isSpace(s.src[i]) {
			i++
		}
		a.value, i = s.attrValue(i)
	}
	s.attrs = append(s.attrs, a)
	return i
}

func (s *scanner) attrValue(i int) (string, int) {
	if i >= len(s.src) {
		return "", i
	}
	if q := s.src[i]; q == '"' || q == '\'' {
		n := strings.IndexByte(s.src[i+1:], q)
		if n < 0 {
			s.broken = true
			return s.src[i+1:], len(s.src)
		}
		return s.src[i+1 : i+1+n], i + n + 2
	}
	start := i
	for i < len(s.src) && !isSpace(s.src[i]) && s.src[i] != '>' && s.src[i] != '<' {
		i++
	}
	return strings.TrimSuffix(s.src[start:i], "/"), i
}

// splitName cuts prefix:local; the prefix may be empty.
func splitName(name string) (prefix, local string) {
	if i := strings.IndexByte(name, ':'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return "", name
}
