// Package console prints for people at a terminal. Of input from outside it prints only text. It removes escape
// sequences, control characters, and characters that are invisible or turn the direction of their surroundings.
//
// Tables fit the terminal's width. Colours are for terminals only, and not where NO_COLOR is set
// (https://no-color.org).
package console

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Neutral makes one line of text from outside fit for a terminal. It removes what would move the cursor, change
// colours, turn directions or be invisible. Blanks of any kind become one space. Bytes that are no UTF-8 become U+FFFD.
func Neutral(text string) string {
	return strings.Join(strings.Fields(strings.Map(neutralRune, strings.ToValidUTF8(text, "\uFFFD"))), " ")
}

// NeutralLine does the same but keeps spaces as they are, and turns a tab into four of them. It is for lines with a
// layout that matters.
func NeutralLine(text string) string {
	text = strings.ReplaceAll(text, "\t", "    ")
	return strings.Map(neutralRune, strings.ToValidUTF8(text, "\uFFFD"))
}

func neutralRune(r rune) rune {
	switch {
	case isHarmful(r):
		if r == '\n' || r == '\t' || r == '\r' || r == '\u2028' || r == '\u2029' || r == '\u0085' {
			return ' '
		}
		return -1
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// isHarmful reports whether a terminal may do something else with r than show it. The
// joiners U+200C and U+200D are harmless, and needed by Persian and by emoji.
func isHarmful(r rune) bool {
	switch {
	case r == '\u200c', r == '\u200d':
		return false
	case r == '\u2028', r == '\u2029', r == '\u115f', r == '\u1160', r == '\u3164', r == '\uffa0':
		return true // ends of lines, and letters that cannot be seen
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs) || r >= 0xe0000 && r <= 0xe0fff
}

// NeutralJSON writes characters of JSON that a terminal may act upon as \u escapes, which
// mean the same. Line ends between values stay.
func NeutralJSON(text []byte) []byte {
	var out []byte // nil as long as nothing had to be changed
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		harmful := r != '\n' && isHarmful(r)
		if harmful && out == nil {
			out = append(make([]byte, 0, len(text)+16), text[:i]...)
		}
		switch {
		case harmful && r > 0xffff:
			high, low := utf16Pair(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		case harmful:
			out = fmt.Appendf(out, `\u%04x`, r)
		case out != nil:
			out = append(out, text[i:i+size]...)
		}
		i += size
	}
	if out == nil {
		return text
	}
	return out
}

func utf16Pair(r rune) (high, low rune) {
	r -= 0x10000
	return 0xd800 + r>>10, 0xdc00 + r&0x3ff
}
