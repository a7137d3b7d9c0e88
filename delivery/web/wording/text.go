package wording

import (
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/idna"

	"tidings/markup"
)

const (
	MaxTitle   = 300  // characters of a title, where it is shown whole
	MaxPath    = 1000 // characters of a folder's path, which is kept as it is in the field
	MaxSummary = 280  // characters of the line below it
	maxSnippet = 2000 // bytes of a search result
	MaxURL     = 2048 // bytes of an address that is made a link
)

// Plain returns s as one safe line of at most max characters.
func Plain(s string, max int) string { return markup.Line(s, max) }

// Link is an address from outside, fit to be shown and followed.
type Link struct {
	URL  string // empty: not to be followed
	Host string // in ASCII: look-alike letters show as xn--
}

// LinkTo returns the link to an address, without user name and password, and without parameters that count readers.
// Anything but http and https is not to be followed.
func LinkTo(address string) Link {
	if len(address) > MaxURL {
		return Link{}
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return Link{}
	}
	u.User, u.RawQuery = nil, markup.Uncounted(u.RawQuery)
	return Link{u.String(), HostOf(u)}
}

// Marked turns a search result's plain text, with matches between U+0002 and U+0003, into markup.
func Marked(snippet string) template.HTML {
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

// blankControls keeps the blanks at both ends, which plain would remove.
func blankControls(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case unicode.IsControl(c) || markup.IsDirection(c):
			return -1
		}
		return c
	}, s)
}

// Bytes returns a size in the unit that keeps it short.
func (w Words) Bytes(n int64) string {
	const units = "KMGT"
	if n < 1024 {
		return w.Count(n, "byte", "bytes")
	}
	f, u := float64(n)/1024, 0
	for f >= 1000 && u < len(units)-1 {
		f, u = f/1024, u+1
	}
	digits := 0
	if f < 10 {
		digits = 1
	}
	return fmt.Sprintf("%s %ciB", w.Decimal(f, digits), units[u])
}

// HostOf returns an address's host as it is shown: in ASCII, without "www.".
func HostOf(u *url.URL) string {
	host, err := idna.Punycode.ToASCII(u.Hostname())
	if err != nil {
		host = u.Hostname()
	}
	if len(host) > 4 && host[:4] == "www." {
		host = host[4:]
	}
	return Plain(host, 100)
}

// HostIn returns the host of an address, as it is shown; "" if there is none.
func HostIn(address string) string {
	if len(address) > MaxURL {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return HostOf(u)
}

// Sentence makes a reason from inside a sentence, but for the full stop.
func Sentence(reason string, max int) string {
	text := strings.TrimRight(Plain(reason, max), ". ")
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
