package mail

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/mail/mailtest"
	"tidings/delivery/outbox"
)

var testTime = time.Date(2026, 5, 12, 9, 30, 0, 0, time.UTC)

func testTarget(address string) tidings.Target {
	return tidings.Target{
		ID: 7, Account: 3, Name: "me", Kind: kind, URL: "mailto:" + address,
		Secret: confirmed + "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
	}
}

func testItem() tidings.Item {
	return tidings.Item{
		ID: "id-1", URL: "https://news.example/1?a=1&b=2", Title: "Größe & <more>", Change: tidings.New,
		Summary: "<p>In short</p>",
		Content: "<p>What <b>happened</b> in <a href='https://news.example/more'>Zürich</a>.</p>" +
			"<img src='https://tracker.example/pixel.gif' alt='A lake'><script>alert(1)</script><p>And then",
	}
}

func testMessage(items ...tidings.Item) outbox.Message {
	u := tidings.Update{ID: 42, Channel: "https://news.example/feed", Title: "Example News", Version: 5, Time: testTime,
		Kind: tidings.KindFeed, Items: items}
	m := outbox.Message{ID: "5f3c-12", Update: u, Made: testTime, Attempt: 1}
	if len(items) == 1 {
		m.Item = &u.Items[0]
	}
	return m
}

// testSender sends by a server as if that were on another machine.
func testSender(t testing.TB, c Config) *Sender {
	t.Helper()
	if c.From == "" {
		c.From = "Tidings of Ada <news@tidings.example>"
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	s.local = func(net.Addr) bool { return false }
	return s
}

// A server that others wrote accepts what is sent, by each way of encryption, with sign-in and without.
func TestMailByAiosmtpd(t *testing.T) {
	cert, key, roots := mailtest.Certificate(t)
	for name, o := range map[string]mailtest.Options{
		"STARTTLS":             {Cert: cert, Key: key, StartTLS: true},
		"STARTTLS and sign-in": {Cert: cert, Key: key, StartTLS: true, User: "ada", Password: "geheim ß"},
		"implicit TLS":         {Cert: cert, Key: key, Implicit: true},
		"this machine":         {},
		"this machine, signed": {User: "ada", Password: "x"},
	} {
		t.Run(name, func(t *testing.T) {
			server := mailtest.Start(t, o)
			s := testSender(t, Config{Server: server.Address, User: o.User, Password: o.Password, Roots: roots,
				PublicURL: "https://tidings.example/"})
			s.implicitTLS = o.Implicit
			if strings.HasPrefix(name, "this machine") {
				s.local = isLoopback
			}
			if err := s.Send(t.Context(), testTarget("ada@example.org"), testMessage(testItem())); err != nil {
				t.Fatal(err)
			}
			got := <-server.Messages
			if got.Sender != "news@tidings.example" || len(got.Recipients) != 1 ||
				got.Recipients[0] != "ada@example.org" ||
				got.Encrypted != (o.StartTLS || o.Implicit) || got.User != o.User || got.Hello != "tidings.example" {
				t.Errorf("received %+v", got)
			}
			l, err := mailtest.Read(got.Content)
			if err != nil {
				t.Fatal(err)
			}
			if l.Subject != "Größe & <more>" || !strings.Contains(l.Text, "What happened in Zürich.") {
				t.Errorf("%q\n%s", l.Subject, l.Text)
			}
		})
	}
}

// What the server says of a recipient and a message decides whether it is tried again.
func TestRefusalsOfAiosmtpd(t *testing.T) {
	cert, key, roots := mailtest.Certificate(t)
	server := mailtest.Start(t, mailtest.Options{Cert: cert, Key: key, StartTLS: true, User: "ada",
		Password: "secret99"})
	good := Config{Server: server.Address, User: "ada", Password: "secret99", Roots: roots}
	spam := testMessage(testItem())
	spam.Item.Title = "spam"
	for name, c := range map[string]struct {
		config      Config
		to          string
		m           outbox.Message
		want        string
		gone, final bool
	}{
		"no mailbox": {good, "gone@example.org", testMessage(testItem()), "550 5.1.1", true, false},
		"full":       {good, "full@example.org", testMessage(testItem()), "552 5.2.2", false, true},
		"later":      {good, "later@example.org", testMessage(testItem()), "450 4.2.0", false, false},
		"spam":       {good, "ada@example.org", spam, "554 5.7.1", false, true},
		"password": {Config{Server: server.Address, User: "ada", Password: "wrong99", Roots: roots}, "ada@example.org",
			testMessage(testItem()), "does not let this node sign in: 535", false, false},
		"no sign-in": {Config{Server: server.Address, Roots: roots}, "ada@example.org", testMessage(testItem()),
			"does not send mail from news@tidings.example: 530", false, false},
		"certificate": {Config{Server: server.Address, User: "ada", Password: "secret99"}, "ada@example.org",
			testMessage(testItem()), "is not signed by a known authority", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := testSender(t, c.config).Send(t.Context(), testTarget(c.to), c.m)
			var r outbox.Refusal
			if known, ok := errors.AsType[*outbox.Refusal](err); ok {
				r = *known
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || r.Gone != c.gone || r.Final != c.final ||
				strings.Contains(err.Error(), c.config.Password) && c.config.Password != "" {
				t.Errorf("%v; %+v", err, r)
			}
		})
	}
}
