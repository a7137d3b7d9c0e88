package tidings

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CompareNames compares names without regard to case, and numbers in them by their value.
// Names that differ are never equal.
func CompareNames(a, b string) int {
	for x, y := a, b; ; {
		if x == "" || y == "" {
			return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
		}
		c, d := 0, 0
		if n, m := digits(x), digits(y); n > 0 && m > 0 {
			v, w := strings.TrimLeft(x[:n], "0"), strings.TrimLeft(y[:m], "0")
			if order := cmp.Or(cmp.Compare(len(v), len(w)), strings.Compare(v, w)); order != 0 {
				return order
			}
			c, d = n, m
		} else {
			var r, q rune
			r, c = firstLower(x)
			q, d = firstLower(y)
			if order := cmp.Compare(r, q); order != 0 {
				return order
			}
		}
		x, y = x[c:], y[d:]
	}
}

// digits returns how many digits s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// firstLower returns the first character of s in lower case, and how many bytes it has in s.
func firstLower(s string) (r rune, size int) {
	switch c := s[0]; {
	case 'A' <= c && c <= 'Z':
		return rune(c) + 'a' - 'A', 1
	case c < utf8.RuneSelf:
		return rune(c), 1
	}
	r, size = utf8.DecodeRuneInString(s)
	return unicode.ToLower(r), size
}
