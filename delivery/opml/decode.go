package opml

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// readAll reads at most limit bytes.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading OPML: %w", err)
	}
	if int64(len(raw)) > limit {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	}
	return raw, nil
}

// decodeText turns a document in whatever character set into text that encoding/xml
// reads to its end: UTF-8 of XML characters only, without an XML declaration (whose
// version and encoding it would insist on). The note is empty, or tells of a guess.
// Lines stay where they were.
func decodeText(raw []byte) (text []byte, note string) {
	enc, note := encodingOf(raw)
	text = raw
	if enc != nil {
		decoded, err := enc.NewDecoder().Bytes(raw)
		if err != nil {
			note = fmt.Sprintf("its characters could not be decoded (%v)", err)
		} else {
			text = decoded
		}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		// Nearly always Latin 1 or its Windows kin under a wrong declaration.
		text, _ = charmap.Windows1252.NewDecoder().Bytes(text)
		note = "it is not in the character set that it declares; read as windows-1252"
	}
	text = bytes.Map(func(r rune) rune {
		if isXMLChar(r) {
			return r
		}
		return -1
	}, text)
	text = dropReferences(text)
	blankDeclaration(text)
	return text, note
}

// encodingOf tells the encoding of a document by its first bytes, else by its
// declaration. nil is UTF-8.
func encodingOf(raw []byte) (enc encoding.Encoding, note string) {
	utf16 := func(e unicode.Endianness) encoding.Encoding { return unicode.UTF16(e, unicode.UseBOM) }
	switch {
	case bytes.HasPrefix(raw, []byte{0xFE, 0xFF}), bytes.HasPrefix(raw, []byte{0, '<'}):
		return utf16(unicode.BigEndian), ""
	case bytes.HasPrefix(raw, []byte{0xFF, 0xFE}), bytes.HasPrefix(raw, []byte{'<', 0}):
		return utf16(unicode.LittleEndian), ""
	case bytes.HasPrefix(raw, []byte("\xEF\xBB\xBF")):
		return nil, ""
	}
	found := declaredEncoding.FindSubmatch(raw[:min(len(raw), 1024)])
	if found == nil {
		return nil, ""
	}
	label := strings.ToLower(string(found[1]))
	if strings.HasPrefix(label, "utf-16") || strings.HasPrefix(label, "utf-8") {
		return nil, "" // that the declaration could be read proves that it is not UTF-16
	}
	if utf8.Valid(raw) && bytes.ContainsFunc(raw, func(r rune) bool { return r >= utf8.RuneSelf }) && !strings.HasPrefix(label, "iso-2022") {
		return nil, fmt.Sprintf("it declares %s but is UTF-8", label) // chance makes no valid UTF-8 of other text
	}
	if enc, _ = charset.Lookup(label); enc == nil {
		return nil, fmt.Sprintf("its character set %q is not known", cleanText(label))
	}
	return enc, ""
}

var declaredEncoding = regexp.MustCompile(`^\s*<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`)

// dropReferences drops what dropForbidden does not keep. Its result may share memory with text.
func dropReferences(text []byte) []byte {
	kept := text[:0]
	for {
		at := bytes.Index(text, []byte("&#"))
		if at < 0 {
			return append(kept, text...)
		}
		kept = append(kept, text[:at]...)
		text = text[at:]
		n := numericReference(text)
		if n == 0 {
			n = len("&#")
			kept = append(kept, text[:n]...)
		} else {
			kept = append(kept, dropForbidden(text[:n])...)
		}
		text = text[n:]
	}
}

// numericReference returns the length of the numeric character reference that text, which begins with "&#", begins
// with; 0 if it is none.
func numericReference(text []byte) int {
	digits, from := "0123456789", len("&#")
	if len(text) > from && (text[from] == 'x' || text[from] == 'X') {
		digits, from = "0123456789abcdefABCDEF", from+1
	}
	at := from
	for at < len(text) && strings.IndexByte(digits, text[at]) >= 0 {
		at++
	}
	if at == from || at == len(text) || text[at] != ';' {
		return 0
	}
	return at + 1
}

// dropForbidden keeps a character reference only if it names a character that XML
// can hold: encoding/xml ends a document at any other, strict or not.
func dropForbidden(ref []byte) []byte {
	digits, base := string(ref[2:len(ref)-1]), 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 31)
	if err != nil || !isXMLChar(rune(n)) {
		return nil
	}
	return ref
}

// blankDeclaration overwrites the XML declaration with blanks.
func blankDeclaration(text []byte) {
	start := len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
	if !bytes.HasPrefix(text[start:], []byte("<?xml ")) {
		return
	}
	end := bytes.Index(text[start:], []byte("?>"))
	if end < 0 {
		return
	}
	for i := start; i < start+end+2; i++ {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
}

// maxAttributes bounds the signs of equality in a tag, as many as it has attributes at least. Tags of real documents
// have some dozen.
const maxAttributes = 1000

// blankAttributes overwrites the attributes with blanks with which a tag goes on behind maxAttributes, up to where it
// ends or another begins.
func blankAttributes(text []byte) {
	signs, whole := 0, 0 // whole is behind the latest quotation mark: attributes are whole before it
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '<', '>':
			signs = 0
		case '"', '\'':
			whole = i + 1
		case '=':
			if signs++; signs <= maxAttributes {
				continue
			}
			end := bytes.IndexAny(text[i:], "<>")
			if end < 0 {
				end = len(text) - i
			}
			for j := max(whole, i-maxURL); j < i+end; j++ {
				if c := text[j]; c != '\n' && !(c == '/' && j+1 < len(text) && text[j+1] == '>') {
					text[j] = ' '
				}
			}
			i += end - 1
		}
	}
}
