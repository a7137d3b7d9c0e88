package news

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// node is an XML element, or a run of text, whose name is "".
type node struct {
	name         string // without prefix
	attrs        []xml.Attr
	text         string
	kids         []*node
	line, column int
}

// newDecoder returns a decoder that knows the character references of HTML, which NITF documents use, and expands
// nothing that a document declares.
func newDecoder(text string) *xml.Decoder {
	dec := xml.NewDecoder(strings.NewReader(text))
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // the text is decoded already
	return dec
}

// crowded returns where a tag begins that has more attributes than most; -1: none does. The decoder reads a tag whole,
// with about 100 bytes of memory for each attribute.
func crowded(text string, most int) int {
	for at := 0; ; {
		next := strings.IndexByte(text[at:], '<')
		if next < 0 {
			return -1
		}
		at += next
		switch rest := text[at:]; {
		case strings.HasPrefix(rest, "<!--"):
			at += through(rest, "-->")
		case strings.HasPrefix(rest, "<![CDATA["):
			at += through(rest, "]]>")
		case strings.HasPrefix(rest, "<?"):
			at += through(rest, "?>")
		default:
			length, attributes := tag(rest, most)
			if attributes > most {
				return at
			}
			at += length
		}
	}
}

// through returns where text goes on behind the first end in it.
func through(text, end string) int {
	if at := strings.Index(text, end); at >= 0 {
		return at + len(end)
	}
	return len(text)
}

// tag returns how long the tag is that text begins with, and how many attributes it has: of more than most, one more.
func tag(text string, most int) (length, attributes int) {
	for at := 1; at < len(text); at++ {
		switch c := text[at]; c {
		case '>':
			return at + 1, attributes
		case '=':
			if attributes++; attributes > most {
				return at, attributes
			}
		case '"', '\'':
			at += through(text[at+1:], string(c))
		}
	}
	return len(text), attributes
}

// tree reads a whole document. Depth and nodes are bounded.
func tree(text string, cfg Config) (*node, error) {
	if at := crowded(text, cfg.MaxNodes); at >= 0 {
		before := text[:at]
		return nil, &SyntaxError{
			Line: 1 + strings.Count(before, "\n"), Column: at - strings.LastIndexByte(before, '\n'),
			Problem: fmt.Sprintf("has more than %d elements, attributes and texts", cfg.MaxNodes), Err: ErrLimit,
		}
	}
	dec := newDecoder(text)
	var root *node
	var open []*node
	format, nodes := Unknown, 0
	fail := func(kind error, problem string, args ...any) error {
		line, column := dec.InputPos()
		path := ""
		if len(open) > 0 {
			path = open[len(open)-1].name
		}
		return &SyntaxError{Format: format, Line: line, Column: column, Path: path,
			Problem: fmt.Sprintf(problem, args...), Err: kind}
	}
	for {
		line, column := dec.InputPos()
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fail(ErrMalformed, "%s", xmlProblem(err))
		}
		n := &node{line: line, column: column}
		switch t := tok.(type) {
		case xml.StartElement:
			if root != nil && len(open) == 0 {
				return nil, fail(ErrMalformed, "has a second root element, %s", t.Name.Local)
			}
			n.name, n.attrs = t.Name.Local, t.Copy().Attr
			nodes += len(n.attrs)
			if root == nil {
				root, format = n, formatOf(n.name)
			}
			if len(open) >= cfg.MaxDepth {
				return nil, fail(ErrLimit, "is nested deeper than %d elements", cfg.MaxDepth)
			}
		case xml.EndElement:
			open = open[:len(open)-1]
			continue
		case xml.CharData:
			if len(open) == 0 {
				if strings.TrimSpace(string(t)) != "" {
					return nil, fail(ErrMalformed, "has text outside of its root element")
				}
				continue
			}
			n.text = string(t)
		default:
			continue
		}
		if nodes++; nodes > cfg.MaxNodes {
			return nil, fail(ErrLimit, "has more than %d elements, attributes and texts", cfg.MaxNodes)
		}
		if len(open) > 0 {
			parent := open[len(open)-1]
			parent.kids = append(parent.kids, n)
		}
		if n.name != "" {
			open = append(open, n)
		}
	}
	if root == nil {
		return nil, fail(ErrMalformed, "has no root element")
	}
	return root, nil
}

// xmlProblem words the decoder's errors as a predicate.
func xmlProblem(err error) string {
	var syntax *xml.SyntaxError
	if !errors.As(err, &syntax) {
		return "is not well-formed: " + err.Error()
	}
	if entity, ok := strings.CutPrefix(syntax.Msg, "invalid character entity "); ok {
		return "uses the entity " + entity +
			", which XML and HTML do not know; entities that a document declares are not expanded"
	}
	if syntax.Msg == "unexpected EOF" {
		return "breaks off: the document ends before its elements do"
	}
	return "is not well-formed: " + syntax.Msg
}

// attr returns an attribute without a namespace, trimmed; "" of no node.
func (n *node) attr(name string) string {
	if n == nil {
		return ""
	}
	for _, a := range n.attrs {
		if a.Name.Local == name && a.Name.Space == "" {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// lang returns xml:lang.
func (n *node) lang() string {
	for _, a := range n.attrs {
		if a.Name.Local == "lang" && a.Name.Space != "" {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// child returns the first element at a path of names below n, nil if there is none.
func (n *node) child(path ...string) *node {
	for _, name := range path {
		if n == nil {
			return nil
		}
		var found *node
		for _, k := range n.kids {
			if k.name == name {
				found = k
				break
			}
		}
		n = found
	}
	return n
}

// all returns the children of the given names, in the order of the document.
func (n *node) all(names ...string) (out []*node) {
	if n == nil {
		return nil
	}
	for _, k := range n.kids {
		for _, name := range names {
			if k.name == name {
				out = append(out, k)
			}
		}
	}
	return out
}

// inner returns the text of n and all below it, "" of no node.
func (n *node) inner() string {
	var b strings.Builder
	n.addText(&b)
	return b.String()
}

func (n *node) addText(b *strings.Builder) {
	if n == nil {
		return
	}
	b.WriteString(n.text)
	for _, k := range n.kids {
		k.addText(b)
	}
}

// fails returns an error about n.
func (n *node) fails(format Format, kind error, problem string, args ...any) error {
	return &SyntaxError{Format: format, Line: n.line, Column: n.column, Path: n.name,
		Problem: fmt.Sprintf(problem, args...), Err: kind}
}
