package notify

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/outbox"
	"tidings/egress"
	"tidings/egress/egresstest"
)

const impatience = 150 * time.Millisecond

// TestHostileServers: an attempt ends, with a reason, whatever a server does.
func TestHostileServers(t *testing.T) {
	for name, c := range map[string]struct {
		serve func(net.Conn)
		kind  tidings.TargetKind
		want  string
	}{
		"never answers": {egresstest.Silent, tidings.Webhook, "timed out after 150ms"},
		"header a byte at a time": {egresstest.Dripping("HTTP/1.1 200 OK\r\nX: "),
			tidings.Webhook, "timed out after 150ms"},
		"body a byte at a time": {egresstest.Dripping("HTTP/1.1 200 OK\r\n\r\n"),
			tidings.Telegram, "timed out after 150ms"},
		"accepts, and never ends": {egresstest.Dripping("HTTP/1.1 200 OK\r\n\r\n"), tidings.Webhook, ""},
		"refuses, and never ends": {egresstest.Dripping("HTTP/1.1 500 No\r\n\r\n"), tidings.Ntfy,
			"the server answered 500 Internal Server Error: xx"},
		"endless body of a refusal": {egresstest.Endless("HTTP/1.1 403 No\r\n\r\n", "no! "),
			tidings.Gotify, "the server answered 403 Forbidden: no! no!"},
		"endless body": {egresstest.Endless("HTTP/1.1 200 OK\r\n\r\n", strings.Repeat("{", 4096)), tidings.Pushover,
			"the server did not accept the message"},
		"10 MB of header": {egresstest.Endless("HTTP/1.1 200 OK\r\n", "X: "+strings.Repeat("x", 10<<20)+"\r\n"),
			tidings.Slack, "the header of the answer from 127.0.0.1 is too long"},
		"closes at once": {func(net.Conn) {}, tidings.Discord,
			"127.0.0.1 closed the connection without an answer"},
		"no HTTP": {egresstest.Says("220 smtp ready\r\n"),
			tidings.Matrix, "127.0.0.1: "},
		"informational for ever": {egresstest.Endless("", "HTTP/1.1 103 Early Hints\r\n\r\n"),
			tidings.Ntfy, "the header of the answer from 127.0.0.1 is too long"},
	} {
		t.Run(name, func(t *testing.T) {
			n := testNotifier()
			if strings.Contains(c.want, "timed out") || strings.Contains(name, "never") {
				n.c.Timeout = impatience
			}
			address := egresstest.ServeHTTP(t, c.serve)
			err := n.Send(t.Context(), testTarget(c.kind, address), testMessages()[0])
			// An answer may have begun later than that where the machine is slow.
			for !strings.Contains(c.want, "timed out") && err != nil && strings.HasPrefix(err.Error(), "timed out") &&
				n.c.Timeout < 10*time.Minute {
				n.c.Timeout *= 2
				err = n.Send(t.Context(), testTarget(c.kind, address), testMessages()[0])
			}
			switch {
			case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
				t.Errorf("%v, not %q", err, c.want)
			case err != nil && len(err.Error()) > 300:
				t.Errorf("%d bytes: %v", len(err.Error()), err)
			}
		})
	}
}

func TestAnAnswerIsReadToItsBound(t *testing.T) {
	n := testNotifier()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", 2*MaxAnswer))
	})
	a, err := n.exchange(t.Context(), &request{method: "GET", url: server.URL}, true)
	if err != nil || len(a.body) != MaxAnswer {
		t.Errorf("%d bytes, %v", len(a.body), err)
	}
}

