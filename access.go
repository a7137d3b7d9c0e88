package tidings

import "strings"

// Access is what a channel's origin is sent besides what every origin is sent, and the proxy by which it is reached. It
// is secret: it is kept apart from the channel, and shown to nobody. Package source/fetch checks it.
type Access struct {
	User, Password string   // HTTP basic credentials
	Headers        []string // each "Name: value", sorted; one of a name
	Cookies        []string // each "name=value", sorted; one of a name
	Proxy          string   // URL of a proxy, which may have a user name and password; empty: none
}

// IsZero reports whether the origin is asked as any other is.
func (a Access) IsZero() bool { return a.Proxy == "" && !a.Identifies() }

// Identifies reports whether the origin is sent something that is for it alone.
func (a Access) Identifies() bool {
	return a.User != "" || a.Password != "" || len(a.Headers)+len(a.Cookies) > 0
}

// Elsewhere returns what holds for addresses of other origins: the proxy alone.
func (a Access) Elsewhere() Access { return Access{Proxy: a.Proxy} }

// String hides it all.
func (a Access) String() string {
	if a.IsZero() {
		return "none"
	}
	return "…"
}

// Names returns what may be shown to those that follow the channel.
func (a Access) Names() AccessNames {
	return AccessNames{Password: a.User != "" || a.Password != "", Headers: cutAll(a.Headers, ":"), Cookies: cutAll(a.Cookies, "="), Proxy: a.Proxy != ""}
}

func cutAll(pairs []string, mark string) (names []string) {
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair, mark)
		names = append(names, name)
	}
	return names
}

// AccessNames says which parts an Access has, without their values.
type AccessNames struct {
	Password bool     `json:"password,omitempty"`
	Headers  []string `json:"headers,omitempty"` // names
	Cookies  []string `json:"cookies,omitempty"` // names
	Proxy    bool     `json:"proxy,omitempty"`
}

// AccessChange sets or removes parts of an Access; what it does not name stays.
type AccessChange struct {
	Headers []string `json:"headers,omitempty"` // each "Name: value"; without a value, the header is removed
	Cookies []string `json:"cookies,omitempty"` // each "name=value"; without a value, the cookie is removed
	Proxy   *string  `json:"proxy,omitempty"`   // "": removed
}

// IsZero reports whether it changes nothing.
func (c AccessChange) IsZero() bool { return len(c.Headers)+len(c.Cookies) == 0 && c.Proxy == nil }
