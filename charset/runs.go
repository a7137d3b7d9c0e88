package charset

import (
	"bytes"
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// guesses are what text is taken for if nothing says what it is. Among those in which it looks as odd the first counts.
var guesses = []encoding.Encoding{charmap.Windows1252, charmap.Windows1251, charmap.KOI8R}

const (
	// enough is how many characters beyond ASCII make UTF-8 that is none by chance: of text with two bytes a character,
	// one in five or so looks like UTF-8. Of text with one byte a character hardly any does.
	enough, enoughBytewise = 16, 4
	// tieDocument and tieRun are how many bytes must follow the first ones of their characters, in a short document or
	// in a run of one that is in another encoding, so that it is UTF-8 though the other reading looks no odder. With a
	// byte a character fewer will do for a document.
	tieDocument, tieBytewise, tieRun = 2, 1, 4
	// purity is how many times as many characters as bad bytes a run has that is UTF-8 in a document that is not.
	purity = 4
	// maxSample is how many bytes of text decide between encodings.
	maxSample = 16 << 10
)

// tally is how much of a text is UTF-8 beyond ASCII.
type tally struct {
	whole  int // characters
	follow int // bytes of them behind their first ones
	forged int // overlong forms and surrogates, which are mistakes or attacks, and text in no encoding
	bad    int // other bytes, those that are left of one character as one
}

func tallyOf(b []byte) (t tally) {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if r != utf8.RuneError || size > 1 {
			t.whole++
			t.follow += size - 1
		} else if n := forged(b[i:]); n > 0 {
			t.forged++
			size = n
		} else {
			t.bad++
			size = brokenOff(b[i:])
		}
		i += size
	}
	return t
}

// forged returns the length of an overlong form or a surrogate at the start of b, 0 if there is none.
func forged(b []byte) int {
	n := 0
	switch c := b[0]; {
	case c == 0xc0, c == 0xc1:
		n = 2
	case len(b) > 1 && (c == 0xe0 && b[1] < 0xa0 || c == 0xed && b[1] >= 0xa0):
		n = 3
	case len(b) > 1 && c == 0xf0 && b[1] < 0x90:
		n = 4
	}
	if n == 0 || brokenOff(b) < n {
		return 0
	}
	return n
}

// isUTF8 reports whether most of a document is UTF-8, and not in one of the encodings declared.
func isUTF8(doc []byte, all tally, declared []encoding.Encoding) bool {
	switch {
	case all.whole < all.bad:
		return false
	case all.whole >= enough || len(declared) == 0:
		return true
	}
	other, tie := legacy(doc, declared), tieDocument
	if _, bytewise := other.(*charmap.Charmap); bytewise {
		if all.whole >= enoughBytewise {
			return true
		}
		tie = tieBytewise
	}
	return readsAsUTF8(doc, other, tie)
}

// readsAsUTF8 reports whether text looks less odd in UTF-8 than in another encoding. If it looks as odd, at least tie
// bytes must follow the first ones of their characters.
func readsAsUTF8(text []byte, other encoding.Encoding, tie int) bool {
	text = sample(text)
	a, b := oddness(bytes.ToValidUTF8(text, replacement)), oddness(inUTF8(text, other))
	return a < b || a == b && tallyOf(text).follow >= tie
}

// legacy returns the encoding in which text that is not UTF-8 looks the least odd: of those declared; or if there is
// none, or only the one that servers declare of everything, of the usual ones.
func legacy(text []byte, declared []encoding.Encoding) encoding.Encoding {
	among := declared
	if len(among) == 0 || len(among) == 1 && among[0] == charmap.Windows1252 {
		among = guesses
	}
	if len(among) == 1 {
		return among[0]
	}
	text = sample(text)
	return slices.MinFunc(among, func(a, b encoding.Encoding) int {
		return cmp.Compare(oddness(inUTF8(text, a)), oddness(inUTF8(text, b)))
	})
}

// sample returns runs of text that are not of ASCII alone, at most maxSample bytes.
func sample(text []byte) []byte {
	out := make([]byte, 0, min(len(text), maxSample))
	for len(text) > 0 && len(out) < maxSample {
		var run []byte
		if run, text = cutRun(text); !isSevenBit(run) {
			out = append(out, run[:min(len(run), maxSample-len(out))]...)
		}
	}
	return out
}

// cutRun cuts off the first run of text, with the mark that ends it. A mark is no part of a character in any encoding
// that is read by runs.
func cutRun(text []byte) (run, rest []byte) {
	n := bytes.IndexAny(text, `<>"`) + 1
	if n == 0 {
		n = len(text)
	}
	return text[:n], text[n:]
}

