package mail

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tidings/delivery/mail/mailtest"
	"tidings/delivery/outbox"
	"tidings/egress/egresstest"
)

// fake is an SMTP server that follows a script: what it replies to each command, by the command's first word. GREETING
// and DOT are that of the connection and of the end of a message. An empty reply closes the connection.
type fake struct {
	replies  map[string]string
	hang     string // the command after which it says nothing any more
	flood    string // the command after which it never stops
	ended    chan struct{}
	messages atomic.Int32
	open     atomic.Int32
	mostOpen atomic.Int32
}

var usual = map[string]string{
	"GREETING": "220 mx ready\r\n", "EHLO": "250-mx\r\n250 AUTH PLAIN\r\n", "AUTH": "235 2.7.0 welcome\r\n",
	"MAIL": "250 ok\r\n", "RCPT": "250 ok\r\n", "DATA": "354 go on\r\n", "DOT": "250 queued\r\n", "QUIT": "221 bye\r\n",
	"HELO": "250 mx\r\n", "RSET": "250 ok\r\n",
}

func (f *fake) start(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.ended = make(chan struct{})
	var connections sync.WaitGroup
	t.Cleanup(func() {
		close(f.ended)
		l.Close()
		connections.Wait()
	})
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			connections.Go(func() { f.serve(conn) })
		}
	}()
	return l.Addr().String()
}

func (f *fake) serve(conn net.Conn) {
	defer conn.Close()
	f.mostOpen.Store(max(f.mostOpen.Load(), f.open.Add(1)))
	over := sync.OnceFunc(func() { f.open.Add(-1) })
	defer over()
	lines := bufio.NewReader(conn)
	if !f.reply(conn, "GREETING") {
		return
	}
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		command, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " ")
		if command == "QUIT" {
			over() // before the client can begin another
		}
		if !f.reply(conn, command) {
			return
		}
		if command != "DATA" || f.replies["DATA"] != usual["DATA"] {
			continue
		}
		for line != ".\r\n" {
			if line, err = lines.ReadString('\n'); err != nil {
				return
			}
		}
		f.messages.Add(1)
		if !f.reply(conn, "DOT") {
			return
		}
	}
}

func (f *fake) reply(conn net.Conn, command string) bool {
	switch {
	case f.hang == command:
		<-f.ended
		return false
	case f.flood == command:
		flood := bytes.Repeat([]byte("250-more and more"), 1000)
		for {
			if _, err := conn.Write(flood); err != nil {
				return false
			}
		}
	}
	reply, known := f.replies[command]
	if !known {
		reply = "500 what?\r\n"
	}
	_, err := io.WriteString(conn, reply)
	return err == nil && reply != ""
}

// but returns the usual replies, with others for the changed commands.
func but(changes ...string) map[string]string {
	replies := make(map[string]string)
	for k, v := range usual {
		replies[k] = v
	}
	for i := 0; i < len(changes); i += 2 {
		replies[changes[i]] = changes[i+1]
	}
	return replies
}

func localSender(t testing.TB, server string, timeout time.Duration) *Sender {
	t.Helper()
	s := testSender(t, Config{Server: server, User: "ada", Password: "secret99", Timeout: timeout})
	s.local = isLoopback
	return s
}

func send(s *Sender) (outbox.Refusal, error) {
	err := s.Send(context.Background(), testTarget("ada@example.org"), testMessage(testItem()))
	if r, ok := errors.AsType[*outbox.Refusal](err); ok {
		return *r, err
	}
	return outbox.Refusal{}, err
}

