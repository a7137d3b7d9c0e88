package opml

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tidings/charset"
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

// decodeText turns a document in any character set into text that encoding/xml reads to its end. The text is UTF-8 of
// XML characters only. It has no XML declaration, because encoding/xml would insist on the version and encoding there.
// The notes say what was guessed or repaired. Lines stay where they were.
func decodeText(raw []byte) (text []byte, notes []string) {
	decoded := charset.Decode(raw, charset.InXML(raw))
	text = bytes.Map(func(r rune) rune {
		if isXMLChar(r) {
			return r
		}
		return -1
	}, decoded.UTF8)
	text = dropReferences(text)
	blankDeclaration(text)
	return text, decoded.Notes
}

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

// numericReference returns the length of the numeric character reference at the beginning of text, which begins with
// "&#"; 0 if there is none.
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
// have dozens.
const maxAttributes = 1000

// blankAttributes overwrites with blanks the attributes of a tag behind maxAttributes, up to where the tag ends or
// another begins.
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
