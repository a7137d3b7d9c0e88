package xmpp

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"tidings"
	"tidings/delivery/xmpp/stream"
)

// Settings are what a node's owner says of its bot. The zero Settings: there is none.
type Settings struct {
	Component string // HOST:PORT of a server that lets the node in as a component (XEP-0114)
	Domain    string // of the component

	Account   string // instead of a component: the address of an ordinary account
	Server    string // HOST:PORT of its server; "": the DNS says where it is
	DirectTLS bool   // TLS from the first byte there (XEP-0368), and not by STARTTLS
	CAFile    string // PEM, with the certificates that its server's is signed by; "": those of the system

	Shared bool // other nodes of the same owner are signed in to the account, too

	Secret  string   // the component's shared secret, or the account's password
	Domains []string // those that may subscribe; empty: all
}

// Enabled reports whether there is a bot.
func (s Settings) Enabled() bool { return s.Component != "" || s.Domain != "" || s.Account != "" }

// Validate reports what is wrong with the settings, but for a secret that is missing.
func (s Settings) Validate() error {
	switch {
	case !s.Enabled() && (s.Server != "" || s.DirectTLS || s.CAFile != "" || s.Shared || len(s.Domains) > 0):
		return tidings.Invalidf("settings of XMPP, and neither a component nor an account: name one")
	case !s.Enabled():
		return nil
	case s.Account != "" && (s.Component != "" || s.Domain != ""):
		return tidings.Invalidf("a node is a component or an account of XMPP, not both")
	case s.Component != "" && s.Domain == "":
		return tidings.Invalidf("a component of XMPP has a domain: name it, such as news.example.org")
	case s.Component == "" && s.Domain != "":
		return tidings.Invalidf(
			"a component of XMPP needs the address of its server: HOST:PORT, such as localhost:5347")
	case s.Component != "" && (s.Server != "" || s.DirectTLS || s.CAFile != ""):
		return tidings.Invalidf("a component of XMPP has no other server, and no TLS")
	case s.Component != "" && s.Shared:
		return tidings.Invalidf("nodes share an account of XMPP, and no component: it has one connection")
	}
	c := s.stream()
	c.Secret, c.Handle = cmp.Or(c.Secret, "missing"), func(*stream.Element) {}
	if err := c.Validate(); err != nil {
		return err
	}
	_, err := domains(s.Domains)
	return err
}

func (s Settings) stream() stream.Config {
	return stream.Config{
		Component: s.Domain, Account: s.Account, Server: cmp.Or(s.Component, s.Server), DirectTLS: s.DirectTLS,
		Secret: s.Secret,
	}
}

// Stream returns the stream that the settings describe.
func (s Settings) Stream() (stream.Config, error) {
	c := s.stream()
	if s.CAFile == "" {
		return c, nil
	}
	pem, err := os.ReadFile(s.CAFile)
	if err != nil {
		return c, fmt.Errorf("reading the certificates of the XMPP server: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return c, errors.New("there is no certificate in " + s.CAFile)
	}
	c.TLS = &tls.Config{RootCAs: roots}
	return c, nil
}
