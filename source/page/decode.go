package page

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strings"

	"tidings/charset"
)

// form is how a document is written.
type form int

const (
	formHTML form = iota
	formText
	formJSON
	formXML
)

// sniff returns how body is written: by its first bytes where they say it, else by the
// type that the origin claims. A wrong claim is more frequent than wrong bytes.
func sniff(body []byte, contentType string) (form, error) {
	claimed := mediaType(contentType)
	seen := mediaType(http.DetectContentType(body))
	textual := strings.HasPrefix(seen, "text/") || seen == "application/octet-stream" && isWide(body)
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

// isWide reports whether body has more than one byte a character.
func isWide(body []byte) bool {
	enc, _ := charset.Wide(body)
	return enc != nil
}

// decode returns body as valid UTF-8. Package charset finds out how it is encoded, by its bytes and by what the header
// and the document itself declare.
func decode(body []byte, contentType string) (text string, notes []string) {
	decoded := charset.Decode(body, charset.InHeader(contentType), charset.InHTML(body))
	if decoded.Name != "utf-8" {
		notes = append(notes, "read as "+decoded.Name)
	}
	return string(decoded.UTF8), append(notes, decoded.Notes...)
}
