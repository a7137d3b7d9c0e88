// Package charset turns documents in whatever encoding into UTF-8.
//
// The bytes decide, and what is declared is a hint: servers declare one encoding for everything that they serve, and
// programs that once wrote ISO 8859-1 write UTF-8 and say nothing of it. From the strongest evidence to the weakest:
//
//  1. A byte order mark, the zero bytes of UTF-16 and UTF-32, the first characters of EBCDIC, the escapes of
//     ISO-2022-JP.
//  2. UTF-8 that is valid, or has at least as many characters as bad bytes. Chance makes no such thing of other text
//     unless there is little of it; then that reading counts which looks less odd (see oddness).
//  3. What is declared, from without (Content-Type; RFC 7303, section 3), then from within.
//  4. A guess among the encodings that are most often left undeclared. A note says so.
//
// The runs between the marks of markup are read one by one, since documents that are made of several have parts in
// several encodings. So a bad byte costs one character, and neither its run nor the document.
//
// Decode promises valid UTF-8, in time and memory linear in the document.
package charset

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// What a reader should know of a document, in plain words.
const (
	NoteUnknown  = "declares an unknown character set"
	NoteLie      = "is not in the character set that it declares"
	NoteGuess    = "its character set is a guess"
	NoteMixed    = "has parts in different character sets"
	NoteRepaired = "repaired characters that are not valid in its character set"
)

// Text is a document that has been decoded.
type Text struct {
	UTF8  []byte   // valid; it may share memory with the document
	Name  string   // of the encoding that most of the document is in, in lower case
	Notes []string // Note…, each at most once
}

// Decode decodes a document. names are those of the encodings that it is declared to be in, the more trusted first;
// empty ones count for nothing.
func Decode(doc []byte, names ...string) Text {
	t := Text{Name: utf8Name}
	wide, mark := Wide(doc)
	doc = doc[mark:]
	if mark > 0 {
		names = nil
	}
	l := lookUp(names)
	switch {
	case wide != nil:
		t.decode(doc, wide)
	case isSevenBit(doc):
		t.sevenBit(doc, l)
	default:
		t.eightBit(doc, l)
	}
	return t
}

func isSevenBit(doc []byte) bool {
	for ; len(doc) >= 8; doc = doc[8:] {
		if binary.LittleEndian.Uint64(doc)&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, c := range doc {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (t *Text) note(text string) {
	if !slices.Contains(t.Notes, text) {
		t.Notes = append(t.Notes, text)
	}
}

// decode decodes a document as a whole.
func (t *Text) decode(doc []byte, enc encoding.Encoding) {
	t.Name = nameOf(enc)
	t.UTF8 = t.appendAs(nil, doc, enc)
}

// appendAs appends b, which is in an encoding, to UTF-8.
func (t *Text) appendAs(out, b []byte, enc encoding.Encoding) []byte {
	text := inUTF8(b, enc)
	if bytes.Contains(text, replacement) {
		t.note(NoteRepaired)
	}
	return append(out, text...)
}

var replacement = []byte("\ufffd")

// inUTF8 decodes bytes. Those that the encoding does not have become U+FFFD.
func inUTF8(b []byte, enc encoding.Encoding) []byte {
	out, err := enc.NewDecoder().Bytes(b)
	if err != nil { // decoders replace what they cannot read; this is one that could not go on
		out = b
	}
	return bytes.ToValidUTF8(out, replacement)
}

// sevenBit decodes a document of ASCII alone. It is the same in all encodings but those that have escapes.
func (t *Text) sevenBit(doc []byte, l labels) {
	declares := func(enc encoding.Encoding) bool { return slices.Contains(l.known, enc) }
	escapes := bytes.Contains(doc, []byte("\x1b$B")) || bytes.Contains(doc, []byte("\x1b$@"))
	switch {
	case escapes, declares(japanese.ISO2022JP) && bytes.IndexByte(doc, 0x1b) >= 0:
		t.decode(doc, japanese.ISO2022JP)
	case declares(simplifiedchinese.HZGB2312) && bytes.Contains(doc, []byte("~{")):
		t.decode(doc, simplifiedchinese.HZGB2312)
	default:
		t.UTF8 = doc
		t.judge(l, l.wide)
	}
}

// eightBit decodes a document that has bytes beyond ASCII.
func (t *Text) eightBit(doc []byte, l labels) {
	if !l.wide && len(l.known) == 0 && utf8.Valid(doc) { // as nearly all documents are
		t.UTF8 = doc
		t.judge(l, false)
		return
	}
	all, declared := tallyOf(doc), l.eightBit()
	if isUTF8(doc, all, declared) {
		t.judge(l, l.wide || len(l.known) > 0)
		if t.UTF8 = doc; all.bad+all.forged > 0 {
			t.utf8Runs(doc, declared)
		}
		return
	}
	enc := legacy(doc, declared)
	t.Name = nameOf(enc)
	t.judge(l, len(l.known) > 0 && enc != l.known[0] || len(declared) == 0 && (l.utf8 || l.wide))
	if !slices.Contains(declared, enc) {
		t.note(NoteGuess)
	}
	t.otherRuns(doc, enc, all)
}

// judge notes what is wrong with what is declared: that it is unknown, or false.
func (t *Text) judge(l labels, isFalse bool) {
	if l.unknown && !l.utf8 && !l.wide && len(l.known) == 0 {
		t.note(NoteUnknown)
	} else if isFalse {
		t.note(NoteLie)
	}
}