// utf8Runs decodes a document most of which is UTF-8.
func (t *Text) utf8Runs(doc []byte, declared []encoding.Encoding) {
	out := make([]byte, 0, len(doc)+len(doc)/16)
	for len(doc) > 0 {
		var run []byte
		run, doc = cutRun(doc)
		if utf8.Valid(run) {
			out = append(out, run...)
			continue
		}
		if other, ok := fromElsewhere(run, declared); ok {
			t.note(NoteMixed)
			out = append(out, other...)
		} else {
			t.note(NoteRepaired)
			out = repair(out, run)
		}
	}
	t.UTF8 = out
}

// fromElsewhere decodes a run with bad bytes in a document of UTF-8, if it comes from one in another encoding: if it
// has no more characters of UTF-8 than bad bytes, more than one of both, and looks less odd in that encoding than
// repaired. Where the encoding is a guess it has no UTF-8 at all.
func fromElsewhere(run []byte, declared []encoding.Encoding) (text []byte, ok bool) {
	n := tallyOf(run)
	if n.bad < n.whole || n.bad+n.whole < 2 {
		return nil, false
	}
	enc := legacy(run, declared)
	guessed := !slices.Contains(declared, enc)
	if guessed && n.whole > 0 {
		return nil, false
	}
	some := sample(run)
	repaired := repair(nil, some)
	a, b := oddness(inUTF8(some, enc)), oddness(repaired)
	b -= (oddNoText - oddOther) * bytes.Count(repaired, replacement) // bytes do get lost
	if a < b || a == b && n.bad > n.whole && !guessed {
		return inUTF8(run, enc), true
	}
	return nil, false
}

// otherRuns decodes a document most of which is in another encoding than UTF-8.
func (t *Text) otherRuns(doc []byte, enc encoding.Encoding, all tally) {
	out := make([]byte, 0, len(doc)+len(doc)/8)
	begin, at := 0, 0 // of what has not been decoded, and of the next run
	for rest := doc; len(rest) > 0 && all.whole > 0; {
		var run []byte
		run, rest = cutRun(rest)
		if n := tallyOf(run); n.whole > purity*(n.bad+n.forged) && readsAsUTF8(run, enc, tieRun) {
			t.note(NoteMixed)
			out = repair(t.appendAs(out, doc[begin:at], enc), run)
			begin = at + len(run)
		}
		at += len(run)
	}
	t.UTF8 = t.appendAs(out, doc[begin:], enc)
}

// repair appends a run of UTF-8 with bad bytes in it to out. Bytes that may be a character of windows-1252 become that:
// people paste such text. The rest, such as what is left of a character that was cut, becomes U+FFFD.
func repair(out, run []byte) []byte {
	last, foreign := ' ', false // the character before, and whether the letter before is foreign
	for i := 0; i < len(run); {
		r, size := utf8.DecodeRune(run[i:])
		if r == utf8.RuneError && size == 1 {
			size = brokenOff(run[i:])
			if c := charmap.Windows1252.DecodeByte(run[i]); size == 1 && fits(last, c) &&
				(!unicode.IsLetter(c) || !foreign && !isForeign(nextLetter(run[i+1:]))) {
				r = c
			}
		}
		out = utf8.AppendRune(out, r)
		if last = r; unicode.IsLetter(r) {
			foreign = isForeign(r)
		}
		i += size
	}
	return out
}

// maxAhead is how many bytes behind a bad one are looked at for the next letter.
const maxAhead = 32

func nextLetter(b []byte) rune {
	for b = b[:min(len(b), maxAhead)]; len(b) > 0; {
		r, size := utf8.DecodeRune(b)
		if unicode.IsLetter(r) {
			return r
		}
		b = b[size:]
	}
	return 0
}

// brokenOff returns how many of the first bytes of b, which are no character, belong to what was to be one: 1, or those
// of a character that lacks its end, of an overlong form, or of a surrogate.
func brokenOff(b []byte) int {
	want := 1
	switch c := b[0]; {
	case c >= 0xf0 && c < 0xf8:
		want = 4
	case c >= 0xe0:
		want = 3
	case c >= 0xc0:
		want = 2
	}
	n := 1
	for n < want && n < len(b) && b[n]&0xc0 == 0x80 {
		n++
	}
	return n
}

// fits reports whether a character of windows-1252 may stand behind another.
func fits(last, c rune) bool {
	switch {
	// the byte 0xff, which is seldom meant for that
	case isForeign(last), c == utf8.RuneError, 0x80 <= c && c < 0xa0, c == 'ÿ':
		return false
	}
	return !(unicode.IsLower(last) && unicode.IsUpper(c))
}

// isForeign reports whether r is a letter of a script that windows-1252 does not have.
func isForeign(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) }
