package notify

import (
	"cmp"
	"encoding/json"
	"errors"
	"html"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"tidings"
	"tidings/delivery/outbox"
)

var generic = protocol{
	label:   "Other",
	url:     "the address that the request is for; it may have {title} and other names in braces",
	example: "https://example.org/notify?text={title}",
	instead: "write it into a header, such as Authorization",
	build:   genericRequest,
}

// formOf returns a target's form with its method.
func formOf(t tidings.Target) tidings.Form {
	var f tidings.Form
	if t.Form != nil {
		f = *t.Form
	}
	f.Method = cmp.Or(strings.ToUpper(f.Method), http.MethodPost)
	return f
}

var errNoJSON = errors.New("the body is no valid JSON with this message: put quotes around names in braces")

// syntax is how values are escaped in a body.
type syntax int

const (
	plainSyntax syntax = iota
	jsonSyntax
	formSyntax
	xmlSyntax
)

// contentType returns the Content-Type of a form's body. A form that names none gets JSON if its body begins with a
// brace or bracket, else text.
func contentType(f tidings.Form) (string, syntax) {
	for name, value := range f.Headers {
		if strings.EqualFold(name, "Content-Type") {
			return value, syntaxOf(value)
		}
	}
	if start := strings.TrimSpace(fill(f.Body, "x")); strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[") {
		return "application/json", jsonSyntax
	}
	return "text/plain; charset=utf-8", plainSyntax
}

func syntaxOf(contentType string) syntax {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(contentType)), ";")
	}
	switch {
	case strings.HasSuffix(media, "/json"), strings.HasSuffix(media, "+json"):
		return jsonSyntax
	case media == "application/x-www-form-urlencoded":
		return formSyntax
	case strings.HasSuffix(media, "/xml"), strings.HasSuffix(media, "+xml"), media == "text/html":
		return xmlSyntax
	}
	return plainSyntax
}

func genericRequest(j job) (*request, error) {
	f := formOf(j.target)
	values := j.note.values()
	address, err := expand(j.target.URL, values, inURL)
	if err != nil {
		return nil, &outbox.Refusal{Err: err, Final: true}
	}
	h := make(http.Header)
	for name, template := range f.Headers {
		value, err := expand(template, values, inHeader)
		if err != nil {
			return nil, &outbox.Refusal{Err: err, Final: true}
		}
		h.Set(name, value)
	}
	r := &request{method: f.Method, url: address, header: h}
	if f.Body == "" {
		return r, nil
	}
	media, syntax := contentType(f)
	body, err := expand(f.Body, values, syntax.escape)
	if err != nil {
		return nil, &outbox.Refusal{Err: err, Final: true}
	}
	if syntax == jsonSyntax && !json.Valid([]byte(body)) {
		return nil,
			&outbox.Refusal{Err: errNoJSON, Final: true}
	}
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", media)
	}
	r.body = []byte(body)
	return r, nil
}

func (s syntax) escape(_, value string) string {
	switch s {
	case jsonSyntax:
		return inJSON(value)
	case formSyntax:
		return url.QueryEscape(value)
	case xmlSyntax:
		return html.EscapeString(inXML(value))
	}
	return value
}

// inURL escapes a value for a path or, behind a question mark, for a query. A value with a part of dots alone could
// lead to another folder, if the server decodes slashes: its dots become underscores.
func inURL(before, value string) string {
	if strings.Contains(before, "?") {
		return url.QueryEscape(value)
	}
	parts := strings.FieldsFunc(value, func(c rune) bool { return c == '/' || c == '\\' })
	for _, p := range parts {
		if strings.Trim(p, ".") == "" {
			return url.PathEscape(strings.ReplaceAll(value, ".", "_"))
		}
	}
	return url.PathEscape(value)
}

// inHeader keeps a value within its header.
func inHeader(_, value string) string { return oneLine(value) }

// inXML drops characters that XML 1.0 (section 2.2) does not have.
func inXML(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xfffe || c == 0xffff {
			return -1
		}
		return c
	}, strings.ToValidUTF8(s, ""))
}
