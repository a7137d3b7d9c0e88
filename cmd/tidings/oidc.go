package main

import "tidings/delivery/openid"

// oidcFlags say which OpenID Connect provider signs people in.
type oidcFlags struct {
	Issuer           string `help:"OpenID Connect provider that signs people in, beside passwords: its issuer, a URL. It is asked when somebody signs in. See docs/people.md." placeholder:"URL"`
	ClientID         string `name:"client-id" help:"By which the provider knows this node." placeholder:"ID"`
	ClientSecretFile string `help:"File whose first line is the secret that the provider gave to this node. Without it, that of TIDINGS_OIDC_CLIENT_SECRET, or none." placeholder:"FILE"`
	Name             string `help:"Name of the provider, as the page shows it; default: the issuer's host." placeholder:"NAME"`
	RolesClaim       string `help:"Claim with a person's groups; default groups." placeholder:"CLAIM"`
	AdminGroup       string `help:"Group of administrators: its members become that at each sign-in, and all others readers. Without it roles are set at this node." placeholder:"GROUP"`
	ReaderGroup      string `help:"Group of those that may sign in, beside administrators. Without it everybody may that has an account, or gets one by --oidc-create." placeholder:"GROUP"`
	Owner            string `help:"Subject (sub) of the provider's user that is the owner of the node." placeholder:"SUBJECT"`
	Create           bool   `help:"Make an account for everybody that signs in and has none: a reader's."`
	TrustNames       bool   `help:"Let a name at the provider open an account of that name which has been used already, but never the owner's. Only for a provider where people cannot choose their names."`
}

// clientSecretVariable is the environment's name for the secret that the provider gave to this node.
const clientSecretVariable = "TIDINGS_OIDC_CLIENT_SECRET"

// settings returns what the flags say, but for the secret.
func (f oidcFlags) settings() openid.Settings {
	return openid.Settings{
		Issuer: f.Issuer, ClientID: f.ClientID, Name: f.Name, RolesClaim: f.RolesClaim, AdminGroup: f.AdminGroup,
		ReaderGroup: f.ReaderGroup,
		Owner:       f.Owner, Create: f.Create, TrustNames: f.TrustNames,
	}
}
