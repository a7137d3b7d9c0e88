package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

const (
	maxReplies = 256 << 10       // bytes of all replies of a server in a session, with what TLS adds
	quitWait   = 1 * time.Second // for the answer to QUIT: the message has been accepted by then
)

var (
	errEndless  = errors.New("the replies never end")
	errNoTLS    = errors.New("it does not offer STARTTLS, and this node sends mail over encrypted connections alone")
	errNoSignIn = errors.New("it offers no way to sign in that this node has: PLAIN, LOGIN or CRAM-MD5")
)

// stage is how far a session has come.
type stage int

const (
	connecting stage = iota
	signingIn
	sending  // the sender
	naming   // the recipient
	handing  // the message
	accepted // it
)

// staged is an error with the stage in which it happened.
type staged struct {
	stage stage
	err   error
}

func (s *staged) Error() string { return s.err.Error() }
func (s *staged) Unwrap() error { return s.err }

// boundedConn ends after so many bytes.
type boundedConn struct {
	net.Conn
	left int
}

func (c *boundedConn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errEndless
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// transmit sends one message to the server. It returns nil once the server has accepted it, whatever happens then. It
// uses the library's commands, and not its client. If the server accepts a message and does not answer the RSET behind
// it, the client reports a failure. Then the message would be sent again. The error is a *staged.
func (s *Sender) transmit(ctx context.Context, to string, message []byte) error {
	at := connecting
	err := s.session(ctx, to, message, &at)
	if err == nil || at == accepted {
		return nil
	}
	return &staged{at, err}
}

// session ends with ctx, which closes the connection.
func (s *Sender) session(ctx context.Context, to string, message []byte, at *stage) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.c.Server)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()

	client, err := s.greet(ctx, conn)
	if err != nil {
		return err
	}
	*at = signingIn
	if err := s.signIn(client); err != nil {
		return err
	}
	*at = sending
	if err := client.Mail("<" + s.from.address + ">"); err != nil {
		return err
	}
	*at = naming
	if err := client.Rcpt("<" + to + ">"); err != nil {
		return err
	}
	*at = handing
	w, err := client.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(message); err != nil {
		return fmt.Errorf("writing the message: %w", err)
	}
	if err := w.Close(); err != nil {
		return err
	}
	*at = accepted
	if err := conn.SetDeadline(time.Now().Add(quitWait)); err == nil {
		_ = client.Quit()
	}
	return nil
}

// greet returns a session in which both sides have said hello, encrypted unless the server is on this machine.
func (s *Sender) greet(ctx context.Context, conn net.Conn) (*smtp.Client, error) {
	local := s.local(conn.RemoteAddr())
	config := s.tlsConfig(local)
	var stream net.Conn = &boundedConn{conn, maxReplies}
	if s.implicitTLS {
		encrypted := tls.Client(stream, config)
		if err := encrypted.HandshakeContext(ctx); err != nil {
			return nil, err
		}
		stream = encrypted
	}
	client, err := smtp.NewClient(stream, s.host)
	if err != nil {
		return nil, err
	}
	client.SkipSMTPUTF8(true) // addresses are ASCII
	if err := client.Hello(s.c.Hello); err != nil {
		return nil, err
	}
	if s.implicitTLS {
		return client, nil
	}
	switch offered, _ := client.Extension("STARTTLS"); {
	case offered:
		return client, client.StartTLS(config)
	case !local:
		return nil, errNoTLS
	}
	return client, nil
}

// tlsConfig has no certificate checked at this machine: nobody stands between, and mail servers often have one there
// that they made themselves.
func (s *Sender) tlsConfig(local bool) *tls.Config {
	return &tls.Config{
		ServerName: s.host, MinVersion: tls.VersionTLS12, RootCAs: s.c.Roots, InsecureSkipVerify: local,
	}
}

// isLoopback reports whether an address is this machine's own.
func isLoopback(a net.Addr) bool {
	to, ok := a.(*net.TCPAddr)
	return ok && to.IP.IsLoopback()
}

// signIn authenticates the sender to the server, if the node has a name there. The connection is encrypted, or does not
// leave the machine.
func (s *Sender) signIn(client *smtp.Client) error {
	if s.c.User == "" {
		return nil
	}
	_, offered := client.Extension("AUTH")
	ways := strings.Fields(strings.ToUpper(offered))
	has := func(way string) bool { return slices.Contains(ways, way) }
	switch {
	case has("PLAIN"):
		return client.Auth(smtp.PlainAuth("", s.c.User, s.c.Password, s.host, true))
	case has("LOGIN"):
		return client.Auth(smtp.LoginAuth(s.c.User, s.c.Password, s.host, true))
	case has("CRAM-MD5"):
		return client.Auth(smtp.CRAMMD5Auth(s.c.User, s.c.Password))
	}
	return errNoSignIn
}
