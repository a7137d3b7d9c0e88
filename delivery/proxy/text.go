package proxy

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// clean drops what neither XML 1.0 (section 2.2) nor a reader's screen can hold:
// control characters, halves of surrogates, damaged bytes.
func clean(s string) string {
	if isPlain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n':
			return r
		case r < 0x20, r == 0x7f, r >= 0x80 && r < 0xa0, r == utf8.RuneError, r == 0xfffe, r == 0xffff:
			return -1
		}
		return r
	}, s)
}

// isPlain reports whether s is printable ASCII, as most of most texts is.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 0x20 || c > 0x7e) && c != '\t' && c != '\n' {
			return false
		}
	}
	return true
}

// plainText returns the text of HTML in one line, at most limit runes.
func plainText(source string, limit int) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(source))
	for b.Len() < utf8.UTFMax*limit {
		switch z.Next() {
		case html.ErrorToken:
			return oneLine(b.String(), limit)
		case html.TextToken:
			b.Write(z.Text())
		default:
			b.WriteByte(' ')
		}
	}
	return oneLine(b.String(), limit)
}

func oneLine(s string, limit int) string {
	s = strings.Join(strings.Fields(clean(html.UnescapeString(s))), " ")
	if runes := []rune(s); len(runes) > limit {
		return strings.TrimSpace(string(runes[:limit-1])) + "…"
	}
	return s
}
