package fetch

import (
	"net/url"
	"strings"
)

// maxLinks bounds the links of one response that are read.
const maxLinks = 64

// Link is what a response says in its header of another document (RFC 8288).
type Link struct {
	Href  string // may be relative to Response.URL
	Rel   string // may be several words
	Type  string // media type; empty: not said
	Title string
}

// Links returns the links in a response's header, in their order: those of the document itself, not of a part of it or
// of another. What cannot be read is passed over.
func (r *Response) Links() []Link {
	var found []Link
	for _, value := range r.Header["Link"] {
		for value != "" && len(found) < maxLinks {
			var link Link
			var anchor string
			var ok bool
			if link, anchor, value, ok = cutLink(value); ok && r.isAt(anchor) {
				found = append(found, link)
			}
		}
	}
	return found
}

// isAt reports whether an anchor, empty if there is none, is the document itself.
func (r *Response) isAt(anchor string) bool {
	if anchor == "" {
		return true
	}
	at, err := url.Parse(r.URL)
	if err != nil {
		return false
	}
	to, err := at.Parse(anchor)
	return err == nil && to.String() == at.String()
}

// cutLink reads the first link of a value, and returns what comes after it. It fails if that is no link.
func cutLink(value string) (link Link, anchor, rest string, ok bool) {
	value = strings.TrimLeft(value, " \t,")
	end := strings.IndexByte(value, '>')
	if !strings.HasPrefix(value, "<") || end < 0 {
		_, rest, _ = strings.Cut(value, ",")
		return link, "", rest, false
	}
	link.Href, rest = strings.TrimSpace(value[1:end]), value[end+1:]
	into := map[string]*string{"rel": &link.Rel, "type": &link.Type, "title": &link.Title, "anchor": &anchor}
	for {
		rest = strings.TrimLeft(rest, " \t")
		if !strings.HasPrefix(rest, ";") {
			break
		}
		var name, said string
		name, said, rest = cutParam(rest[1:])
		if name == "title*" { // in place of one in ASCII
			if title, known := extended(said); known {
				link.Title = title
				delete(into, "title")
			}
		} else if field := into[name]; field != nil {
			*field = said
			delete(into, name) // the first counts
		}
	}
	if rest != "" && rest[0] != ',' {
		_, rest, _ = strings.Cut(rest, ",")
	}
	return link, anchor, rest, true
}

// cutParam reads a parameter, and returns what comes after it.
func cutParam(s string) (name, said, rest string) {
	end := strings.IndexAny(s, "=;,")
	if end < 0 {
		return strings.ToLower(strings.TrimSpace(s)), "", ""
	}
	name = strings.ToLower(strings.TrimSpace(s[:end]))
	if s[end] != '=' {
		return name, "", s[end:]
	}
	s = strings.TrimLeft(s[end+1:], " \t")
	if !strings.HasPrefix(s, `"`) {
		if end = strings.IndexAny(s, ";,"); end < 0 {
			end = len(s)
		}
		return name, strings.TrimSpace(s[:end]), s[end:]
	}
	var quoted strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return name, quoted.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		quoted.WriteByte(s[i])
	}
	return name, quoted.String(), ""
}

// extended reads a value that says its own character set, between two quotes the language, and itself escaped (RFC
// 8187).
func extended(s string) (string, bool) {
	charset, rest, _ := strings.Cut(s, "'")
	_, escaped, ok := strings.Cut(rest, "'")
	text, err := url.PathUnescape(escaped)
	return text, ok && err == nil && strings.EqualFold(charset, "utf-8")
}
