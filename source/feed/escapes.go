package feed

import (
	"net/url"
	"strings"
)

// uniformEscapes writes a path or query in the one way of RFC 3986, section 6.2.2. Unreserved characters (section 2.3),
// whose meaning no escape changes, stand as themselves. Other escapes have capital letters. A character that bad
// forbids is escaped. It is idempotent.
func uniformEscapes(s string, bad func(c byte) bool) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == '%' || r >= 0x80 || bad(byte(r)) }) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); i++ {
		c := s[i]
		escaped := c == '%' && isEscape(s[i:])
		if escaped {
			c = hexDigit(s[i+1])<<4 | hexDigit(s[i+2])
			i += 2
		}
		if escaped && !isUnreserved(c) || !escaped && bad(c) {
			writeEscape(&b, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func writeEscape(b *strings.Builder, c byte) {
	const hex = "0123456789ABCDEF"
	b.WriteByte('%')
	b.WriteByte(hex[c>>4])
	b.WriteByte(hex[c&15])
}

// badInPath reports whether a byte must not stand in a path: it is neither pchar nor "/" (RFC 3986, section 3.3).
// Brackets may stand: they are in use, and net/url leaves them as they are.
func badInPath(c byte) bool {
	return !isUnreserved(c) && strings.IndexByte("!$&'()*+,;=:@/[]", c) < 0
}

// badInQuery reports whether a byte must not stand in a query. More may than RFC 3986 says: origins are asked as
// people wrote it.
func badInQuery(c byte) bool {
	return c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>`{}|^\\", c) >= 0
}

func isUnreserved(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '_' || c == '~'
}

func isEscape(s string) bool {
	return len(s) > 2 && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

// hexDigit returns the value of a hexadecimal digit.
func hexDigit(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}

// cleanPath writes a path in one way (uniformEscapes) and resolves its dot segments, also those that were escaped.
// Doubled slashes stay: for some servers they make a difference.
func cleanPath(u *url.URL) {
	raw := u.RawPath
	if raw == "" {
		raw = u.EscapedPath()
	}
	if raw == "" || raw[0] != '/' {
		raw = "/" + raw
	}
	raw = uniformEscapes(raw, badInPath)
	if strings.Contains(raw, "/.") {
		raw = removeDots(raw)
	}
	if p, err := url.PathUnescape(raw); err == nil {
		u.Path, u.RawPath = p, raw
	}
}
