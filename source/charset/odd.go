package charset

import (
	"unicode"
	"unicode/utf8"
)

// What the signs of a wrong encoding weigh.
const (
	oddNoText = 3 // a character that no text has
	oddOther  = 1
)

// maxAccents is how many Latin letters with accents in a row are not odd.
const maxAccents = 3

// oddness counts what is odd in a text, as that is which has been read in a wrong encoding: characters that are no text;
// letters of several scripts side by side; capitals behind small letters; many Latin letters with accents in a row;
// symbols beside letters; letters that hardly any language has; letters that stand alone, but for Latin ones.
func oddness(text []byte) (n int) {
	last, before, accents := ' ', ' ', 0
	for i := 0; i <= len(text); {
		r, size := ' ', 1
		if i < len(text) {
			r, size = utf8.DecodeRune(text[i:])
		}
		i += size
		if script := scriptOf(last); script > latin && scriptOf(before) != script && scriptOf(r) != script {
			n += oddOther
		}
		if r < utf8.RuneSelf || scriptOf(r) != latin {
			accents = 0
		} else if accents++; accents > maxAccents {
			n += oddOther
		}
		if r >= utf8.RuneSelf || last >= utf8.RuneSelf {
			n += oddBeside(last, r)
		}
		if r >= utf8.RuneSelf {
			n += oddAlone(r)
		}
		before, last = last, r
	}
	return n
}

// oddBeside returns what is odd about a character behind another, at least one of them beyond ASCII.
func oddBeside(last, r rune) int {
	a, b := scriptOf(last), scriptOf(r)
	switch {
	case a != none && b != none && a != b,
		unicode.IsLower(last) && unicode.IsUpper(r),
		a != none && last >= utf8.RuneSelf && isSymbol(r),
		b != none && r >= utf8.RuneSelf && isSymbol(last):
		return oddOther
	}
	return 0
}

func isSymbol(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.IsSymbol(r) || unicode.Is(unicode.No, r))
}

// oddAlone returns what is odd about a character beyond ASCII, whatever stands beside it.
func oddAlone(r rune) int {
	switch {
	case r == utf8.RuneError, !unicode.IsPrint(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r):
		return oddNoText
	case isRare(r):
		return oddOther
	}
	return 0
}

// script is a writing system, none for what is no letter.
type script int

const (
	none script = iota
	latin
	ideographs // and the Japanese and Korean scripts
	otherScripts
)

// scriptOf tells the scripts apart that wrong encodings mix.
func scriptOf(r rune) script {
	switch {
	case r < utf8.RuneSelf:
		if 'a' <= r|0x20 && r|0x20 <= 'z' {
			return latin
		}
		return none
	case !unicode.IsLetter(r):
		return none
	case r < 0x250, 0x1e00 <= r && r < 0x1f00:
		return latin
	case 0x2e80 <= r && r < 0xd800, 0xf900 <= r && r < 0xfb00, 0xff00 <= r && r < 0xfff0, r >= 0x20000:
		return ideographs
	case 0x1f00 <= r && r < 0x2000: // Greek with its old accents
		r = 0x3b1
	}
	return otherScripts + script(r>>8) // 256 characters have room for a script, or two
}

// isRare reports whether text has a character so seldom that a wrong encoding is more likely: of phonetic alphabets, of an
// old or small script, or a Katakana of half the width.
func isRare(r rune) bool {
	switch {
	case 0x250 <= r && r < 0x300, 0x700 <= r && r < 0x900, 0x1680 <= r && r < 0x1780, 0x1800 <= r && r < 0x1e00:
		return true
	case 0xa000 <= r && r < 0xac00, 0xff61 <= r && r < 0xffa0:
		return true
	}
	return false
}
