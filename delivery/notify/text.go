package notify

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tidings/markup"
)

// ellipsis marks a text that was cut.
const ellipsis = "…"

// What a character costs in a limited text.
func characters(rune) int   { return 1 }
func inBytes(r rune) int    { return max(utf8.RuneLen(r), 1) }
func utf16Units(r rune) int { return 1 + b2i(r > 0xffff) }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// cut returns the beginning of s that costs at most limit, with an ellipsis if anything is missing.
func cut(s string, limit int, cost func(rune) int) string {
	mark := cost('…')
	used, fits := 0, 0 // fits: length of what leaves room for the mark
	for i, r := range s {
		if used+mark <= limit {
			fits = i
		}
		if used += cost(r); used > limit {
			if mark > limit {
				return ""
			}
			return strings.TrimRightFunc(s[:fits], unicode.IsSpace) + ellipsis
		}
	}
	return s
}

// oneLine returns s as one line without control characters and those that turn the direction of writing.
func oneLine(s string) string { return markup.Line(s, len(s)+1) }

// lines returns s without control characters but line feeds, without blank lines, and without blanks around lines.
func lines(s string) string {
	var kept []string
	for l := range strings.Lines(s) {
		if l = oneLine(l); l != "" {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}
