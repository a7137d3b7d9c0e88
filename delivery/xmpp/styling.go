package xmpp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tidings/delivery/xmpp/stream"
)

// nsStyling is the namespace of the hint that a message has no styles (XEP-0393, section 6).
const nsStyling = "urn:xmpp:styling:0"

// styled reports whether clients might show a text with styles (XEP-0393, sections 4 and 5).
func styled(text string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, ">") || strings.HasPrefix(line, "```") {
			return true
		}
		open := true // a span can begin here
		for i, r := range line {
			directive := strings.ContainsRune("*_~`", r)
			next, _ := utf8.DecodeRuneInString(line[i+utf8.RuneLen(r):])
			if directive && open && i+1 < len(line) && !unicode.IsSpace(next) {
				return true
			}
			open = unicode.IsSpace(r) || directive && open
		}
	}
	return false
}

// body returns a message's text. If a client might show it with styles, it adds the hint that there are none.
func body(text string) []*stream.Element {
	parts := []*stream.Element{stream.New("", "body").Says(text)}
	if styled(text) {
		parts = append(parts, stream.New(nsStyling, "unstyled"))
	}
	return parts
}

// worded returns the text of a notification: the title, a short text, and the link in a line of its own. The title is
// bold if nothing else has to be shown without styles. It has at most MaxBody bytes; the text is cut for that.
func worded(w Wording) []*stream.Element {
	title, link := cut(w.Title, 1000), w.Link
	room := MaxBody - len(title) - len(link) - len("**\n\n")
	text := cut(strings.TrimSpace(w.Text), max(room, 0))
	lines := []string{title}
	if text != "" {
		lines = append(lines, text)
	}
	if link != "" {
		lines = append(lines, link)
	}
	if whole := strings.Join(lines, "\n"); styled(whole) || strings.ContainsAny(title, "*") ||
		strings.TrimSpace(title) != title {
		return []*stream.Element{stream.New("", "body").Says(whole), stream.New(nsStyling, "unstyled")}
	}
	lines[0] = "*" + title + "*"
	return []*stream.Element{stream.New("", "body").Says(strings.Join(lines, "\n"))}
}

// cut shortens a text to so many bytes, between characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const dots = "…"
	if most < len(dots) {
		return ""
	}
	end := most - len(dots)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimRightFunc(text[:end], unicode.IsSpace) + dots
}
