package mail

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tidings"
	"tidings/delivery/locale"
	"tidings/delivery/notify"
	"tidings/delivery/outbox"
)

const (
	// DefaultTimeout bounds an attempt. It is shorter than that of the outbox, so that the reason is the server's.
	DefaultTimeout = 25 * time.Second

	// MaxMessage bounds a message as it is sent, in bytes.
	MaxMessage = 2 << 20

	// maxConnections is how many connections to the server are open at once: servers have bounds of their own, and
	// Postfix has 50 for a client.
	maxConnections = 8

	implicitPort = "465" // RFC 8314, section 7.3
)

// kind is that of a target which is a mail address.
const kind = tidings.Mail

// Config says how mail is sent.
type Config struct {
	// Server is the SMTP server's HOST:PORT. At port 465 TLS begins at once, elsewhere by STARTTLS.
	Server string

	// User and Password authenticate the sender to the server. Empty: the server asks for no proof.
	User, Password string

	// From is the address that mails come from, with or without a name: "News <news@example.org>".
	From string

	// PublicURL is the node's URL as others reach it, with https. It begins the links by which people confirm an
	// address and stop mails. Empty: they have a code and no such links.
	PublicURL string

	// Hello is the name by which the node greets the server. Empty: the host of PublicURL, else From's domain.
	Hello string

	UserAgent string         // "": Tidings
	Timeout   time.Duration  // of an attempt as a whole; 0: DefaultTimeout
	Roots     *x509.CertPool // that the server's certificate is checked by; nil: the system's
}

// Validate returns a tidings.ErrInvalid for what cannot be used, in words for the node's operator.
func (c Config) Validate() error {
	_, err := New(c)
	return err
}

// Sender sends mail. It is an outbox.Sender for targets of kind tidings.Mail. Its methods may be called by many
// goroutines at once.
type Sender struct {
	c           Config
	host        string // of Server
	implicitTLS bool
	from        sender
	public      string // PublicURL without a slash at the end

	slots chan struct{}
	local func(net.Addr) bool // isLoopback, but for tests
	now   func() time.Time
}

var _ outbox.Sender = (*Sender)(nil)

// New returns a Sender, or a tidings.ErrInvalid that says what is wrong with c. It starts nothing.
func New(c Config) (*Sender, error) {
	s := &Sender{slots: make(chan struct{}, maxConnections), local: isLoopback, now: time.Now}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.UserAgent == "" {
		c.UserAgent = "Tidings"
	}
	s.public = strings.TrimRight(c.PublicURL, "/")
	host, port, err := net.SplitHostPort(c.Server)
	number, err2 := strconv.ParseUint(port, 10, 16)
	switch {
	case err != nil, host == "", err2 != nil, number == 0:
		return nil, tidings.Invalidf("%s is no address of a mail server: give HOST:PORT, such as smtp.example.org:587",
			tidings.Quote(c.Server))
	case c.From == "":
		return nil, tidings.Invalidf("mail has no sender: give the address that it comes from")
	case c.Password != "" && c.User == "":
		return nil, tidings.Invalidf("there is a password for the mail server, and no user name")
	}
	if s.from, err = parseSender(c.From); err != nil {
		return nil, err
	}
	if c.Hello == "" {
		c.Hello = s.from.domain
		if u, err := url.Parse(s.public); err == nil && isDomain(u.Hostname()) {
			c.Hello = u.Hostname()
		}
	}
	s.c, s.host, s.implicitTLS = c, host, port == implicitPort
	return s, nil
}

var (
	errSlow = errors.New("the attempt was too slow")

	// errUnconfirmed is why an address gets nothing.
	errUnconfirmed = errors.New("the address is not confirmed: open the link in the mail that was sent there, " +
		"or enter the code from it")
)

// Problem says why nothing is sent to an address that is not confirmed.
func Problem() string { return errUnconfirmed.Error() }

// Validate returns a tidings.ErrInvalid if nothing could be sent to a target.
func (s *Sender) Validate(t tidings.Target) error {
	if _, err := Address(t.URL); err != nil {
		return err
	}
	return notify.ValidateCommon(t)
}

// Send makes one attempt to send a message. See the package's comment for its errors.
func (s *Sender) Send(ctx context.Context, t tidings.Target, m outbox.Message) error {
	if !Confirmed(t.Secret) {
		return &outbox.Refusal{Err: errUnconfirmed, Gone: true}
	}
	return s.send(ctx, t, letterOf(t, m), m.ID)
}

// Ask sends the mail by which a recipient confirms an address. The name is that of the person that has added it; "": an
// unknown one. It is in the language of ctx.
func (s *Sender) Ask(ctx context.Context, t tidings.Target, name string) error {
	return s.send(ctx, t, s.request(locale.Of(ctx), t, name),
		fmt.Sprintf("confirm-%s-%d", strings.ToLower(keyOf(t.Secret)[:8]),
			s.now().UnixMilli()))
}

func (s *Sender) send(ctx context.Context, t tidings.Target, l letter, id string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.c.Timeout, errSlow)
	defer cancel()
	to, err := Address(t.URL)
	if err != nil {
		return err
	}
	message, err := s.write(t, to, l, id)
	if err != nil {
		return &outbox.Refusal{Err: err, Final: true}
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer func() { <-s.slots }()
	if err := s.transmit(ctx, to, message); err != nil {
		return s.failure(ctx, err)
	}
	return nil
}

// enter waits for a slot. Where one is free, it is taken even if the time is over: the reason is then another one.
func (s *Sender) enter(ctx context.Context) error {
	select {
	case s.slots <- struct{}{}:
		return nil
	default:
	}
	select {
	case s.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), errSlow) {
			return fmt.Errorf("%d mails are under way to the mail server %s, which is slow", maxConnections, s.host)
		}
		return ctx.Err()
	}
}

// Preview returns what a target would be sent. It sends nothing.
func (s *Sender) Preview(t tidings.Target, m outbox.Message) (notify.Sample, error) {
	if err := s.Validate(t); err != nil {
		return notify.Sample{}, err
	}
	to, err := Address(t.URL)
	if err != nil {
		return notify.Sample{}, err
	}
	l := letterOf(t, m)
	t.Secret = unconfirmed + strings.Repeat("•", keyLength) // no link of a preview works
	text, err := s.plain(t, l)
	if err != nil {
		return notify.Sample{}, err
	}
	return notify.Sample{Title: l.Subject, Text: text,
		Request: fmt.Sprintf("From: %s <%s>\nTo: %s\nSubject: %s\n\n%s", s.from.name, s.from.address, to, l.Subject,
			text)}, nil
}
