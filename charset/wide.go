package charset

import (
	"bytes"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Encodings of more than one byte a character, and EBCDIC, by name.
var wides = map[string]encoding.Encoding{
	"utf-16be": unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	"utf-16le": unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	"utf-32be": utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM),
	"utf-32le": utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM),
	"ebcdic":   charmap.CodePage037, // its variants differ in characters that feeds do not need
}

// Wide returns the encoding of a document that has more than one byte a character, or is in EBCDIC, as its first bytes
// show, and the length of its byte order mark; nil for any other. Where a mark and the zero bytes behind it say
// different things, the mark is wrong.
func Wide(doc []byte) (enc encoding.Encoding, mark int) {
	for _, m := range []struct{ bytes, name string }{
		{"\xef\xbb\xbf", ""}, {"\x00\x00\xfe\xff", "utf-32be"}, {"\xff\xfe\x00\x00", "utf-32le"},
		{"\xfe\xff", "utf-16be"}, {"\xff\xfe", "utf-16le"},
	} {
		if bytes.HasPrefix(doc, []byte(m.bytes)) {
			enc, mark = wides[m.name], len(m.bytes)
			break
		}
	}
	if unmarked := byZeros(doc[mark:]); unmarked != nil {
		return unmarked, mark
	}
	if IsEBCDIC(doc) {
		return wides["ebcdic"], 0
	}
	return enc, mark
}

// IsEBCDIC recognises EBCDIC by its "<?xm".
func IsEBCDIC(doc []byte) bool { return bytes.HasPrefix(doc, []byte{0x4c, 0x6f, 0xa7, 0x94}) }

// byZeros goes by where the zeros of the first two characters are, which are ASCII in XML, HTML and JSON, and else by
// where nearly all zeros of the first characters are.
func byZeros(doc []byte) encoding.Encoding {
	if len(doc) < 4 {
		return nil
	}
	var zeros [4]bool
	for i := range zeros {
		zeros[i] = doc[i] == 0
	}
	switch zeros {
	case [4]bool{true, true, true, false}:
		return wides["utf-32be"]
	case [4]bool{false, true, true, true}:
		return wides["utf-32le"]
	case [4]bool{true, false, true, false}:
		return wides["utf-16be"]
	case [4]bool{false, true, false, true}:
		return wides["utf-16le"]
	}
	return byMostZeros(doc[:min(len(doc), 1024)&^1])
}

func byMostZeros(head []byte) encoding.Encoding {
	var zeros [2]int
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	switch most := len(head) / 2; {
	case len(head) < 8:
	case zeros[1] > most*7/10 && zeros[0] < most/10:
		return wides["utf-16le"]
	case zeros[0] > most*7/10 && zeros[1] < most/10:
		return wides["utf-16be"]
	}
	return nil
}
