package openid

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"tidings"
)

// Bounds on settings, in bytes.
const (
	maxIssuer = 512
	maxText   = 256 // of a name, a claim, a group, an identifier
)

// DefaultRolesClaim is the claim that most providers put groups in.
const DefaultRolesClaim = "groups"

// Settings say which provider signs people in, and which of its users may enter. The zero value is no provider.
type Settings struct {
	Issuer   string // URL of the provider, exactly as it calls itself; empty: there is no provider
	ClientID string // by which the provider knows this node
	Secret   string // that the provider has given to this node; empty: none, PKCE alone protects the code
	Name     string // of the provider, as shown; empty: the issuer's host

	// RolesClaim is the claim that holds a person's groups, a text or a list of texts. Empty: DefaultRolesClaim.
	RolesClaim string
	// AdminGroup has the administrators. All others that sign in become readers. Empty: roles are set at the node
	// alone.
	AdminGroup string
	// ReaderGroup has those that may sign in, beside AdminGroup. Empty: everybody may.
	ReaderGroup string

	Owner      string // subject of the provider's user that is the owner; empty: none is
	TrustNames bool   // see tidings.ProviderUser
	Create     bool   // a reader is made for each user that is not known
}

// Validate reports why the settings cannot be.
func (s Settings) Validate() error {
	if s.Issuer == "" {
		if s != (Settings{}) {
			return tidings.WithHint(tidings.Invalidf("settings of a provider that signs people in, and no issuer"),
				"name it with --oidc-issuer, or leave the others out")
		}
		return nil
	}
	u, err := url.Parse(s.Issuer)
	switch {
	case err != nil, len(s.Issuer) > maxIssuer, u.Host == "", u.User != nil, u.RawQuery != "", u.Fragment != "",
		!allowed(u, true):
		return tidings.Invalidf(
			"the issuer %s cannot be: it begins with https://, or on this machine http://, and has no ? and #",
			tidings.Quote(s.Issuer))
	case s.ClientID == "":
		return tidings.WithHint(tidings.Invalidf("a provider that signs people in, and no client ID"),
			"give the one by which the provider knows this node with --oidc-client-id")
	case s.ReaderGroup != "" && s.ReaderGroup == s.AdminGroup:
		return tidings.Invalidf("the group %s cannot be that of administrators and that of readers",
			tidings.Quote(s.AdminGroup))
	case len(s.Owner) > tidings.MaxSubject:
		return tidings.Invalidf("the owner's subject has more than %d bytes", tidings.MaxSubject)
	}
	for _, text := range []string{s.ClientID, s.Secret, s.Name, s.RolesClaim, s.AdminGroup, s.ReaderGroup} {
		if len(text) > maxText || strings.ContainsAny(text, "\r\n\x00") {
			return tidings.Invalidf("a setting of the provider has more than %d bytes, or more than one line", maxText)
		}
	}
	return nil
}

// allowed reports whether the node may ask a URL of a provider. local: the issuer is on this machine, where http will
// do.
func allowed(u *url.URL, local bool) bool {
	return u.Scheme == "https" || u.Scheme == "http" && local && isLocal(u)
}

// isLocal reports whether a URL is of this machine.
func isLocal(u *url.URL) bool {
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && addr.IsLoopback()
}

// shown returns the provider's name for people.
func (s Settings) shown() string {
	if s.Name != "" {
		return s.Name
	}
	u, err := url.Parse(s.Issuer)
	if err != nil {
		return s.Issuer
	}
	return u.Host
}

// rolesClaim returns the name of the claim that holds groups.
func (s Settings) rolesClaim() string {
	if s.RolesClaim == "" {
		return DefaultRolesClaim
	}
	return s.RolesClaim
}

// givesRoles reports whether groups count.
func (s Settings) givesRoles() bool { return s.AdminGroup != "" || s.ReaderGroup != "" }

// role returns the role that groups give, "" if they decide none, and whether they admit at all.
func (s Settings) role(groups []string) (role tidings.Role, admitted bool) {
	switch {
	case s.AdminGroup != "" && slices.Contains(groups, s.AdminGroup):
		return tidings.Administrator, true
	case s.ReaderGroup != "" && !slices.Contains(groups, s.ReaderGroup):
		return "", false
	case s.AdminGroup != "":
		return tidings.Reader, true
	}
	return "", true
}
