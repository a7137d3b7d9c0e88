package console

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Columns returns how many columns of a terminal text needs.
func Columns(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Cut shortens text to at most columns; a sign shows that something is missing.
func Cut(text string, columns int) string {
	if columns <= 0 || Columns(text) <= columns {
		return text
	}
	n := 0
	for i, r := range text {
		w := runeColumns(r)
		if n+w > columns-1 {
			return strings.TrimRight(text[:i], " ") + "…"
		}
		n += w
	}
	return text
}

// pad fills text up to columns.
func pad(text string, columns int, right bool) string {
	blank := strings.Repeat(" ", max(0, columns-Columns(text)))
	if right {
		return blank + text
	}
	return text + blank
}

// Wrap breaks text at blanks into lines of at most columns where its words allow it.
func Wrap(text string, columns int) []string {
	words := strings.Fields(text)
	if columns <= 0 || len(words) == 0 {
		return []string{strings.Join(words, " ")}
	}
	var lines []string
	line := words[0]
	for _, word := range words[1:] {
		if Columns(line)+1+Columns(word) > columns {
			lines = append(lines, line)
			line = word
			continue
		}
		line += " " + word
	}
	return append(lines, line)
}
