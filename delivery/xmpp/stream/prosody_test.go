package stream

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"tidings/delivery/xmpp/xmpptest"
)

// station is a client with what it has received.
type station struct {
	*Client
	t        testing.TB
	received chan *Element
	ups      chan struct{}
	downs    chan struct{} // holds one where a stream has ended
	end      func()
}

// keep runs a client until the test ends.
func keep(t testing.TB, c Config) *station {
	t.Helper()
	s := &station{t: t, received: make(chan *Element, 10_000), ups: make(chan struct{}, 100),
		downs: make(chan struct{}, 1)}
	c.Handle = func(e *Element) { s.received <- e }
	c.Up = func() {
		if c.Component == "" {
			_ = s.Write(New("", "presence"))
		}
		s.ups <- struct{}{}
	}
	c.Down = func() {
		select {
		case s.downs <- struct{}{}:
		default: // nobody waits for it
		}
	}
	c.FirstWait, c.MostWait = 10*time.Millisecond, 100*time.Millisecond
	c.Logger = slog.New(slog.NewTextHandler(logTo{t}, nil))
	client, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	s.Client = client
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { client.Run(ctx); close(ended) }()
	s.end = func() { cancel(); <-ended }
	t.Cleanup(s.end)
	return s
}

type logTo struct{ testing.TB }

func (l logTo) Write(p []byte) (int, error) {
	if l.Context().Err() == nil {
		l.Log(strings.TrimSpace(string(p)))
	}
	return len(p), nil
}

// long is so long that, on any machine, only what never comes exceeds it.
const long = 10 * time.Minute

// up waits until a stream begins.
func (s *station) up() {
	s.t.Helper()
	select {
	case <-s.ups:
	case <-time.After(long):
		s.t.Fatalf("no stream: %v", s.Problem())
	}
}

// down waits until a stream has ended.
func (s *station) down() {
	s.t.Helper()
	select {
	case <-s.downs:
	case <-time.After(long):
		s.t.Fatal("the stream does not end")
	}
}

// next waits for a stanza that fits.
func (s *station) next(fits func(*Element) bool) *Element {
	s.t.Helper()
	deadline := time.After(long)
	for {
		select {
		case e := <-s.received:
			if fits(e) {
				return e
			}
		case <-deadline:
			s.t.Fatal("the stanza does not come")
		}
	}
}

func (s *station) body() string {
	s.t.Helper()
	return s.next(func(e *Element) bool { return e.Child("", "body") != nil && e.Get("type") != "error" }).Child("",
		"body").Text
}

func chat(from, to, id, body string) *Element {
	return New("", "message", "type", "chat", "from", from, "to", to, "id", id).With(New("", "body").Says(body))
}

func account(p *xmpptest.Prosody, name, server string) Config {
	return Config{Account: name + "@" + xmpptest.Host, Secret: xmpptest.Password, Server: server, TLS: p.TLS}
}

func component(p *xmpptest.Prosody) Config {
	return Config{Component: xmpptest.Component, Secret: xmpptest.Secret, Server: p.Components}
}

// A component and an account exchange messages, and each knows that the server has accepted them.
func TestProsodyComponentAndAccount(t *testing.T) {
	p := xmpptest.Start(t, "alice", "bob")
	c := keep(t, component(p))
	c.up()
	for _, how := range []string{"STARTTLS", "TLS"} {
		t.Run(how, func(t *testing.T) {
			server := p.Clients
			if how == "TLS" {
				server = p.Direct
			}
			config := account(p, "alice", server)
			config.DirectTLS = how == "TLS"
			a := keep(t, config)
			a.up()
			if err := c.Send(t.Context(), chat("bot@"+xmpptest.Component, "alice@localhost", how,
				"Hä <&> 'x' \U0001f4f0")); err != nil {
				t.Fatal(err)
			}
			if got := a.body(); got != "Hä <&> 'x' \U0001f4f0" {
				t.Errorf("received %q", got)
			}
			if err := a.Send(t.Context(), chat("", "bot@"+xmpptest.Component, how, "subscribe")); err != nil {
				t.Fatal(err)
			}
			if got := c.body(); got != "subscribe" {
				t.Errorf("received %q", got)
			}
		})
	}
	err := c.Send(t.Context(), chat("bot@"+xmpptest.Component, "nobody@localhost", "1", "x"))
	if e, ok := err.(*StanzaError); !ok || e.Condition != "service-unavailable" {
		t.Errorf("a message to nobody: %v", err)
	}
}

// What an account or component may not have is refused, with a reason, and without trying again at once.
func TestProsodyRefuses(t *testing.T) {
	p := xmpptest.Start(t, "alice")
	for want, change := range map[string]func() Config{
		"the account's password": func() Config { c := account(p, "alice", p.Clients); c.Secret = "wrong"; return c },
		"accept the secret":      func() Config { c := component(p); c.Secret = "wrong"; return c },
		"does not know":          func() Config { c := component(p); c.Component = "other.localhost"; return c },
		"signed by nobody":       func() Config { c := account(p, "alice", p.Clients); c.TLS = nil; return c },
	} {
		c, err := Open(func() Config { c := change(); c.Handle = func(*Element) {}; return c }())
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.c.connect(t.Context(), "", 0)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// A stream with a broken connection is resumed: every message arrives once, and in order.
func TestProsodyResumes(t *testing.T) {
	p := xmpptest.Start(t, "alice", "bob")
	a, b := keep(t, account(p, "alice", p.Clients)), keep(t, account(p, "bob", p.Clients))
	a.up()
	b.up()
	const count = 60
	for i := range count {
		if i%7 == 3 {
			a.cutOff()
		}
		if err := a.Send(t.Context(), chat("", "bob@localhost", fmt.Sprint(i), fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	for i := range count {
		if got := b.body(); got != fmt.Sprint(i) {
			t.Fatalf("message %d is %s", i, got)
		}
	}
	if len(a.ups) > 0 {
		t.Error("a stream began anew, and was not resumed")
	}
}

// If the sender of a message stopped waiting, the message is not written again while the first may still arrive.
func TestProsodyTheSameMessageTwice(t *testing.T) {
	p := xmpptest.Start(t, "alice")
	c, a := keep(t, component(p)), keep(t, account(p, "alice", p.Clients))
	c.up()
	a.up()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := chat("bot@"+xmpptest.Component, "alice@localhost", "same", "once")
	_ = c.Send(ctx, m)
	for range 3 {
		if err := c.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Send(t.Context(), chat("bot@"+xmpptest.Component, "alice@localhost", "next", "next")); err != nil {
		t.Fatal(err)
	}
	if one, two := a.body(), a.body(); one != "once" || two != "next" {
		t.Errorf("received %q, %q", one, two)
	}
}

// Messages wait while the server is down, and arrive once it is back.
func TestProsodyRestarts(t *testing.T) {
	p := xmpptest.Start(t, "alice")
	c := keep(t, component(p))
	c.up()
	p.End()
	c.down() // what is sent before the client has noticed fails with the stream, and is its sender's to send again
	sent := make(chan error)
	go func() { sent <- c.Send(t.Context(), chat("bot@"+xmpptest.Component, "alice@localhost", "1", "later")) }()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := c.Send(ctx, chat("bot@"+xmpptest.Component, "alice@localhost", "2", "never")); err == nil {
		t.Error("a message is accepted by a server that is down")
	}
	p.Begin()
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	a := keep(t, account(p, "alice", p.Clients))
	if got := a.body(); got != "later" {
		t.Errorf("received %q", got)
	}
}
