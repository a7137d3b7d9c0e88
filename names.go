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
			r, c = utf8.DecodeRuneInString(x)
			q, d = utf8.DecodeRuneInString(y)
			if order := cmp.Compare(unicode.ToLower(r), unicode.ToLower(q)); order != 0 {
				return order
			}
		}
		x, y = x[c:], y[d:]
	}
}

// digits returns how many digits s begins with.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