// Whatever a server replies, and whenever it falls silent, an attempt ends in time with a reason in plain words.
func TestHostileServers(t *testing.T) {
	for name, c := range map[string]struct {
		replies map[string]string
		want    string // "": accepted
		gone    bool
		final   bool
	}{
		"well": {but(), "", false, false},
		"no other protocol": {but("GREETING", "HTTP/1.1 400 Bad Request\r\n\r\n"), "is no mail server", false,
			false},
		"closes at once": {but("GREETING", ""), "closed the connection", false, false},
		"turns away": {but("GREETING", "554 5.7.1 not you\r\n"),
			"does not serve this node: 554 5.7.1 not you", false, false},
		"busy": {but("GREETING", "421 come later\r\n"), "421 come later", false, false},
		"signs nobody in": {but("AUTH", "535 5.7.8 \x1b[31mno AGFkYQBzZWNyZXQ5OQ== secret99\r\n"),
			"sign in: 535 5.7.8 [31mno ••• •••", false, false},
		"no way to sign in": {but("EHLO", "250-mx\r\n250 AUTH XOAUTH2 NTLM\r\n"), "no way to sign in", false,
			false},
		"sender":                  {but("MAIL", "550 5.7.1 not from you\r\n"), "does not send mail from", false, false},
		"no mailbox":              {but("RCPT", "550 5.1.1 unknown\r\n"), "550 5.1.1 unknown", true, false},
		"no mailbox, old":         {but("RCPT", "550 unknown\r\n"), "550 unknown", true, false},
		"disabled":                {but("RCPT", "550 5.2.1 disabled\r\n"), "5.2.1", true, false},
		"policy":                  {but("RCPT", "550 5.7.1 relaying denied\r\n"), "relaying denied", false, true},
		"full":                    {but("RCPT", "552 mailbox full\r\n"), "mailbox full", false, true},
		"greylisted":              {but("RCPT", "451 4.7.1 later\r\n"), "451", false, false},
		"no data":                 {but("DATA", "451 disk full\r\n"), "451 disk full", false, false},
		"message refused":         {but("DOT", "554 5.7.1 spam\r\n"), "did not accept the message: 554", false, true},
		"message later":           {but("DOT", "452 later\r\n"), "452", false, false},
		"closes behind the dot":   {but("DOT", ""), "ended the connection before it accepted", false, false},
		"closes behind the reply": {but("QUIT", ""), "", false, false},
		"nonsense for QUIT":       {but("QUIT", "999\r\n"), "", false, false},
		"no reply":                {but("RCPT", "\r\n\r\n"), "is no mail server", false, false},
		"no code":                 {but("MAIL", "yes\r\n"), "is no mail server", false, false},
		"long reason": {but("RCPT", "550-5.1.1 a\r\n550 5.1.1 "+strings.Repeat("x", 9000)+"\r\n"), "xxx…",
			true, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{replies: c.replies}
			r, err := send(localSender(t, f.start(t), time.Minute))
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 400):
				t.Errorf("%v, not %q", err, c.want)
			case r.Gone != c.gone || r.Final != c.final:
				t.Errorf("%+v", r)
			}
		})
	}
}

// A server that says nothing, or never stops, holds an attempt up to its deadline, or up to its bytes.
func TestServersThatHangOrFlood(t *testing.T) {
	for _, command := range []string{"GREETING", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "DOT"} {
		t.Run("hangs at "+command, func(t *testing.T) {
			f := &fake{replies: usual, hang: command}
			_, err := send(localSender(t, f.start(t), 50*time.Millisecond))
			if err == nil || !strings.Contains(err.Error(), "did not answer within 50ms") {
				t.Error(err)
			}
		})
		t.Run("floods at "+command, func(t *testing.T) {
			f := &fake{replies: usual, flood: command}
			_, err := send(localSender(t, f.start(t), time.Minute))
			if err == nil || !strings.Contains(err.Error(), "answers without end") {
				t.Error(err)
			}
		})
	}
	t.Run("hangs at QUIT", func(t *testing.T) {
		f := &fake{replies: usual, hang: "QUIT"}
		if _, err := send(localSender(t, f.start(t), time.Minute)); err != nil {
			t.Error(err)
		}
	})
	t.Run("is called off", func(t *testing.T) {
		f := &fake{replies: usual, hang: "DATA"}
		ctx, cancel := context.WithCancel(t.Context())
		s := localSender(t, f.start(t), time.Minute)
		time.AfterFunc(10*time.Millisecond, cancel)
		if err := s.Send(ctx, testTarget("ada@example.org"), testMessage(testItem())); !errors.Is(err,
			context.Canceled) {
			t.Error(err)
		}
	})
}

