package page

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// form is how a document is written.
type form int

const (
	formHTML form = iota
	formText
	formJSON
	formXML
)

// sniff tells how body is written: by its first bytes where they tell, else by the
// type that the origin claims. A wrong claim is more frequent than wrong bytes.
func sniff(body []byte, contentType string) (form, error) {
	claimed := mediaType(contentType)
	seen := mediaType(http.DetectContentType(body))
	textual := strings.HasPrefix(seen, "text/") || seen == "application/octet-stream" && utf16Order(body) != nil
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return 0, ErrEmpty
	case seen == "text/html":
		return formHTML, nil
	case !textual && !(seen == "application/octet-stream" && saysText(claimed)):
		return 0, ErrNotText
	case isJSON(claimed):
		return formJSON, nil
	case strings.HasSuffix(claimed, "/html"), claimed == "application/xhtml+xml":
		return formHTML, nil
	case strings.HasSuffix(claimed, "/xml"), strings.HasSuffix(claimed, "+xml"):
		return formXML, nil
	case seen == "text/xml":
		return formXML, nil
	case looksLikeJSON(body):
		return formJSON, nil
	case claimed == "", claimed == "application/octet-stream":
		if looksLikeHTML(body) {
			return formHTML, nil
		}
		return formText, nil
	}
	return formText, nil
}

func mediaType(contentType string) string {
	t, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		t, _, _ = strings.Cut(contentType, ";")
	}
	return strings.ToLower(strings.TrimSpace(t))
}

func isJSON(mediaType string) bool {
	return strings.HasSuffix(mediaType, "/json") || strings.HasSuffix(mediaType, "+json")
}

// saysText reports whether a document of the claimed type is text, though it may hold
// bytes that text should not.
func saysText(claimed string) bool {
	return strings.HasPrefix(claimed, "text/") || isJSON(claimed) ||
		strings.HasSuffix(claimed, "/xml") || strings.HasSuffix(claimed, "+xml")
}

// looksLikeJSON reports whether body, of which nothing better is known, is JSON with more in it than one value.
func looksLikeJSON(body []byte) bool {
	body = bytes.TrimLeft(body, " \t\r\n")
	return len(body) > 0 && (body[0] == '{' || body[0] == '[') && json.Valid(body)
}

// looksLikeHTML looks further than the standard's sniffing, which knows a page by its
// first tag only.
func looksLikeHTML(body []byte) bool {
	head := bytes.ToLower(body[:min(len(body), 4096)])
	for _, tag := range []string{"<html", "<body", "<head", "<p>", "<div", "<table", "<h1"} {
		if bytes.Contains(head, []byte(tag)) {
			return true
		}
	}
	return false
}

// decode returns body as valid UTF-8, choosing the encoding as browsers do: by the
// byte order mark, the header, the document's own declaration, and else by the bytes.
func decode(body []byte, contentType string) (text string, notes []string) {
	enc, name, certain := charset.DetermineEncoding(body, contentType)
	switch order := utf16Order(body); {
	case order != nil:
		enc, name = order, "utf-16 (undeclared)"
	case name == "utf-8" && !utf8.Valid(body) && !hasMultibyte(body):
		// Declared, but every byte beyond ASCII contradicts: old documents behind a
		// server that claims UTF-8 for all.
		enc, name = charmap.Windows1252, "windows-1252 (declared as utf-8)"
	case name == "windows-1252" && !certain && utf8.Valid(body):
		enc, name = encoding.Nop, "utf-8"
	case name == "windows-1252" && !certain:
		if late, label := lateDeclaration(body); late != nil {
			enc, name = late, label
		}
	}
	if name != "utf-8" {
		notes = append(notes, "read as "+name)
	}
	decoded, err := enc.NewDecoder().Bytes(body)
	if err != nil { // decoders replace what they cannot read; this is one that could not go on
		decoded = body
	}
	return strings.ToValidUTF8(string(decoded), "\uFFFD"), notes
}

// maxDeclaration is how far into a document its declaration of an encoding is looked for. The HTML standard has
// it in the first 1024 bytes; browsers heed it later as well.
const maxDeclaration = 64 << 10

var declaration = regexp.MustCompile(`(?i)^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]{1,40})["']|<meta\s[^>]*charset\s*=\s*["']?\s*([\w.:-]{1,40})`)

// lateDeclaration returns the encoding that an XML declaration names, or a meta element behind the first 1024 bytes; nil if
// none does.
func lateDeclaration(body []byte) (encoding.Encoding, string) {
	found := declaration.FindSubmatch(body[:min(len(body), maxDeclaration)])
	if found == nil {
		return nil, ""
	}
	enc, name := charset.Lookup(string(found[1]) + string(found[2]))
	if strings.HasPrefix(name, "utf-16") { // that it could be read shows that it is not
		return nil, ""
	}
	return enc, name
}

// utf16Order recognises UTF-16 without a byte order mark by where its zero bytes are.
func utf16Order(body []byte) encoding.Encoding {
	head := body[:min(len(body), 1024)&^1]
	if len(head) < 8 {
		return nil
	}
	var zeros [2]int
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	most := len(head) / 2
	switch {
	case zeros[1] > most*7/10 && zeros[0] < most/10:
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case zeros[0] > most*7/10 && zeros[1] < most/10:
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}
	return nil
}

// hasMultibyte reports whether body has any valid UTF-8 sequence beyond ASCII.
func hasMultibyte(body []byte) bool {
	for len(body) > 0 {
		r, size := utf8.DecodeRune(body)
		if size > 1 && r != utf8.RuneError {
			return true
		}
		body = body[size:]
	}
	return false
}
