package openid

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"tidings"
	"tidings/delivery/auth"
)

// claims are what a provider says of a user.
type claims map[string]json.RawMessage

// text returns a claim that is a text; "" if it is none.
func (c claims) text(name string) (text string) {
	if json.Unmarshal(c[name], &text) != nil {
		return ""
	}
	return text
}

// texts returns a claim that is a list of texts, or one text; nil if it is neither.
func (c claims) texts(name string) (all []string) {
	if one := c.text(name); one != "" {
		return []string{one}
	}
	if json.Unmarshal(c[name], &all) != nil {
		return nil
	}
	return all
}

// yes reports whether a claim is true. Not all providers send a boolean: a text counts as well.
func (c claims) yes(name string) bool {
	return string(c[name]) == "true" || c.text(name) == "true"
}

// names returns by which names an account may be found: the user's own, and an address that the provider has verified.
// Those that no account can have are left out.
func (c claims) names() (all []string) {
	candidates := []string{c.text("preferred_username")}
	if c.yes("email_verified") {
		candidates = append(candidates, c.text("email"))
	}
	for _, name := range candidates {
		if tidings.ValidatePersonName(name) == nil && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// claimsOf returns what the provider says of the user of a token. The user endpoint is asked for what the ID token
// lacks.
func (c *Client) claimsOf(ctx context.Context, p *provider, token *oauth2.Token, id *oidc.IDToken) (claims, error) {
	all := claims{}
	if err := id.Claims(&all); err != nil {
		return nil, fmt.Errorf("%w: reading the ID token: %w", ErrInvalid, err)
	}
	complete := len(all.names()) > 0 && (!c.settings.givesRoles() || all[c.settings.rolesClaim()] != nil)
	if complete || p.UserInfoEndpoint() == "" {
		return all, nil
	}
	info, err := p.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return nil, fmt.Errorf("%w: asking for the user: %w", ErrNoAnswer, err)
	}
	if info.Subject != id.Subject { // OpenID Connect Core 1.0, section 5.3.2
		return nil, fmt.Errorf("%w: the user endpoint is about another user", ErrInvalid)
	}
	more := claims{}
	if err := info.Claims(&more); err != nil {
		return nil, fmt.Errorf("%w: reading the user: %w", ErrNoAnswer, err)
	}
	for name, value := range more {
		if all[name] == nil {
			all[name] = value
		}
	}
	return all, nil
}

// userOf returns the user that signs in, and whether the groups admit that user. What the settings say of the owner
// goes before.
func (c *Client) userOf(subject string, said claims) (u tidings.ProviderUser, admitted bool) {
	u = tidings.ProviderUser{
		Issuer: c.settings.Issuer, Subject: subject, Names: said.names(),
		Owner:      c.settings.Owner != "" && subject == c.settings.Owner,
		TrustNames: c.settings.TrustNames, Create: c.settings.Create, NoPassword: auth.NoPassword(),
	}
	u.Role, admitted = c.settings.role(said.texts(c.settings.rolesClaim()))
	return u, admitted || u.Owner
}
