package notify

import (
	"encoding/base64"
	"errors"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"tidings"
	"tidings/delivery/outbox"
	"tidings/delivery/webpush"
)

// dots stand for a secret.
const dots = "•••"

// minHidden is how long a value of a URL's query must be to be redacted, in bytes: shorter ones are no secrets.
const minHidden = 4

// escapedJSON writes JSON as servers do that make it fit to stand in HTML.
var escapedJSON = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`)

// secretsOf returns the secret parts of a target, in every form in which they are sent, the longest first.
func secretsOf(t tidings.Target) []string {
	var secrets []string
	if t.Secret != "" {
		secrets = append(secrets, t.Secret, base64.StdEncoding.EncodeToString([]byte(t.Secret)),
			strings.TrimPrefix(t.Secret, secretPrefix))
		if _, password, ok := strings.Cut(t.Secret, ":"); ok {
			secrets = append(secrets, password)
		}
	}
	if to, err := webpush.ParseRecipient(t.Secret); err == nil && t.Kind == tidings.BrowserPush {
		secrets = append(secrets, to.Auth, to.P256dh)
	}
	secrets = append(secrets, secretsOfURL(t)...)
	if t.Form != nil {
		for name, value := range t.Form.Headers {
			if bearsSecret(name) {
				secrets = append(secrets, strings.TrimSpace(value))
				if _, token, ok := strings.Cut(value, " "); ok {
					secrets = append(secrets, strings.TrimSpace(token))
				}
			}
		}
	}
	var all []string
	for _, s := range secrets {
		if s != "" {
			all = append(all, s, url.QueryEscape(s), url.PathEscape(s), inJSON(s), html.EscapeString(s),
				escapedJSON.Replace(inJSON(s)))
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(all)
}

func secretsOfURL(t tidings.Target) []string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return []string{t.URL}
	}
	var secrets []string
	for _, values := range u.Query() {
		for _, v := range values {
			if len(v) >= minHidden && !placeholder.MatchString(v) {
				secrets = append(secrets, v)
			}
		}
	}
	if t.Kind == tidings.Discord || t.Kind == tidings.Slack ||
		t.Kind == tidings.BrowserPush && len(u.Path) > minHidden {
		secrets = append(secrets, u.Path, u.Path[strings.LastIndexByte(u.Path, '/')+1:])
	}
	return secrets
}

// bearsSecret reports whether a header of that name is likely to carry a secret.
func bearsSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"auth", "token", "key", "secret", "cookie", "pass"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}

// redact puts dots in the place of each secret. The longest go first, so that no part of one stays.
func redact(text string, hidden []string) string {
	for _, s := range hidden {
		text = strings.ReplaceAll(text, s, dots)
	}
	return text
}

// redactedError returns an error of the same kind without secrets, in one line.
func redactedError(err error, hidden []string) error {
	if err == nil {
		return nil
	}
	text := errors.New(redact(oneLine(err.Error()), hidden))
	if r, ok := errors.AsType[*outbox.Refusal](err); ok {
		return &outbox.Refusal{Err: text, Gone: r.Gone, Final: r.Final, After: r.After}
	}
	return text
}

// inJSON returns s as it stands in a JSON string, without the quotes.
func inJSON(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	b, err := marshal(s)
	if err != nil {
		panic("a string is always JSON: " + err.Error())
	}
	return string(b[1 : len(b)-1])
}
