package stream

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"io"
	"strings"
)

// Namespaces of streams.
const (
	nsStream    = "http://etherx.jabber.org/streams"
	nsClient    = "jabber:client"
	nsComponent = "jabber:component:accept"
	nsStreams   = "urn:ietf:params:xml:ns:xmpp-streams"
	nsTLS       = "urn:ietf:params:xml:ns:xmpp-tls"
	nsSASL      = "urn:ietf:params:xml:ns:xmpp-sasl"
	nsBind      = "urn:ietf:params:xml:ns:xmpp-bind"
	nsSM        = "urn:xmpp:sm:3"
	nsPing      = "urn:xmpp:ping"
	nsReceipts  = "urn:xmpp:receipts"
	nsCB        = "urn:xmpp:sasl-cb:0"

	// Stanzas is the namespace of the conditions of errors (RFC 6120, section 8.3).
	Stanzas = "urn:ietf:params:xml:ns:xmpp-stanzas"
)

// Element is an element of XML: a stanza, or a part of one. Its namespace is "" if it is that of the stream's content.
// So stanzas of accounts and components are the same.
type Element struct {
	Space, Local string
	Attributes   map[string]string // without a namespace; xml:lang and others that have one are left out
	Children     []*Element
	Text         string // all text between the children
	Large        bool   // it was larger than MaxStanza, and has lost Children and Text
}

// New returns an element with attributes, given by name and value in turn. Attributes with the value "" are left out.
func New(space, local string, attributes ...string) *Element {
	e := &Element{Space: space, Local: local}
	for i := 0; i+1 < len(attributes); i += 2 {
		if attributes[i+1] == "" {
			continue
		}
		if e.Attributes == nil {
			e.Attributes = make(map[string]string)
		}
		e.Attributes[attributes[i]] = attributes[i+1]
	}
	return e
}

// With adds children, but for nil ones, and returns the element.
func (e *Element) With(children ...*Element) *Element {
	for _, c := range children {
		if c != nil {
			e.Children = append(e.Children, c)
		}
	}
	return e
}

// Says sets the text, and returns the element.
func (e *Element) Says(text string) *Element {
	e.Text = text
	return e
}

// Get returns an attribute; "" if there is none.
func (e *Element) Get(name string) string { return e.Attributes[name] }

// Child returns the first child of a name; nil if there is none. An empty local name matches all.
func (e *Element) Child(space, local string) *Element {
	for _, c := range e.Children {
		if c.Space == space && (c.Local == local || local == "") {
			return c
		}
	}
	return nil
}

// Parse reads one element of a stream of accounts, within the bounds of streams.
func Parse(text []byte) (*Element, error) {
	r := newReader(nil,
		bufio.NewReader(io.MultiReader(strings.NewReader("<stream:stream xmlns='"+nsClient+"' xmlns:stream='"+nsStream+
			"'>"), bytes.NewReader(text))), nsClient)
	if _, err := r.open(); err != nil {
		return nil, err
	}
	return r.next()
}

// String returns the element as XML in a stream of accounts.
func (e *Element) String() string { return string(e.encode(nsClient)) }

// encode returns the element as XML. content is the namespace of the stream's content.
func (e *Element) encode(content string) []byte {
	var b bytes.Buffer
	e.write(&b, content, content)
	return b.Bytes()
}

func (e *Element) write(b *bytes.Buffer, content, inherited string) {
	space := e.Space
	if space == "" {
		space = content
	}
	b.WriteByte('<')
	b.WriteString(e.Local)
	if space != inherited {
		writeAttribute(b, "xmlns", space)
	}
	for _, name := range sortedKeys(e.Attributes) {
		writeAttribute(b, name, e.Attributes[name])
	}
	text := clean(e.Text)
	if len(e.Children) == 0 && text == "" {
		b.WriteString("/>")
		return
	}
	b.WriteByte('>')
	escape(b, text)
	for _, c := range e.Children {
		c.write(b, content, space)
	}
	b.WriteString("</")
	b.WriteString(e.Local)
	b.WriteByte('>')
}

func writeAttribute(b *bytes.Buffer, name, value string) {
	b.WriteByte(' ')
	b.WriteString(name)
	b.WriteString("='")
	escape(b, clean(value))
	b.WriteByte('\'')
}

// clean returns text without the characters that XML cannot have.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

func escape(b *bytes.Buffer, text string) {
	_ = xml.EscapeText(b, []byte(text)) // a buffer accepts all
}
