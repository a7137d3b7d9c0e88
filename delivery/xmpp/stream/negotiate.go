package stream

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"net"
	"strconv"
	"time"

	"golang.org/x/net/idna"
	"mellium.im/xmpp/jid"
)

// negotiation is the beginning of a stream, up to where stanzas are exchanged.
type negotiation struct {
	c      Config
	conn   net.Conn
	secure *tls.Conn // conn where it has TLS; nil: it has none
	from   *bufio.Reader
	reader *reader

	mechanism string // by which the account signed in
	managed   string // ID by which the stream can be resumed; "": it cannot
	counts    bool   // stream management is on
	resumed   bool
	received  *uint32    // stanzas of the stream before that the server has received, if it says so
	early     []*Element // stanzas that came before all was settled
}

// maxEarly bounds negotiation.early.
const maxEarly = 100

// candidate is where a server may be.
type candidate struct {
	address string // HOST:PORT
	direct  bool   // with TLS from the first byte
}

// candidates returns where the server may be, at most eight.
func (c Config) candidates(ctx context.Context) []candidate {
	if c.Server != "" {
		_, port, _ := net.SplitHostPort(c.Server)
		return []candidate{{c.Server, c.Component == "" && (c.DirectTLS || port == "5223")}}
	}
	var all []candidate
	for _, service := range []struct {
		name   string
		direct bool
	}{{"xmpps-client", true}, {"xmpp-client", false}} {
		_, found, err := net.DefaultResolver.LookupSRV(ctx, service.name, "tcp", ascii(c.domain()))
		if err != nil {
			continue // there is none, or the next attempt will find it
		}
		for _, s := range found[:min(len(found), 4)] {
			if s.Target != "." {
				all = append(all, candidate{net.JoinHostPort(s.Target, strconv.Itoa(int(s.Port))), service.direct})
			}
		}
	}
	if len(all) == 0 {
		all = []candidate{{net.JoinHostPort(ascii(c.domain()), "5222"), false}}
	}
	return all
}

// ascii returns a domain as the DNS and certificates have it.
func ascii(domain string) string {
	if a, err := idna.Lookup.ToASCII(domain); err == nil {
		return a
	}
	return domain
}

// connect begins a stream at the first candidate that accepts a connection. If possible, it resumes the stream with the
// ID previous, with the number of stanzas that came by it.
func (c Config) connect(ctx context.Context, previous string, handled uint32) (*negotiation, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Patience)
	defer cancel()
	var failures []error
	for _, at := range c.candidates(ctx) {
		host, _, _ := net.SplitHostPort(at.address)
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", at.address)
		if err != nil {
			failures = append(failures, words(host, err))
			continue
		}
		n, err := c.negotiate(ctx, conn, at.direct, previous, handled)
		if err == nil {
			return n, nil
		}
		if ctx.Err() == context.DeadlineExceeded {
			err = ctx.Err()
		}
		conn.Close()
		if r, ok := errors.AsType[*refused](err); ok {
			return nil, r
		}
		failures = append(failures, words(host, err))
	}
	return nil, errors.Join(failures...)
}

// negotiate begins a stream on a connection.
func (c Config) negotiate(ctx context.Context, conn net.Conn, direct bool, previous string,
	handled uint32) (*negotiation, error) {
	n := &negotiation{c: c, conn: conn}
	if err := conn.SetDeadline(within(ctx, c.Patience)); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if direct {
		if err := n.encrypt(ctx, "xmpp-client"); err != nil {
			return nil, err
		}
	}
	n.from = bufio.NewReader(n.conn)
	begin := n.beginAccount
	if c.Component != "" {
		begin = func(string, uint32, context.Context) error { return n.beginComponent() }
	}
	if err := begin(previous, handled, ctx); err != nil {
		n.refuse(err)
		return nil, err
	}
	if !stop() {
		return nil, ctx.Err()
	}
	n.reader.patience = c.Patience
	return n, conn.SetDeadline(time.Time{})
}

// refuse says to the server why the stream ends, if it broke a rule.
func (n *negotiation) refuse(err error) {
	if v, ok := errors.AsType[*violation](err); ok {
		_, _ = n.conn.Write(farewell(v.condition))
	}
}

