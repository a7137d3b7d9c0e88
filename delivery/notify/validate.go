package notify

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"

	"tidings"
)

// Validate returns a tidings.ErrInvalid if nothing could be sent to a target. It says what to give instead.
func Validate(t tidings.Target) error {
	kind, err := tidings.ParseTargetKind(string(t.Kind))
	if err != nil {
		return err
	}
	p, known := protocols[kind]
	if !known {
		return tidings.Invalidf("targets of kind %s are not reached by HTTP", kind)
	}
	if err := p.checkSecret(t.Secret); err != nil {
		return err
	}
	if err := ValidateCommon(t); err != nil {
		return err
	}
	u, err := checkURL(t, p)
	if err != nil {
		return err
	}
	if kind == tidings.Generic {
		return checkForm(t)
	}
	if p.check != nil {
		return p.check(u)
	}
	return nil
}

func (p protocol) checkSecret(secret string) error {
	switch {
	case secret == "" && p.needsSecret:
		return tidings.Invalidf("the secret is missing: give the %s", p.secret)
	case secret == "":
		return nil
	case p.secret == "":
		return tidings.Invalidf("targets of kind %s have no secret: %s", p.label, p.instead)
	case len(secret) > tidings.MaxTargetSecret:
		return tidings.Invalidf("the secret has more than %d bytes: give the %s", tidings.MaxTargetSecret, p.secret)
	case !utf8.ValidString(secret), strings.ContainsFunc(secret,
		func(c rune) bool { return unicode.IsControl(c) || unicode.IsSpace(c) }):
		return tidings.Invalidf("the secret has blanks or line breaks in it: give the %s alone", p.secret)
	}
	if p.checkKey != nil {
		return p.checkKey(secret)
	}
	return nil
}

// checkURL returns the parsed URL. That of a Generic target has x in the place of each placeholder.
func checkURL(t tidings.Target, p protocol) (*url.URL, error) {
	address := t.URL
	switch {
	case address == "":
		return nil, tidings.Invalidf("the URL is missing: give %s, such as %s", p.url, p.example)
	case len(address) > tidings.MaxTargetURL:
		return nil, tidings.Invalidf("the URL has more than %d bytes: give a shorter one", tidings.MaxTargetURL)
	case !utf8.ValidString(address), strings.ContainsFunc(address,
		func(c rune) bool { return unicode.IsControl(c) || c == ' ' }):
		return nil, tidings.Invalidf("the URL has blanks or line breaks in it: write blanks as %%20")
	}
	if t.Kind == tidings.Generic {
		if at := placeholder.FindStringIndex(address); at != nil && at[0] < endOfHost(address) {
			return nil, tidings.Invalidf("the URL has a name in braces in its host: use them behind the host alone")
		}
		address = fill(address, "x")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, tidings.Invalidf("the URL cannot be read: give %s, such as %s", p.url, p.example)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, tidings.Invalidf("the URL does not begin with https:// or http://: give %s, such as %s",
			p.url, p.example)
	case u.Hostname() == "":
		return nil, tidings.Invalidf("the URL names no host: give %s, such as %s", p.url, p.example)
	case u.User != nil:
		return nil, tidings.Invalidf("the URL has a user name or password in it: %s", p.insteadOfUser())
	case u.Fragment != "" && t.Kind != tidings.Matrix:
		return nil, tidings.Invalidf("the URL has a part behind #, which is never sent: leave it out")
	}
	return u, nil
}

func (p protocol) insteadOfUser() string {
	if p.secret == "" {
		return p.instead
	}
	return "leave them out, and give the " + p.secret + " as secret"
}

// endOfHost returns where the path, query or fragment of an address begins.
func endOfHost(address string) int {
	start := 0
	if i := strings.Index(address, "://"); i >= 0 {
		start = i + len("://")
	}
	if i := strings.IndexAny(address[start:], "/?#"); i >= 0 {
		return start + i
	}
	return len(address)
}

// ValidateCommon returns a tidings.ErrInvalid for a name or a wording that no target can have. It does the same for a
// form if the kind has none.
func ValidateCommon(t tidings.Target) error {
	switch {
	case len(t.Name) > tidings.MaxTargetName:
		return tidings.Invalidf("the name has more than %d bytes: give a shorter one", tidings.MaxTargetName)
	case t.Form != nil && t.Kind != tidings.Generic:
		return tidings.Invalidf("only targets of kind %s have a form of their own: leave it out", tidings.Generic)
	}
	return checkTemplates(t)
}

