package feed

import (
	"bytes"
	"encoding/binary"
	"strings"

	"tidings"
	"tidings/charset"
)

// layout is how the ASCII characters of a document lie in its bytes.
type layout struct {
	skip  int // the byte order mark
	width int // bytes of a character: 1, 2 or 4
	order binary.ByteOrder
}

// layoutOf returns how a document's ASCII characters lie. An encoding in which a byte of markup can be a part of
// something else is tidings.ErrInvalid.
func layoutOf(doc []byte) (layout, error) {
	for _, l := range []struct {
		mark string
		layout
	}{
		{"\xef\xbb\xbf", layout{3, 1, nil}},
		{"\x00\x00\xfe\xff", layout{4, 4, binary.BigEndian}},
		{"\xff\xfe\x00\x00", layout{4, 4, binary.LittleEndian}},
		{"\xfe\xff", layout{2, 2, binary.BigEndian}},
		{"\xff\xfe", layout{2, 2, binary.LittleEndian}},
		// Without a mark, by the zeros of the first characters (see charset.Wide).
		{"\x00\x00\x00<", layout{0, 4, binary.BigEndian}},
		{"<\x00\x00\x00", layout{0, 4, binary.LittleEndian}},
		{"\x00\x00\x00{", layout{0, 4, binary.BigEndian}},
		{"{\x00\x00\x00", layout{0, 4, binary.LittleEndian}},
		{"\x00<\x00", layout{0, 2, binary.BigEndian}},
		{"<\x00", layout{0, 2, binary.LittleEndian}},
		{"\x00{\x00", layout{0, 2, binary.BigEndian}},
		{"{\x00", layout{0, 2, binary.LittleEndian}},
	} {
		if bytes.HasPrefix(doc, []byte(l.mark)) {
			return l.layout, nil
		}
	}
	if charset.IsEBCDIC(doc) {
		return layout{}, tidings.Invalidf("an announcement cannot be written into EBCDIC")
	}
	if name := strings.ToLower(charset.InXML(doc)); strings.HasPrefix(name, "iso-2022") ||
		strings.HasPrefix(name, "hz-") {
		return layout{}, tidings.Invalidf("an announcement cannot be written into the character set %q", name)
	}
	return layout{0, 1, nil}, nil
}

// at returns where in the document the i-th character of text is.
func (l layout) at(i int) int { return l.skip + i*l.width }

// text returns the document with one byte a character, as far as it is ASCII; the rest stands for
// itself, or for no character of markup.
func (l layout) text(doc []byte) string {
	doc = doc[l.skip:]
	if l.width == 1 {
		return string(doc)
	}
	out := make([]byte, len(doc)/l.width)
	for i := range out {
		out[i] = 0xff
		if c := l.unit(doc[i*l.width:]); c < 0x80 {
			out[i] = byte(c)
		}
	}
	return string(out)
}

func (l layout) unit(b []byte) uint32 {
	if l.width == 4 {
		return l.order.Uint32(b)
	}
	return uint32(l.order.Uint16(b))
}

func (l layout) bytes(text string) []byte {
	if l.width == 1 {
		return []byte(text)
	}
	out := make([]byte, len(text)*l.width)
	for i := range len(text) {
		if l.width == 4 {
			l.order.PutUint32(out[i*4:], uint32(text[i]))
		} else {
			l.order.PutUint16(out[i*2:], uint16(text[i]))
		}
	}
	return out
}