// farewell is the end of a stream, with an error unless the condition is "".
func farewell(condition string) []byte {
	if condition == "" {
		return []byte("</stream:stream>")
	}
	return []byte("<stream:error><" + condition + " xmlns='" + nsStreams + "'/></stream:error></stream:stream>")
}

func (n *negotiation) write(e *Element) error {
	_, err := n.conn.Write(e.encode(n.c.content()))
	return err
}

// open opens the stream, and returns the header of the server's.
func (n *negotiation) open() (*Element, error) {
	var b bytes.Buffer
	b.WriteString("<?xml version='1.0'?><stream:stream xmlns='" + n.c.content() + "' xmlns:stream='" + nsStream + "'")
	writeAttribute(&b, "to", n.c.domain())
	if n.c.Component == "" {
		b.WriteString(" version='1.0'")
		if n.secure != nil {
			writeAttribute(&b, "from", n.c.Account)
		}
	}
	b.WriteString(">")
	if _, err := n.conn.Write(b.Bytes()); err != nil {
		return nil, err
	}
	n.reader = newReader(n.conn, n.from, n.c.content())
	return n.reader.open()
}

// next returns the next element, and errors of the stream as such.
func (n *negotiation) next() (*Element, error) {
	e, err := n.reader.next()
	if err == nil && e.Space == nsStream && e.Local == "error" {
		return nil, streamError(e)
	}
	return e, err
}

// beginComponent opens the stream of a component (XEP-0114, section 3).
func (n *negotiation) beginComponent() error {
	header, err := n.open()
	if err != nil {
		return err
	}
	digest := sha1.Sum([]byte(header.Get("id") + n.c.Secret))
	if err := n.write(New("", "handshake").Says(hex.EncodeToString(digest[:]))); err != nil {
		return err
	}
	answer, err := n.next()
	switch {
	case errors.Is(err, errEnded):
		return &refused{errors.New("the server did not accept the component: check its domain and its secret")}
	case err != nil:
		return err
	case answer.Space != "" || answer.Local != "handshake":
		return errors.New("the server does not speak the protocol of components there")
	}
	return nil
}

// beginAccount opens the stream of an account: TLS, signing in, and a resource, or the stream that was before.
func (n *negotiation) beginAccount(previous string, handled uint32, ctx context.Context) error {
	features, err := n.features()
	if err != nil {
		return err
	}
	if n.secure == nil {
		if err := n.startTLS(ctx, features); err != nil {
			return err
		}
		if features, err = n.features(); err != nil {
			return err
		}
	}
	if err := n.authenticate(features); err != nil {
		return err
	}
	if features, err = n.features(); err != nil {
		return err
	}
	manages := features.Child(nsSM, "sm") != nil
	if manages && previous != "" {
		if err := n.resume(previous, handled); err != nil || n.resumed {
			return err
		}
	}
	if err := n.bind(); err != nil || !manages {
		return err
	}
	return n.manage()
}

// features opens the stream and returns what the server offers.
func (n *negotiation) features() (*Element, error) {
	if _, err := n.open(); err != nil {
		return nil, err
	}
	features, err := n.next()
	if err != nil {
		return nil, err
	}
	if features.Space != nsStream || features.Local != "features" {
		return nil, errors.New("the server says nothing of what it offers")
	}
	return features, nil
}

// startTLS goes over to TLS. Bytes that came before it are refused: they may be from somebody between.
func (n *negotiation) startTLS(ctx context.Context, features *Element) error {
	if features.Child(nsTLS, "starttls") == nil {
		return &refused{errors.New("the server offers no TLS, and the password is not sent without")}
	}
	if err := n.write(New(nsTLS, "starttls")); err != nil {
		return err
	}
	answer, err := n.next()
	switch {
	case err != nil:
		return err
	case answer.Space != nsTLS || answer.Local != "proceed":
		return errors.New("the server does not go over to TLS")
	case n.from.Buffered() > 0:
		return &violation{"policy-violation", "something came before TLS that must not: somebody may stand between"}
	}
	return n.encrypt(ctx)
}