func checkTemplates(t tidings.Target) error {
	size := len(t.Text.Title) + len(t.Text.Body)
	if err := checkNames("the title", t.Text.Title); err != nil {
		return err
	}
	if err := checkNames("the text", t.Text.Body); err != nil {
		return err
	}
	if size > tidings.MaxTemplate {
		return tidings.Invalidf("title and text have more than %d bytes: shorten them", tidings.MaxTemplate)
	}
	if !utf8.ValidString(t.Text.Title + t.Text.Body) {
		return tidings.Invalidf("title or text is not UTF-8: write it anew")
	}
	return nil
}

// methods are those of a Form.
var methods = []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodGet}

// connectionHeaders belong to the connection or to the request's frame, and are the node's to set.
var connectionHeaders = []string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive",
	"Proxy-Connection",
	"Proxy-Authorization", "Te", "Trailer", "Upgrade", "Expect", "Accept-Encoding"}

func checkForm(t tidings.Target) error {
	if err := checkNames("the URL", t.URL); err != nil {
		return err
	}
	f := formOf(t)
	if !slices.Contains(methods, f.Method) {
		return tidings.Invalidf("%s is no method of a form: use %s", tidings.Quote(f.Method),
			strings.Join(methods, ", "))
	}
	size := len(f.Method) + len(f.Body)
	seen := make(map[string]bool)
	for name, value := range f.Headers {
		size += len(name) + len(value)
		if err := checkHeader(name, value); err != nil {
			return err
		}
		if name = http.CanonicalHeaderKey(name); seen[name] {
			return tidings.Invalidf("the header %s is there twice: leave one out", name)
		}
		seen[name] = true
	}
	switch {
	case len(f.Headers) > tidings.MaxFormHeaders:
		return tidings.Invalidf("the form has more than %d headers: leave some out", tidings.MaxFormHeaders)
	case size > tidings.MaxTemplate:
		return tidings.Invalidf("the form has more than %d bytes: shorten it", tidings.MaxTemplate)
	case f.Method == http.MethodGet && f.Body != "":
		return tidings.Invalidf("a GET request has no body: put names in braces into the URL, or use POST")
	case !utf8.ValidString(f.Body):
		return tidings.Invalidf("the body is not UTF-8: write it anew")
	}
	if err := checkNames("the body", f.Body); err != nil {
		return err
	}
	if _, syntax := contentType(f); syntax == jsonSyntax && f.Body != "" {
		return checkJSON(f.Body)
	}
	return nil
}

// checkJSON refuses a body that is no JSON, or has placeholders outside strings. Those are found by an x, which is JSON
// within a string alone.
func checkJSON(body string) error {
	if !json.Valid([]byte(fill(body, ""))) || !json.Valid([]byte(fill(body, "x"))) {
		return tidings.Invalidf("the body is not JSON: " +
			`put quotes around names in braces, as in {"text": "{title}"}, or set another Content-Type`)
	}
	return nil
}

func checkHeader(name, value string) error {
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return tidings.Invalidf("%q is no name of a header: use letters, digits and hyphens", tidings.Quote(name))
	case slices.Contains(connectionHeaders, http.CanonicalHeaderKey(name)):
		return tidings.Invalidf("the header %s is set by the node: leave it out", http.CanonicalHeaderKey(name))
	case !httpguts.ValidHeaderFieldValue(value), !utf8.ValidString(value):
		return tidings.Invalidf("the header %s has line breaks or control characters in its value: leave them out",
			name)
	}
	return checkNames("the header "+name, value)
}

// lastSegment splits a URL into its base, without a slash at the end, and the last part of its path, decoded.
func lastSegment(u *url.URL) (base, last string) {
	path := strings.TrimRight(u.EscapedPath(), "/")
	i := strings.LastIndexByte(path, '/')
	last, err := url.PathUnescape(path[i+1:])
	if err != nil || i < 0 {
		return baseOf(u), ""
	}
	return u.Scheme + "://" + u.Host + strings.TrimRight(path[:i], "/"), last
}

// baseOf returns a URL without query and fragment, and without a slash at the end.
func baseOf(u *url.URL) string {
	return u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/")
}

// noQuery refuses URLs with a query, for protocols that have none.
func noQuery(u *url.URL) error {
	if u.RawQuery != "" || u.ForceQuery {
		return tidings.Invalidf("the URL has a part behind ?: leave it out, and give a token as secret")
	}
	return nil
}

// lastMatches returns a check that the last part of a URL's path matches.
func lastMatches(pattern *regexp.Regexp, hint string) func(*url.URL) error {
	return func(u *url.URL) error {
		if err := noQuery(u); err != nil {
			return err
		}
		if _, last := lastSegment(u); !pattern.MatchString(last) {
			return tidings.Invalidf("%s", hint)
		}
		return nil
	}
}
