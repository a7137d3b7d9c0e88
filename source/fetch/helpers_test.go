package fetch

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"tidings/egress/egresstest"
)

// newClient makes a client for loopback origins, closed at the end of the test.
func newClient(t testing.TB, alter ...func(*Config)) *Client {
	t.Helper()
	c := Default()
	c.Lab = true
	for _, a := range alter {
		a(&c)
	}
	client, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// open makes a client obey all rules of the open web, but that loopback is part of it.
func open(c *Config) {
	c.Lab = false
}

// treatAsPublic makes 127.0.0.1 a public address for this client. All other loopback
// addresses stay private.
func treatAsPublic(client *Client) *Client {
	client.guard.Public = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	return client
}

// serve starts an origin on loopback.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	origin := httptest.NewServer(h)
	t.Cleanup(origin.Close)
	return origin.URL
}

// pipeClient makes a client whose connections end in answer without a socket, for tests
// on virtual time.
func pipeClient(t *testing.T, answer func(net.Conn), alter ...func(*Config)) *Client {
	t.Helper()
	client := newClient(t, alter...)
	client.dial = func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go func() {
			defer far.Close()
			egresstest.AfterRequest(far, answer)
		}()
		return near, nil
	}
	return client
}

func get(t *testing.T, client *Client, r Request) (*Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	return client.Fetch(ctx, r)
}

func mustGet(t *testing.T, client *Client, r Request) *Response {
	t.Helper()
	res, err := get(t, client, r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}
