package feed

import (
	"encoding/binary"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"tidings/charset"
)

// Decode turns a document into valid UTF-8 without illegal characters, as Parse does, and says in notes what it
// repaired. Package charset finds out how it is encoded.
func Decode(doc []byte, contentType string) (text string, notes []string) {
	decoded := charset.Decode(doc, charset.InHeader(contentType), charset.InXML(doc))
	if isClean(decoded.UTF8) {
		return string(decoded.UTF8), decoded.Notes
	}
	text, illegal := clean(decoded.UTF8)
	if illegal {
		decoded.Notes = append(decoded.Notes, "left out control characters")
	}
	return text, decoded.Notes
}

// isClean reports whether clean finds nothing to do in doc, which is valid UTF-8.
func isClean(doc []byte) bool {
	for i := 0; i < len(doc); i++ {
		for i+8 <= len(doc) && isPrintable(binary.LittleEndian.Uint64(doc[i:])) {
			i += 8
		}
		if i == len(doc) {
			break
		}
		switch c := doc[i]; {
		case c < ' ':
			if c != '\n' && c != '\t' && c != '\r' {
				return false
			}
		case c < 0x7f:
		case c == 0x7f:
			return false
		case c == 0xc2: // U+0080 to U+009F
			if i+1 < len(doc) && doc[i+1] < 0xa0 {
				return false
			}
		case c == 0xef: // U+FDD0 to U+FDEF, U+FFFE, U+FFFF, the mark U+FEFF
			if i+1 < len(doc) && (doc[i+1] == 0xb7 || doc[i+1] == 0xbf || doc[i+1] == 0xbb) {
				if r, _ := utf8.DecodeRune(doc[i:]); isIllegal(r) || r == '\ufeff' {
					return false
				}
			}
		case c >= 0xf0: // noncharacters of the higher planes
			if r, _ := utf8.DecodeRune(doc[i:]); isIllegal(r) {
				return false
			}
		}
	}
	return true
}

// isPrintable reports whether eight bytes are all from a blank to a tilde. A byte below has its highest bit set once a
// blank is subtracted; one above has it, or has it once 1 is added.
func isPrintable(x uint64) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	return (x|(x-' '*ones)|(x+ones))&high == 0
}

// clean leaves out the characters of valid UTF-8 that no text may have, and reports whether there were any.
func clean(doc []byte) (text string, illegal bool) {
	out := make([]byte, 0, len(doc)+len(doc)/8)
	for i := 0; i < len(doc); {
		c := doc[i]
		if ' ' <= c && c < 0x7f || c == '\n' || c == '\t' || c == '\r' {
			out = append(out, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(doc[i:])
		if 0x80 <= r && r < 0xa0 { // windows-1252 that was read as ISO 8859-1 and encoded as UTF-8
			r = charmap.Windows1252.DecodeByte(byte(r))
		}
		if isIllegal(r) || r == '\ufeff' {
			illegal = true
		} else {
			out = utf8.AppendRune(out, r)
		}
		i += size
	}
	return string(out), illegal
}