// An attempt whose time is over before it begins is not said to wait for others.
func TestALateAttemptWaitsForNobody(t *testing.T) {
	f := &fake{replies: usual}
	s := localSender(t, f.start(t), time.Nanosecond)
	for range 50 {
		if _, err := send(s); err == nil || !strings.Contains(err.Error(), "did not answer within 1ns") {
			t.Fatal(err)
		}
	}
}

// Nobody is there.
func TestNoServer(t *testing.T) {
	if _, err := send(localSender(t, egresstest.Refusing(t), time.Minute)); err == nil ||
		err.Error() != "127.0.0.1 refused the connection" {
		t.Error(err)
	}
	s := localSender(t, "mail.invalid:25", time.Minute)
	if _, err := send(s); err == nil || !strings.Contains(err.Error(), "mail.invalid") {
		t.Error(err)
	}
}

// A server elsewhere that offers no encryption gets neither password nor mail, and one with another's certificate
// neither.
func TestNothingGoesUnencrypted(t *testing.T) {
	f := &fake{replies: usual}
	s := testSender(t, Config{Server: f.start(t), User: "ada", Password: "secret99"})
	if _, err := send(s); err == nil || !strings.Contains(err.Error(), "does not offer STARTTLS") ||
		f.messages.Load() != 0 {
		t.Error(err)
	}

	// What is sent before TLS begins is not read as if it had come with it (RFC 3207, section 6).
	cert, key, roots := mailtest.Certificate(t)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	greeted := make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		fmt.Fprint(conn, "220 mx\r\n")
		_, _ = in.ReadString('\n')
		fmt.Fprint(conn, "250-mx\r\n250 STARTTLS\r\n")
		_, _ = in.ReadString('\n')
		fmt.Fprint(conn, "220 go\r\n250-injected\r\n250 AUTH PLAIN LOGIN\r\n")
		encrypted := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{pair}})
		line, _ := bufio.NewReader(encrypted).ReadString('\n')
		greeted <- line
	}()
	s = testSender(t, Config{Server: l.Addr().String(), User: "ada", Password: "secret99", Roots: roots})
	if _, err := send(s); err == nil {
		t.Error("it was accepted")
	}
	if line := <-greeted; strings.HasPrefix(line, "AUTH") || strings.Contains(line, "MAIL") {
		t.Errorf("after injected replies it sends %q", line)
	}

	// A web server at the port of implicit TLS.
	web := testSender(t, Config{Server: (&fake{replies: usual}).start(t)})
	web.implicitTLS = true
	if _, err := send(web); err == nil || !strings.Contains(err.Error(), "does not speak TLS at that port") {
		t.Error(err)
	}
}

// However many messages are under way, a server has at most maxConnections connections at once.
func TestConnectionsAreBounded(t *testing.T) {
	f := &fake{replies: usual}
	s := localSender(t, f.start(t), time.Minute)
	var all sync.WaitGroup
	for range 5 * maxConnections {
		all.Go(func() {
			if _, err := send(s); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most := f.mostOpen.Load(); most > maxConnections || f.messages.Load() != 5*maxConnections {
		t.Errorf("%d connections at once, %d messages", most, f.messages.Load())
	}

	// With all of them hanging, the next one waits no longer than its deadline.
	hanging := &fake{replies: usual, hang: "GREETING"}
	s = localSender(t, hanging.start(t), 50*time.Millisecond)
	for range maxConnections {
		s.slots <- struct{}{}
	}
	if _, err := send(s); err == nil || !strings.Contains(err.Error(), "which is slow") {
		t.Error(err)
	}
}