// TestPrivateAddresses: a node that may not connect to them does not, by whatever name.
func TestPrivateAddresses(t *testing.T) {
	var connections atomic.Int64
	server := serve(t, func(http.ResponseWriter, *http.Request) { connections.Add(1) })
	port := server.URL[strings.LastIndexByte(server.URL, ':'):]
	for _, c := range []Config{{Guard: egress.ForMessages(false)}, {}} {
		for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f000001",
			"2130706433"} {
			err := New(c).Send(t.Context(), testTarget(tidings.Ntfy, "http://"+host+port), testMessages()[0])
			if err == nil {
				t.Errorf("%s was reached", host)
			} else if !strings.Contains(err.Error(), "private addresses") && !strings.Contains(err.Error(), host) {
				t.Errorf("%s: %v", host, err)
			}
		}
	}
	err := New(Config{Guard: egress.ForMessages(false)}).Send(t.Context(), testTarget(tidings.Slack,
		server.URL), testMessages()[0])
	if err == nil || err.Error() != "this node does not connect to private addresses (127.0.0.1)" {
		t.Error(err)
	}
	if connections.Load() > 0 {
		t.Errorf("%d connections", connections.Load())
	}
}

func TestPortsOfOtherServices(t *testing.T) {
	loopback := egress.Guard{Public: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	err := New(Config{Guard: loopback}).Send(t.Context(), testTarget(tidings.Webhook,
		"http://127.0.0.1:25"), testMessages()[0])
	if err == nil || !strings.HasPrefix(err.Error(), "this node does not connect to that port") {
		t.Error(err)
	}
}

// TestRedirectsAreFailures: they are not followed, and the error says where they point.
func TestRedirectsAreFailures(t *testing.T) {
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	for _, kind := range Kinds() {
		for _, status := range []int{301, 302, 303, 307, 308} {
			for _, to := range []string{"http://169.254.169.254/latest", elsewhere.URL + "/a/b", ""} {
				server := serve(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Location", to+"?token=hidden")
					w.WriteHeader(status)
				})
				err := testNotifier().Send(t.Context(), testTarget(kind, server.URL), testMessages()[0])
				if err == nil || !strings.Contains(err.Error(), to) || strings.Contains(err.Error(), "hidden") {
					t.Errorf("%s: %d to %q: %v", kind, status, to, err)
				}
			}
		}
	}
}

func TestTheClientSendsNothingOfItsOwn(t *testing.T) {
	n := testNotifier()
	if n.client.Jar != nil || n.client.Transport.(*http.Transport).Proxy != nil {
		t.Error("cookies or a proxy")
	}
}

func TestCertificatesAreVerified(t *testing.T) {
	server := httptest.NewUnstartedServer(ok(tidings.Ntfy))
	server.Config.ErrorLog = discard
	server.StartTLS()
	defer server.Close()
	err := testNotifier().Send(t.Context(), testTarget(tidings.Ntfy, server.URL), testMessages()[0])
	if err == nil || err.Error() != "the certificate of 127.0.0.1 is not signed by a known authority" {
		t.Error(err)
	}
	plain := serve(t, ok(tidings.Ntfy))
	err = testNotifier().Send(t.Context(), testTarget(tidings.Ntfy, strings.Replace(plain.URL, "http:",
		"https:", 1)), testMessages()[0])
	if err == nil || err.Error() != "127.0.0.1 does not speak https at that port" {
		t.Error(err)
	}
}

// TestTheCallerEndsAnAttempt: the error is the context's, so that the outbox does not count it against the target.
func TestTheCallerEndsAnAttempt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	address := egresstest.ServeHTTP(t, func(c net.Conn) { cancel(); egresstest.Silent(c) })
	err := testNotifier().Send(ctx, testTarget(tidings.Webhook, address), testMessages()[0])
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, is := errors.AsType[*outbox.Refusal](err); is {
		t.Error("it is a refusal")
	}
}

func TestNobodyIsThere(t *testing.T) {
	target := testTarget(tidings.Ntfy, "http://"+egresstest.Refusing(t))
	err := testNotifier().Send(t.Context(), target, testMessages()[0])
	if err == nil || err.Error() != "127.0.0.1 refused the connection" {
		t.Error(err)
	}
	if got := Words("x.invalid", &net.DNSError{IsNotFound: true}); got != "no such host: x.invalid" {
		t.Error(got)
	}
}
