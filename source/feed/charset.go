package feed

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// decode turns a document into valid UTF-8 without illegal characters, and tells
// what it repaired. What the bytes show counts most: a byte order mark, the zero
// bytes of UTF-16 and UTF-32, and UTF-8 that is valid. Then counts the Content-Type
// (RFC 7303, section 3), then what the document declares. Bytes that fit nowhere
// are taken for windows-1252, as which they were nearly always meant.
func decode(doc []byte, contentType string) (text string, notes []string) {
	enc, bom := marked(doc)
	doc = doc[bom:]
	if enc == nil {
		enc = unmarked(doc)
	}
	if enc == nil {
		var name string
		enc, name = declared(doc, contentType)
		if enc == nil && name != "" && !isUTF8Name(name) {
			notes = append(notes, "declares an unknown character set")
		}
	}
	if enc != nil {
		if out, err := enc.NewDecoder().Bytes(doc); err == nil {
			doc = out
		} else {
			notes = append(notes, "is not in the character set that it declares")
		}
	}
	if isClean(doc) {
		return string(doc), notes
	}
	text, invalid, illegal := clean(doc)
	if invalid {
		notes = append(notes, "repaired characters that are not valid in its character set")
	}
	if illegal {
		notes = append(notes, "left out control characters")
	}
	return text, notes
}

// marked returns the encoding that a byte order mark tells, and the mark's length;
// UTF-8 needs none.
func marked(doc []byte) (encoding.Encoding, int) {
	switch {
	case bytes.HasPrefix(doc, []byte{0xef, 0xbb, 0xbf}):
		return encoding.Nop, 3
	case bytes.HasPrefix(doc, []byte{0, 0, 0xfe, 0xff}):
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), 4
	case bytes.HasPrefix(doc, []byte{0xff, 0xfe, 0, 0}):
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), 4
	case bytes.HasPrefix(doc, []byte{0xfe, 0xff}):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), 2
	case bytes.HasPrefix(doc, []byte{0xff, 0xfe}):
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), 2
	}
	return nil, 0
}

// unmarked tells the encodings of more than one byte a character by where the zeros
// of the first two characters are, which are ASCII in XML, HTML and JSON, and EBCDIC
// by its "<?xm".
func unmarked(doc []byte) encoding.Encoding {
	if len(doc) < 4 {
		return nil
	}
	var zeros [4]bool
	for i := range zeros {
		zeros[i] = doc[i] == 0
	}
	switch zeros {
	case [4]bool{true, true, true, false}:
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	case [4]bool{false, true, true, true}:
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	case [4]bool{true, false, true, false}:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case [4]bool{false, true, false, true}:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	}
	if isEBCDIC(doc) {
		return charmap.CodePage037 // its variants differ in characters that feeds do not need
	}
	return nil
}

// isEBCDIC tells EBCDIC by its "<?xm".
func isEBCDIC(doc []byte) bool { return bytes.HasPrefix(doc, []byte{0x4c, 0x6f, 0xa7, 0x94}) }

// declared returns the encoding to be used for what Content-Type and document
// declare, nil for UTF-8, and the name that decided.
func declared(doc []byte, contentType string) (encoding.Encoding, string) {
	name := ""
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		name = params["charset"]
	}
	inside := xmlEncoding(doc)
	enc, single := lookup(name)
	if enc == nil && !isUTF8Name(name) {
		if name = inside; name != "" {
			enc, single = lookup(name)
		}
	}
	if enc == nil {
		return nil, name
	}
	if isSevenBit(doc) && !bytes.ContainsAny(doc, "\x1b~") {
		return nil, name // the same in every encoding that can be meant
	}
	if single && utf8.Valid(doc) {
		// By chance this does not happen: several bytes over 127 would have to
		// stand in just the right order.
		return nil, name
	}
	return enc, name
}

