package stream

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"strings"
	"time"

	"mellium.im/xmpp/jid"

	"tidings"
)

// Config says which stream is kept.
type Config struct {
	// Component is the domain of an external component; Account the bare address of an account. One of both is set.
	Component, Account string

	// Server is the HOST:PORT to connect to. A component needs it. If it is empty for an account, the DNS says where
	// the server is (SRV records: RFC 6120, section 3.2, and XEP-0368). DirectTLS says that an account's server has TLS
	// from the first byte there (XEP-0368), as at port 5223, and not by STARTTLS. The owner of the node chose both, so
	// that private addresses are as good as others.
	Server    string
	DirectTLS bool

	// Resource is that of an account's stream (RFC 6120, section 7). It stays the same, so that a server does not keep
	// a stream that has ended beside the next one. Streams of one account have different ones. "": DefaultResource.
	Resource string

	// Fleeting says that an account's stream is not resumed after its connection broke. So the account's other streams
	// learn at once that this one has ended.
	Fleeting bool

	// Secret is the component's shared secret, or the account's password.
	Secret string

	// Handle receives each message, presence and IQ in their order, but for what the stream answers itself. It is
	// called by one goroutine, which reads no further meanwhile.
	Handle func(stanza *Element)

	// Up is called after each beginning of a stream that is not resumed, before anything is received. It may Write.
	Up func()

	// Down is called after each end of a stream that had begun, before the next begins.
	Down func()

	TLS    *tls.Config // nil: the system's certificates
	Logger *slog.Logger

	// for connecting, a write, the rest of a stanza, and an answer; 0: DefaultPatience
	Patience time.Duration
	// without a stanza after which the server is asked whether it is there; 0: DefaultQuiet
	Quiet time.Duration
	// before connecting again: the wait doubles from one to the other; 0: the defaults
	FirstWait, MostWait time.Duration
}

// Defaults of a Config.
const (
	DefaultPatience  = 20 * time.Second
	DefaultQuiet     = time.Minute
	DefaultFirstWait = time.Second
	DefaultMostWait  = 5 * time.Minute

	// refusedWait is how long to wait at least where the server refused the node itself, such as its password.
	refusedWait = time.Minute
)

// DefaultResource is the resource of an account that has one stream.
const DefaultResource = "tidings"

// maxSecretBytes bounds a secret.
const maxSecretBytes = 1024

// Validate reports why no stream can be kept.
func (c Config) Validate() error {
	switch {
	case c.Component != "" && c.Account != "":
		return tidings.Invalidf("a node is a component or an account of XMPP, not both")
	case c.Component != "":
		if a, err := jid.Parse(c.Component); err != nil || a.Localpart() != "" || a.Resourcepart() != "" {
			return tidings.Invalidf("%s is no domain of a component: give one such as news.example.org",
				tidings.Quote(c.Component))
		}
		if c.Server == "" {
			return tidings.Invalidf(
				"a component needs the address of its server: give HOST:PORT, such as localhost:5347")
		}
	default:
		if a, err := jid.Parse(c.Account); err != nil || a.Localpart() == "" || a.Resourcepart() != "" {
			return tidings.Invalidf("%s is no account of XMPP: give one such as news@example.org",
				tidings.Quote(c.Account))
		}
	}
	if c.Server != "" {
		if host, port, err := net.SplitHostPort(c.Server); err != nil || host == "" || port == "" {
			return tidings.Invalidf("the XMPP server %s is not HOST:PORT", tidings.Quote(c.Server))
		}
	}
	if c.Secret == "" || len(c.Secret) > maxSecretBytes || strings.ContainsAny(c.Secret, "\r\n\x00") {
		return tidings.Invalidf("the secret of XMPP has 1 to %d bytes in one line", maxSecretBytes)
	}
	if c.Handle == nil {
		return errors.New("nothing handles stanzas")
	}
	return nil
}

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Resource == "" {
		c.Resource = DefaultResource
	}
	if c.Up == nil {
		c.Up = func() {}
	}
	if c.Down == nil {
		c.Down = func() {}
	}
	for value, usual := range map[*time.Duration]time.Duration{
		&c.Patience: DefaultPatience, &c.Quiet: DefaultQuiet, &c.FirstWait: DefaultFirstWait,
		&c.MostWait: DefaultMostWait,
	} {
		if *value == 0 {
			*value = usual
		}
	}
	return c
}

// content is the namespace of stanzas.
func (c Config) content() string {
	if c.Component != "" {
		return nsComponent
	}
	return nsClient
}

// domain is what the server answers for: the component's domain, which leads back to this node, or that of the account.
func (c Config) domain() string {
	if c.Component != "" {
		return c.Component
	}
	return jid.MustParse(c.Account).Domainpart()
}

// Bare returns the normalized address of a user or a domain, without a resource (RFC 7622).
func Bare(address string) (string, error) {
	a, err := jid.Parse(address)
	if err != nil {
		return "", tidings.Invalidf("%s is no address of XMPP: write it as user@example.org", tidings.Quote(address))
	}
	return a.Bare().String(), nil
}
