package feed

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tidings"
)

// Place says where in a document its announcement stands, or belongs. Places are in bytes of the document
// as it is, whatever its encoding.
type Place struct {
	Format Format
	// At is where a new announcement belongs: behind the start tag of the channel or feed, or behind
	// JSON Feed's version.
	At int
	// Lead is the blank characters that stand before what follows, and make a new announcement look like its
	// neighbours.
	Lead string
	// Own is what announcements there are, each from its first byte to the one behind its last: the
	// elements, or the value in JSON.
	Own [][2]int
	// Prefix is the one under which [AnnouncementSpace] is declared where the announcement belongs; "": it is
	// not declared.
	Prefix string

	layout layout
	lacks  string // why nothing can be written there; "": it can
}

// Bytes returns ASCII text as it stands in the document.
func (p *Place) Bytes(text string) []byte { return p.layout.bytes(text) }

// PlaceOf finds the place of a feed's announcement. It fails with ErrNotFeed, ErrLimit, or tidings.ErrInvalid
// for feeds that have no such place.
func PlaceOf(doc []byte, cfg Config) (*Place, error) {
	if len(doc) > cfg.MaxBytes {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrLimit, cfg.MaxBytes)
	}
	l, err := layoutOf(doc)
	if err != nil {
		return nil, err
	}
	text := l.text(doc)
	p := &Place{layout: l}
	var start int
	p.Format, start = sniff(text)
	text = text[start:]
	switch p.Format {
	case RSS, RDF, Atom:
		err = p.inXML(text, cfg)
	case JSONFeed, JSON:
		err = p.inJSON(text, cfg)
	case CDF:
		err = tidings.Invalidf("a channel without its root element has no place for an announcement")
	default:
		err = fmt.Errorf("%w: it looks like %s", ErrNotFeed, p.Format)
	}
	if err != nil {
		return nil, err
	}
	p.At = l.at(start + p.At)
	for i := range p.Own {
		p.Own[i] = [2]int{l.at(start + p.Own[i][0]), l.at(start + p.Own[i][1])}
	}
	return p, nil
}

func (p *Place) inXML(text string, cfg Config) error {
	r := newXMLReader(&Document{Format: p.Format}, text, "", cfg)
	r.places = p
	if err := r.run(); err != nil {
		return err
	}
	switch {
	case p.lacks != "":
		return tidings.Invalidf("%s", p.lacks)
	case p.At == 0:
		return tidings.Invalidf("it has no channel or feed element")
	}
	p.Lead = blanks(text[p.At:])
	return nil
}

// begun notes an element whose start tag was just read, and which is not on the stack yet.
func (p *Place) begun(r *xmlReader, f frame, tok token) {
	if !r.inChannel() {
		return
	}
	switch depth := len(r.stack); {
	case f.el == elChannel && p.At == 0:
		p.At, p.Prefix = tok.end, r.ns.prefix("tidings")
		if tok.empty {
			p.lacks = "its channel or feed element is empty"
		}
	case f.el != elPush || depth == 0 || r.stack[depth-1].el != elChannel:
	case tok.empty:
		p.Own = append(p.Own, [2]int{tok.start, tok.end})
	default:
		p.Own = append(p.Own, [2]int{tok.start, 0})
		p.lacks = "an announcement in it does not end"
	}
}

// ended notes the end tag of the innermost element.
func (p *Place) ended(r *xmlReader, tok token) {
	top := len(r.stack) - 1
	if last := len(p.Own) - 1; last >= 0 && p.Own[last][1] == 0 && r.stack[top].el == elPush &&
		top > 0 && r.stack[top-1].el == elChannel {
		p.Own[last][1], p.lacks = tok.end, ""
	}
}

// prefix returns one under which the known namespace is declared now; "" if there is none.
func (n *namespaces) prefix(known string) string {
	for _, b := range slices.Backward(n.bound) {
		if b.known == known && b.prefix != "" && n.known(b.prefix) == known {
			return b.prefix
		}
	}
	return ""
}

func (p *Place) inJSON(text string, cfg Config) error {
	if err := boundJSON(text, cfg.MaxDepth); err != nil {
		return err
	}
	isFeed := false
	err := eachMember(text, func(name string, lead string, value json.RawMessage, end int) {
		switch name {
		case "version":
			isFeed = isJSONFeed(object{name: value})
			p.At, p.Lead = end, lead
		case AnnouncementField:
			p.Own = append(p.Own, [2]int{end - len(value), end})
		}
	})
	switch {
	case err != nil:
		return fmt.Errorf("%w: JSON that cannot be read: %w", ErrNotFeed, err)
	case !isFeed:
		return fmt.Errorf("%w: JSON, but no JSON Feed", ErrNotFeed)
	case len(p.Own) > 1:
		return tidings.Invalidf("it has the field %s more than once", AnnouncementField)
	}
	return nil
}

// eachMember calls f for every field of the object that text is: with the blanks before its name, its
// value, and where that ends.
func eachMember(text string, f func(name, lead string, value json.RawMessage, end int)) error {
	dec := json.NewDecoder(strings.NewReader(text))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return errors.Join(err, errors.New("no object"))
	}
	for fields := 0; ; fields++ {
		rest := text[dec.InputOffset():] // before More, which passes over blanks
		if !dec.More() {
			break
		}
		if fields >= maxFields {
			return fmt.Errorf("%w: more than %d fields", ErrLimit, maxFields)
		}
		if trimmed, ok := strings.CutPrefix(strings.TrimLeft(rest, blank), ","); ok {
			rest = trimmed
		}
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		name, _ := key.(string)
		f(name, blanks(rest), value, int(dec.InputOffset()))
	}
	_, err := dec.Token()
	return err
}

const blank = " \t\r\n"

// blanks returns what blank characters text starts with.
func blanks(text string) string { return text[:len(text)-len(strings.TrimLeft(text, blank))] }