func isSevenBit(doc []byte) bool {
	for _, c := range doc {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isUTF8Name(name string) bool {
	return strings.EqualFold(name, "utf-8") || strings.EqualFold(name, "utf8")
}

// lookup finds an encoding by its name, nil for UTF-8, for unknown ones, and for
// UTF-16 and UTF-32, which the bytes would have shown. single reports whether each of its
// characters is one byte.
func lookup(name string) (enc encoding.Encoding, single bool) {
	name = strings.Trim(strings.TrimSpace(name), `"'`)
	if name == "" || len(name) > 64 || isUTF8Name(name) {
		return nil, false
	}
	enc, label := charset.Lookup(name)
	if enc == nil {
		enc, _ = ianaindex.IANA.Encoding(name)
		label = strings.ToLower(name)
	}
	switch {
	case enc == nil, label == "utf-8", label == "replacement", strings.HasPrefix(label, "utf-16"), strings.HasPrefix(label, "utf-32"):
		return nil, false
	}
	for _, prefix := range []string{"windows-", "iso-8859-", "koi8-", "macintosh", "x-mac-", "ibm", "cp"} {
		single = single || strings.HasPrefix(label, prefix)
	}
	return enc, single
}

// xmlEncoding returns the encoding named by the XML declaration.
func xmlEncoding(doc []byte) string {
	head := doc[:min(len(doc), 1024)]
	start := bytes.Index(head, []byte("<?xml"))
	if start < 0 {
		return ""
	}
	head = head[start:]
	end := bytes.IndexByte(head, '>')
	if end < 0 {
		return ""
	}
	_, rest, ok := strings.Cut(string(head[:end]), "encoding")
	if !ok {
		return ""
	}
	rest = strings.TrimLeft(rest, " \t\r\n=")
	if rest == "" || rest[0] != '"' && rest[0] != '\'' {
		return ""
	}
	name, _, _ := strings.Cut(rest[1:], rest[:1])
	return name
}

// isClean reports whether doc is UTF-8 in which clean finds nothing to do.
func isClean(doc []byte) bool {
	for i, c := range doc {
		switch {
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
	return utf8.Valid(doc)
}

// clean makes valid UTF-8 without illegal characters. Overlong forms and surrogates,
// which are attacks or mistakes and never text, become U+FFFD.
func clean(doc []byte) (text string, invalid, illegal bool) {
	out := make([]byte, 0, len(doc)+len(doc)/8)
	for i := 0; i < len(doc); {
		c := doc[i]
		if ' ' <= c && c < 0x7f || c == '\n' || c == '\t' || c == '\r' {
			out = append(out, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(doc[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			invalid = true
			if n := malformed(doc[i:]); n > 0 {
				r, size = utf8.RuneError, n
			} else {
				r = charmap.Windows1252.DecodeByte(c)
			}
		case 0x80 <= r && r < 0xa0:
			// windows-1252 that was taken for ISO 8859-1 and encoded as UTF-8
			r = charmap.Windows1252.DecodeByte(byte(r))
		}
		if isIllegal(r) || r == '\ufeff' {
			illegal = true
		} else {
			out = utf8.AppendRune(out, r)
		}
		i += size
	}
	return string(out), invalid, illegal
}

// malformed returns the length of an overlong form or a surrogate at the start of b.
func malformed(b []byte) int {
	follow := 0
	switch {
	case b[0] == 0xc0 || b[0] == 0xc1:
		follow = 1
	case b[0] == 0xe0 && len(b) > 1 && b[1] < 0xa0, b[0] == 0xed && len(b) > 1 && b[1] >= 0xa0:
		follow = 2
	case b[0] == 0xf0 && len(b) > 1 && b[1] < 0x90:
		follow = 3
	default:
		return 0
	}
	if len(b) <= follow {
		return 0
	}
	for _, c := range b[1 : follow+1] {
		if c < 0x80 || c > 0xbf {
			return 0
		}
	}
	return follow + 1
}
