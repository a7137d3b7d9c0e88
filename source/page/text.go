package page

import (
	"strings"
	"unicode/utf8"
)

// textLines reads a document that is not HTML.
func textLines(text string, f form) []line {
	switch f {
	case formJSON:
		return jsonLines(text)
	case formXML:
		text = strings.ReplaceAll(text, "><", ">\n<")
	}
	var lines []line
	for _, s := range splitLines(text, maxGathered) {
		if s = indented(s); s != "" {
			lines = append(lines, line{text: s})
		}
	}
	return lines
}

// maxGathered bounds the lines of a document that are read, before noise is removed and they are cut to
// Config.MaxLines.
const maxGathered = 250_000

// splitLines splits at every line break there is: "\n", "\r\n" and "\r". It returns the first lines, at most that many.
func splitLines(text string, most int) []string {
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	lines := strings.SplitN(text, "\n", max(0, most)+1)
	return lines[:min(len(lines), max(0, most))]
}

// indented cleans a line of preformatted text: its beginning keeps its blanks.
func indented(s string) string {
	s = strings.ReplaceAll(s, "\t", "    ")
	rest := strings.TrimLeft(s, " \u00a0")
	s = strings.Repeat(" ", len(s)-len(rest)) + visible(rest)
	return strings.TrimRight(s, " ")
}

// collapse cleans running text: every run of white space is one blank.
func collapse(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	for _, r := range s {
		switch kindOf(r) {
		case whiteSpace:
			blank = b.Len() > 0
		case shown:
			if blank {
				b.WriteByte(' ')
				blank = false
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// visible replaces white space by blanks, one for one, and drops what is not shown.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch kindOf(r) {
		case whiteSpace:
			return ' '
		case unseen:
			return -1
		}
		return r
	}, s)
}

type runeKind int

const (
	shown runeKind = iota
	whiteSpace
	unseen
)

// kindOf distinguishes white space from what is shown and what is not: control characters,
// and the marks that are invisible or turn the direction of the text around them.
// Joiners stay, for emoji and scripts need them.
func kindOf(r rune) runeKind {
	switch {
	case r > ' ' && r < 0x7f:
		return shown
	case r == ' ', r == '\t', r == '\n', r == '\r', r == '\f', r == '\v', r == 0x85, r == 0xa0,
		r == 0x1680, r >= 0x2000 && r <= 0x200a, r == 0x2028, r == 0x2029, r == 0x202f, r == 0x205f, r == 0x3000:
		return whiteSpace
	case r < ' ', r >= 0x7f && r < 0xa0, r == 0xad, r == 0x200b, r == 0x200e, r == 0x200f,
		r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff, r >= 0xe0000 && r <= 0xe007f:
		return unseen
	}
	return shown
}

// wrap splits s into pieces of at most size bytes, at a blank where there is one in
// the last quarter.
func wrap(s string, size int) []string {
	if len(s) <= size {
		return []string{s}
	}
	var pieces []string
	for len(s) > size {
		at := size
		for !utf8.RuneStart(s[at]) {
			at--
		}
		if blank := strings.LastIndexByte(s[:at], ' '); blank > size*3/4 {
			at = blank
		}
		if piece := strings.TrimRight(s[:at], " "); piece != "" {
			pieces = append(pieces, piece)
		}
		s = strings.TrimLeft(s[at:], " ")
	}
	if s != "" {
		pieces = append(pieces, s)
	}
	return pieces
}

// shorten cuts s to at most n characters.
func shorten(s string, n int) string {
	count := 0
	for i := range s {
		if count == n {
			return strings.TrimSpace(s[:i]) + "…"
		}
		count++
	}
	return s
}
