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

// oddness counts what is odd in a text, as that is which has been read in a wrong encoding: characters that are no
// text; letters of several scripts side by side; capitals behind small letters; many Latin letters with accents in a
// row; symbols beside letters; letters that hardly any language has; letters that stand alone, but for Latin ones.
func oddness(text []byte) (n int) {
	var last, before kind
	accents := 0
	for i := 0; i <= len(text); {
		var k kind
		size := 1
		if i < len(text) {
			if c := text[i]; c < utf8.RuneSelf {
				k = asciiKind(c)
			} else {
				var r rune
				r, size = utf8.DecodeRune(text[i:])
				k = kindOf(r)
			}
		}
		i += size
		if last.script > latin && before.script != last.script && k.script != last.script {
			n += oddOther // it stands alone
		}
		if !k.beyond || k.script != latin {
			accents = 0
		} else if accents++; accents > maxAccents {
			n += oddOther
		}
		if k.beyond || last.beyond {
			n += k.odd + oddBeside(last, k)
		}
		before, last = last, k
	}
	return n
}

// oddBeside returns what is odd about a character behind another, at least one of them beyond ASCII.
func oddBeside(last, k kind) int {
	switch {
	case last.script != none && k.script != none && last.script != k.script,
		last.lower && k.upper,
		last.script != none && last.beyond && k.symbol,
		k.script != none && k.beyond && last.symbol:
		return oddOther
	}
	return 0
}

// kind is what oddness looks at in a character.
type kind struct {
	script       script
	beyond       bool // ASCII
	lower, upper bool
	symbol       bool // beyond ASCII
	odd          int  // what is odd about it, whatever stands beside it
}

// script is a writing system, none for what is no letter.
type script int

const (
	none script = iota
	latin
	ideographs // and the Japanese and Korean scripts
	otherScripts
)

func asciiKind(c byte) kind {
	switch {
	case 'a' <= c && c <= 'z':
		return kind{script: latin, lower: true}
	case 'A' <= c && c <= 'Z':
		return kind{script: latin, upper: true}
	}
	return kind{}
}

func kindOf(r rune) kind {
	if 0x3400 <= r && r < 0xa000 || 0xac00 <= r && r < 0xd7a4 { // most of the letters of East Asia
		return kind{script: ideographs, beyond: true}
	}
	k := kind{beyond: true}
	switch {
	case unicode.IsLetter(r):
		k.script = scriptOf(r)
		k.upper = unicode.IsUpper(r)
		k.lower = !k.upper && unicode.IsLower(r)
	// a logo of a maker's own; windows-1252 that was taken for ISO 8859-1
	case unicode.Is(unicode.Co, r), 0x80 <= r && r < 0xa0:
		k.odd = oddOther
		return k
	case r == utf8.RuneError, !unicode.IsPrint(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r):
		k.odd = oddNoText
		return k
	default:
		k.symbol = unicode.IsSymbol(r) || unicode.Is(unicode.No, r)
	}
	if isRare(r) {
		k.odd = oddOther
	}
	return k
}

// scriptOf tells the scripts of letters apart that wrong encodings mix.
func scriptOf(r rune) script {
	switch {
	case r < 0x250, 0x1e00 <= r && r < 0x1f00:
		return latin
	case 0x2e80 <= r && r < 0xd800, 0xf900 <= r && r < 0xfb00, 0xff00 <= r && r < 0xfff0, r >= 0x20000:
		return ideographs
	case 0x1f00 <= r && r < 0x2000: // Greek with its old accents
		r = 0x3b1
	}
	return otherScripts + script(r>>8) // 256 characters have room for a script, or two
}

// isRare reports whether text has a character so seldom that a wrong encoding is more likely: of phonetic alphabets, of
// an old or small script, or a Katakana of half the width.
func isRare(r rune) bool {
	switch {
	case 0x250 <= r && r < 0x300, 0x700 <= r && r < 0x900, 0x1680 <= r && r < 0x1780, 0x1800 <= r && r < 0x1e00:
		return true
	case 0xa000 <= r && r < 0xac00, 0xff61 <= r && r < 0xffa0:
		return true
	}
	return false
}
