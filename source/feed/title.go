package feed

import (
	"strings"
	"unicode"
)

// PlainLine is plainTitle for other packages.
func PlainLine(text string, limit int) string { return plainTitle(text, limit) }

// plainTitle makes one line of harmless plain text, of at most limit characters: white
// space becomes single blanks; characters that turn the direction of what follows,
// hide, or heap up on others are left out.
func plainTitle(s string, limit int) string {
	if isSimpleTitle(s, limit) {
		return s
	}
	var b strings.Builder
	count, marks := 0, 0
	blank, joined, flag := false, false, false
	for _, r := range s {
		if unicode.IsSpace(r) {
			blank = b.Len() > 0
			marks, joined, flag = 0, false, false
			continue
		}
		if isIllegal(r) || isTreacherous(r) {
			continue
		}
		switch {
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r):
			if marks++; marks > maxMarks {
				continue
			}
		case r == '\u200c' || r == '\u200d': // joiners, which Persian and emoji need
			if joined || b.Len() == 0 {
				continue
			}
		case 0xe0020 <= r && r <= 0xe007f: // tags: part of the flag of Scotland, else invisible
			if !flag {
				continue
			}
		default:
			marks = 0
			flag = r == '\U0001F3F4'
		}
		joined = r == '\u200c' || r == '\u200d'
		if blank {
			b.WriteByte(' ')
			blank = false
			count++
		}
		if count >= limit {
			b.WriteRune('…')
			break
		}
		b.WriteRune(r)
		count++
	}
	return b.String()
}

// maxMarks is how many combining marks may stand on one character; no script in use
// needs more.
const maxMarks = 4

// isSimpleTitle reports whether s is such as plainTitle would make it, without
// looking closely.
func isSimpleTitle(s string, limit int) bool {
	if len(s) > limit {
		return false
	}
	blank := true
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < ' ' || c >= 0x7f || c == ' ' && blank {
			return false
		}
		blank = c == ' '
	}
	return !blank || s == ""
}

// isTreacherous reports whether r makes text look like what it is not: overrides of
// direction, and characters without width or look.
func isTreacherous(r rune) bool {
	switch {
	case 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069: // bidirectional overrides and isolates
		return true
	case 0x2060 <= r && r <= 0x2065, 0x206a <= r && r <= 0x206f: // invisible operators, deprecated controls
		return true
	case r == 0x200b, r == 0xfeff, r == 0x00ad, r == 0x034f, r == 0x180e, r == 0x115f, r == 0x1160, r == 0x3164,
		r == 0xffa0:
		return true
	case 0xfff9 <= r && r <= 0xfffb, r == 0xe0001, 0xe0080 <= r && r <= 0xe0fff, 0x1d173 <= r && r <= 0x1d17a:
		return true
	}
	return false
}
