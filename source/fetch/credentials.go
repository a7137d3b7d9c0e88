package fetch

import (
	"fmt"
	"net/url"
	"strings"

	"tidings"
)

// SplitCredentials removes the user name and password from an address and returns them. The error does not repeat the
// address.
func SplitCredentials(raw string) (clean, user, password string, err error) {
	u, err := url.Parse(raw)
	if err != nil {
		return "", "", "", fmt.Errorf("address cannot be read: %w", tidings.ErrInvalid)
	}
	if u.User == nil {
		return raw, "", "", nil
	}
	user = u.User.Username()
	password, _ = u.User.Password()
	u.User = nil
	return u.String(), user, password, nil
}

// hidden stands in place of what is not shown.
const hidden = "…"

// Redact makes an address fit for a log: without user name and password, and with
// values and parts that look like secrets left out.
func Redact(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" {
		scheme, _, _ := strings.Cut(raw, ":")
		if len(scheme) > 10 || strings.ContainsAny(scheme, "@/?") {
			return hidden
		}
		return scheme + ":" + hidden
	}
	var b strings.Builder
	if u.Scheme != "" {
		b.WriteString(u.Scheme + "://")
	}
	b.WriteString(u.Host)
	known := knownPublic(u.Hostname(), u.Path)
	for i, part := range strings.Split(u.EscapedPath(), "/") {
		if i > 0 {
			b.WriteByte('/')
		}
		if plain, err := url.PathUnescape(part); err != nil || !known && secretPart(plain) {
			part = hidden
		}
		b.WriteString(part)
	}
	if u.RawQuery != "" {
		b.WriteByte('?')
		for i, pair := range strings.Split(u.RawQuery, "&") {
			if i > 0 {
				b.WriteByte('&')
			}
			if secretQuery(pair, known) {
				name, _, _ := strings.Cut(pair, "=")
				if !secretName(name) && secretPart(name) {
					name = hidden
				}
				pair = name + "=" + hidden
			}
			b.WriteString(pair)
		}
	}
	return b.String()
}