// encrypt makes a TLS connection of the one that there is.
func (n *negotiation) encrypt(ctx context.Context, protocols ...string) error {
	c := &tls.Config{}
	if n.c.TLS != nil {
		c = n.c.TLS.Clone()
	}
	c.ServerName, c.NextProtos = ascii(n.c.domain()), protocols
	c.MinVersion = max(c.MinVersion, tls.VersionTLS12)
	n.secure = tls.Client(n.conn, c)
	if err := n.secure.HandshakeContext(ctx); err != nil {
		return err
	}
	n.conn = n.secure
	n.from = bufio.NewReader(n.conn)
	return nil
}

// bind gets the resource of the stream (RFC 6120, section 7).
func (n *negotiation) bind() error {
	request := New("", "iq", "type", "set", "id",
		"bind").With(New(nsBind, "bind").With(New(nsBind, "resource").Says(n.c.Resource)))
	if err := n.write(request); err != nil {
		return err
	}
	answer, err := n.answer(func(e *Element) bool { return e.Space == "" && e.Local == "iq" && e.Get("id") == "bind" })
	switch {
	case err != nil:
		return err
	case answer.Get("type") != "result":
		return errors.New("the server gives the stream no resource: " + ErrorOf(answer).Condition)
	}
	bound := ""
	if b := answer.Child(nsBind, "bind"); b != nil && b.Child(nsBind, "jid") != nil {
		bound = b.Child(nsBind, "jid").Text
	}
	if a, err := jid.Parse(bound); err != nil || a.Bare().String() != jid.MustParse(n.c.Account).String() {
		return errors.New("the server gives the stream the address of another account")
	} else if a.Resourcepart() != n.c.Resource && n.c.Fleeting {
		return errors.New("the server gives the stream another resource than it asks for")
	}
	return nil
}

// resume goes on with the stream that was before, if the server still has it (XEP-0198, section 5).
func (n *negotiation) resume(previous string, handled uint32) error {
	err := n.write(New(nsSM, "resume", "previd", previous, "h", strconv.FormatUint(uint64(handled), 10)))
	if err != nil {
		return err
	}
	answer, err := n.answer(func(e *Element) bool {
		return e.Space == nsSM && (e.Local == "resumed" || e.Local == "failed")
	})
	if err != nil {
		return err
	}
	h, err := count(answer)
	if answer.Local == "failed" {
		if err == nil {
			n.received = &h
		}
		return nil
	}
	if err != nil {
		return err
	}
	n.managed, n.counts, n.resumed, n.received = previous, true, true, &h
	return nil
}

// manage has the server acknowledge stanzas, and keep the stream for a while when the connection breaks (XEP-0198,
// section 3).
func (n *negotiation) manage() error {
	enable := New(nsSM, "enable")
	if !n.c.Fleeting {
		enable.Attributes = map[string]string{"resume": "true"}
	}
	if err := n.write(enable); err != nil {
		return err
	}
	answer, err := n.answer(func(e *Element) bool {
		return e.Space == nsSM && (e.Local == "enabled" || e.Local == "failed")
	})
	if err != nil || answer.Local == "failed" {
		return err
	}
	n.counts = true
	if r := answer.Get("resume"); !n.c.Fleeting && (r == "true" || r == "1") {
		n.managed = answer.Get("id")
	}
	return nil
}

// count returns how many stanzas an element of stream management acknowledges.
func count(e *Element) (uint32, error) {
	h, err := strconv.ParseUint(e.Get("h"), 10, 32)
	if err != nil {
		return 0, &violation{"undefined-condition", "the server acknowledges no number of stanzas"}
	}
	return uint32(h), nil
}

// answer returns the next element that is meant, and keeps the stanzas before it.
func (n *negotiation) answer(meant func(*Element) bool) (*Element, error) {
	for {
		e, err := n.next()
		if err != nil || meant(e) {
			return e, err
		}
		if n.early = append(n.early, e); len(n.early) > maxEarly {
			return nil, errors.New("the server sends other things than the answer")
		}
	}
}
