package web

import (
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/idna"
)

const (
	maxTitle   = 300  // characters of a title, where it is shown whole
	maxPath    = 1000 // characters of a folder's path, which is kept as it is in the field
	maxSummary = 280  // characters of the line below it
	maxSnippet = 2000 // bytes of a search result
	maxURL     = 2048 // bytes of an address that is made a link
)

// plain returns s as one line of at most max characters that cannot disturb what
// stands around it: blanks of all kinds become spaces, control characters and those
// that turn the direction of writing go. Joiners stay: emoji and scripts need them.
func plain(s string, max int) string {
	var b strings.Builder
	blank, n := true, 0 // blanks at the start go too
	for _, c := range s {
		switch {
		case unicode.IsSpace(c) || c == utf8.RuneError || c == '\u2028' || c == '\u2029':
			if !blank {
				b.WriteByte(' ')
				n++
			}
			blank = true
			continue
		case unicode.IsControl(c) || isDirection(c) || c == '\ufeff' || c == '\u200b':
			continue
		}
		if n >= max {
			return strings.TrimRight(b.String(), " ") + "…"
		}
		b.WriteRune(c)
		blank = false
		n++
	}
	return strings.TrimRight(b.String(), " ")
}

// isDirection reports whether c embeds, overrides, isolates or marks a direction of writing.
func isDirection(c rune) bool {
	return c >= '\u202a' && c <= '\u202e' || c >= '\u2066' && c <= '\u2069' || c == '\u200e' || c == '\u200f' || c == '\u061c'
}

// link is an address from outside, fit to be shown and followed.
type link struct {
	URL  string // empty: not to be followed
	Host string // in ASCII: look-alike letters show as xn--
}

// linkTo returns the link to an address, without user name and password. Anything but
// http and https is not to be followed.
func linkTo(address string) link {
	if len(address) > maxURL {
		return link{}
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return link{}
	}
	u.User = nil
	return link{u.String(), hostText(u)}
}

// marked turns a search result's plain text, with matches between U+0002 and U+0003, into markup.
func marked(snippet string) template.HTML {
	var b strings.Builder
	inside := false
	snippet = snippet[:min(len(snippet), maxSnippet)]
	for len(snippet) > 0 {
		i := strings.IndexAny(snippet, "\x02\x03")
		if i < 0 {
			i = len(snippet)
		}
		b.WriteString(html.EscapeString(blankControls(strings.ToValidUTF8(snippet[:i], ""))))
		if i == len(snippet) {
			break
		}
		if open := snippet[i] == 2; open != inside {
			b.WriteString(map[bool]string{true: "<mark>", false: "</mark>"}[open])
			inside = open
		}
		snippet = snippet[i+1:]
	}
	if inside {
		b.WriteString("</mark>")
	}
	return template.HTML(b.String())
}

// blankControls keeps the blanks at both ends, which plain would take.
func blankControls(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case unicode.IsControl(c) || isDirection(c):
			return -1
		}
		return c
	}, s)
}

// count returns "1 item", "2 items", "1,234 items".
func count[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(int64(n)) + " " + many
}

func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// bytesText returns a size in the unit that keeps it short.
func bytesText(n int64) string {
	const units = "KMGT"
	if n < 1024 {
		return count(n, "byte", "bytes")
	}
	f, u := float64(n)/1024, 0
	for f >= 1000 && u < len(units)-1 {
		f, u = f/1024, u+1
	}
	if f < 10 {
		return fmt.Sprintf("%.1f %ciB", f, units[u])
	}
	return fmt.Sprintf("%.0f %ciB", f, units[u])
}

// hostText returns an address's host as it is shown: in ASCII, without "www.".
func hostText(u *url.URL) string {
	host, err := idna.Punycode.ToASCII(u.Hostname())
	if err != nil {
		host = u.Hostname()
	}
	if len(host) > 4 && host[:4] == "www." {
		host = host[4:]
	}
	return plain(host, 100)
}
