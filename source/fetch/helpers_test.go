package fetch

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"
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
	client.guard.reach = func(a netip.Addr) reach {
		if a == netip.AddrFrom4([4]byte{127, 0, 0, 1}) {
			return everywhere
		}
		return reachOf(a)
	}
	return client
}

// serve starts an origin on loopback.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	origin := httptest.NewServer(h)
	t.Cleanup(origin.Close)
	return origin.URL
}

// serveRaw starts an origin that answers each connection's first request with what
// answer writes, HTTP or not, and then closes it.
func serveRaw(t *testing.T, answer func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go answerOnce(conn, answer)
		}
	}()
	return "http://" + l.Addr().String()
}

func answerOnce(conn net.Conn, answer func(net.Conn)) {
	defer conn.Close()
	if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
		answer(conn)
	}
}

// text answers with these bytes.
func text(s string) func(net.Conn) {
	return func(conn net.Conn) { _, _ = io.WriteString(conn, s) }
}

// pipeClient makes a client whose connections end in answer without a socket, for tests
// on virtual time.
func pipeClient(t *testing.T, answer func(net.Conn), alter ...func(*Config)) *Client {
	t.Helper()
	client := newClient(t, alter...)
	client.dial = func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go answerOnce(far, answer)
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
