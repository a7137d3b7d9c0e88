package stream

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"time"
)

// Bounds on what a server sends.
const (
	MaxStanza   = 64 << 10 // bytes of a stanza that keeps its content
	MaxRead     = 1 << 20  // bytes of a stanza; servers let strangers send a quarter to half of that
	MaxElements = 1000     // of a stanza that keeps its content
	MaxDepth    = 32       // of elements in a stanza that keeps its content
	maxHeader   = 16 << 10 // bytes of a stream's header
	maxValue    = 3072     // bytes of an attribute: the largest address (RFC 7622, section 3.1)
	maxValues   = 64       // attributes of an element
)

// errEnded is what a stream's end says that the server sent without an error.
var errEnded = errors.New("the server ended the stream")

// violation is a breach of what a stream may have, with the condition by which the server learns of it.
type violation struct{ condition, text string }

func (v *violation) Error() string { return v.text }

var (
	errTooLarge   = &violation{"policy-violation", "the server sent a stanza of more than 1 MiB"}
	errRestricted = &violation{"restricted-xml", "the server sent XML that streams must not have"}
)

// reader reads the elements of a stream, one after the other. It reads nothing beyond the end of the one that it
// returns.
type reader struct {
	conn     net.Conn
	from     *bufio.Reader
	left     int // bytes that the element being read may still have
	decoder  *xml.Decoder
	content  string        // namespace of the stream's content
	patience time.Duration // for an element from its first byte on; 0: the connection's deadline holds
}

func newReader(conn net.Conn, from *bufio.Reader, content string) *reader {
	r := &reader{conn: conn, from: from, content: content}
	r.decoder = xml.NewDecoder(r)
	r.decoder.CharsetReader = func(string, io.Reader) (io.Reader, error) { return nil, errRestricted }
	return r
}

// Read is there for what wants an io.Reader. The decoder reads by ReadByte, and so never more than it needs.
func (r *reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := r.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = b
	return 1, nil
}

// ReadByte returns the next byte of the element that is being read.
func (r *reader) ReadByte() (byte, error) {
	if r.left <= 0 {
		return 0, errTooLarge
	}
	r.left--
	return r.from.ReadByte()
}

// open reads the header of the stream, and returns its attributes.
func (r *reader) open() (*Element, error) {
	r.left = maxHeader
	for {
		token, err := r.decoder.Token()
		if err != nil {
			return nil, wellFormed(err)
		}
		switch t := token.(type) {
		case xml.ProcInst:
			if t.Target != "xml" {
				return nil, errRestricted
			}
		case xml.CharData:
			if strings.TrimSpace(string(t)) != "" {
				return nil, errRestricted
			}
		case xml.StartElement:
			if t.Name.Space != nsStream || t.Name.Local != "stream" {
				return nil, &violation{"invalid-namespace", "the server does not speak XMPP there"}
			}
			header, _ := r.element(t)
			return header, nil
		default:
			return nil, errRestricted
		}
	}
}

// next reads the next element below the stream. The error is errEnded at the stream's end.
func (r *reader) next() (*Element, error) {
	if err := r.skipBlanks(); err != nil {
		return nil, err
	}
	if r.patience > 0 {
		if err := r.conn.SetReadDeadline(time.Now().Add(r.patience)); err != nil {
			return nil, err
		}
		defer r.conn.SetReadDeadline(time.Time{})
	}
	r.left = MaxRead
	token, err := r.decoder.Token()
	if err != nil {
		return nil, wellFormed(err)
	}
	switch t := token.(type) {
	case xml.StartElement:
		return r.rest(t)
	case xml.EndElement:
		return nil, errEnded
	}
	return nil, errRestricted
}

// skipBlanks skips the white space by which servers keep connections alive, and waits for what follows.
func (r *reader) skipBlanks() error {
	for {
		b, err := r.from.Peek(1)
		if err != nil {
			return err
		}
		if strings.IndexByte(" \t\r\n", b[0]) < 0 {
			return nil
		}
		if _, err := r.from.Discard(1); err != nil {
			return err
		}
	}
}

// rest reads an element up to its end.
func (r *reader) rest(start xml.StartElement) (*Element, error) {
	root, fits := r.element(start)
	open, depth, elements := []*Element{root}, 1, 1
	texts := []*strings.Builder{{}}
	for depth > 0 {
		token, err := r.decoder.Token()
		if err != nil {
			return nil, wellFormed(err)
		}
		fits = fits && MaxRead-r.left <= MaxStanza
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			elements++
			child, small := r.element(t)
			if fits = fits && small && depth <= MaxDepth && elements <= MaxElements; fits {
				open[len(open)-1].With(child)
				open, texts = append(open, child), append(texts, new(strings.Builder))
			}
		case xml.EndElement:
			depth--
			if fits {
				last := len(open) - 1
				open[last].Text = texts[last].String()
				open, texts = open[:last], texts[:last]
			}
		case xml.CharData:
			if fits {
				texts[len(texts)-1].Write(t)
			}
		default:
			return nil, errRestricted
		}
		if !fits {
			root.Children, root.Text, root.Large = nil, "", true
			open, texts = nil, nil
		}
	}
	return root, nil
}

// element returns an element without its content, and whether all of it was kept.
func (r *reader) element(start xml.StartElement) (e *Element, whole bool) {
	e = &Element{Space: start.Name.Space, Local: start.Name.Local}
	if e.Space == r.content {
		e.Space = ""
	}
	whole = len(start.Attr) <= maxValues && len(e.Local) <= maxValue && len(e.Space) <= maxValue
	for _, a := range start.Attr {
		switch {
		case a.Name.Space != "" || a.Name.Local == "xmlns":
		case len(a.Value) > maxValue || len(a.Name.Local) > maxValue || len(e.Attributes) == maxValues:
			whole = false
		default:
			if e.Attributes == nil {
				e.Attributes = make(map[string]string)
			}
			e.Attributes[a.Name.Local] = a.Value
		}
	}
	return e, whole
}

// wellFormed returns what is wrong with XML as a violation, and other errors as they are.
func wellFormed(err error) error {
	if v, ok := errors.AsType[*violation](err); ok {
		return v
	}
	if e, ok := errors.AsType[*xml.SyntaxError](err); ok && e.Msg != "unexpected EOF" {
		return &violation{"not-well-formed", "the server sent no XML: " + e.Msg}
	}
	if errors.Is(err, io.EOF) || errors.As(err, new(*xml.SyntaxError)) {
		return io.EOF
	}
	if e, ok := errors.AsType[net.Error](err); ok {
		return e
	}
	return fmt.Errorf("reading the stream: %w", err)
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
