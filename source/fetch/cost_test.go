package fetch

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"

	"tidings"
	"tidings/egress/egresstest"
)

// hostile 75: an origin that refuses requests, in any way that HTTP/2 has for it, gets one connection and one request a
// poll. It gets one more if the first connection was kept from the poll before.
func TestHostile75RequestsThatComeBack(t *testing.T) {
	for name, refuse := range map[string]func(*stream) bool{
		"GOAWAY with last stream 0": func(s *stream) bool { _ = s.WriteGoAway(0, http2.ErrCodeNo, nil); return true },
		"GOAWAY, calm down": func(s *stream) bool {
			_ = s.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, nil)
			return true
		},
		"GOAWAY and the end": func(s *stream) bool { _ = s.WriteGoAway(0, http2.ErrCodeNo, nil); return false },
		"REFUSED_STREAM": func(s *stream) bool {
			_ = s.WriteRSTStream(s.id, http2.ErrCodeRefusedStream)
			return true
		},
		"PROTOCOL_ERROR": func(s *stream) bool {
			_ = s.WriteRSTStream(s.id, http2.ErrCodeProtocol)
			return true
		},
		"HTTP_1_1_REQUIRED": func(s *stream) bool {
			_ = s.WriteRSTStream(s.id, http2.ErrCodeHTTP11Required)
			return true
		},
		"the end": func(*stream) bool { return false },
	} {
		for _, kept := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, connection kept %v", name, kept), func(t *testing.T) {
				var good atomic.Bool
				origin := serveHTTP2(t, func(s *stream) bool {
					if good.CompareAndSwap(true, false) {
						s.document()
						return true
					}
					return refuse(s)
				})
				client := newClient(t, func(c *Config) { c.Roots = origin.roots })
				want := int64(1)
				if kept {
					good.Store(true)
					mustGet(t, client, Request{URL: origin.url})
					want = 2
				}
				connections, requests := origin.connections.Load(), origin.requests.Load()
				if res, err := get(t, client, Request{URL: origin.url}); err == nil {
					t.Errorf("got %+v", res)
				}
				if n := origin.connections.Load() - connections; n != 1 {
					t.Errorf("%d new connections", n)
				}
				if n := origin.requests.Load() - requests; n != want {
					t.Errorf("%d requests, want %d", n, want)
				}
			})
		}
	}
}

// hostile 75: the same for an origin of HTTP/1 that closes connections before it answers.
func TestHostile75ConnectionsThatEnd(t *testing.T) {
	for name, end := range map[string]func(net.Conn){
		"closed": func(net.Conn) {},
		"reset":  func(conn net.Conn) { _ = conn.(*net.TCPConn).SetLinger(0) },
	} {
		var connections atomic.Int64
		url := egresstest.ServeHTTP(t, func(conn net.Conn) {
			if connections.Add(1) == 1 { // the first answers once
				egresstest.Says("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<rss/>")(conn)
				_, _ = io.ReadFull(conn, make([]byte, 1))
			}
			end(conn)
		})
		client := newClient(t)
		mustGet(t, client, Request{URL: url})
		if _, err := get(t, client, Request{URL: url}); err == nil {
			t.Errorf("%s: a document came", name)
		}
		if n := connections.Load(); n != 2 {
			t.Errorf("%s: %d connections, want the one that was kept and another", name, n)
		}
	}
}

// A connection that the origin closes while it is unused costs no poll.
func TestAStaleConnectionIsReplaced(t *testing.T) {
	url := egresstest.ServeHTTP(t, egresstest.Says("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<rss/>")) // and closes
	client := newClient(t)
	for range 10 {
		mustGet(t, client, Request{URL: url})
	}
}

// hostile 75: all requests of a poll together have one bound of requests, of connections and of bytes.
func TestHostile75OnePollHasOneCost(t *testing.T) {
	const size = 400_000
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/close":
			w.Header().Set("Connection", "close")
		case "/large":
			_, _ = w.Write(make([]byte, size))
		}
		fmt.Fprint(w, "page")
	})
	for path, test := range map[string]struct {
		want error
		good int // fetches before that
	}{
		"/":      {errRequests, maxRequests},
		"/close": {errConnections, maxConnections},
		"/large": {errWire, 1<<20/size + wireMargin/size + 1},
	} {
		var cost Cost
		client := newClient(t, func(c *Config) { c.MaxBody = 1 << 20 })
		good := 0
		var err error
		for ; err == nil; good++ {
			_, err = get(t, client, Request{URL: url + path, Cost: &cost})
		}
		if good--; !errors.Is(err, test.want) || good != test.good {
			t.Errorf("%s: %d fetches, then %v; want %d, then %v", path, good, err, test.good, test.want)
		}
		if outcome, _, _ := diagnose(err); outcome != tidings.OutcomeFailed {
			t.Errorf("%s: the poll ended %q, and does not back off", path, outcome)
		}
		mustGet(t, client, Request{URL: url + "/"}) // the next poll
	}
}

// A chain of redirects through many hosts is followed, though each needs a connection.
func TestRedirectsThroughManyHosts(t *testing.T) {
	last := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "page") })
	for range Default().MaxRedirects {
		next := last
		last = serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			http.Redirect(w, r, next, http.StatusFound)
		})
	}
	if res := mustGet(t, newClient(t), Request{URL: last}); len(res.Hops) != 10 {
		t.Errorf("%d redirects", len(res.Hops))
	}
}

// hostile 75: why a poll cost too much is said in plain words, with the origin's name.
func TestCostIsSaidInPlainWords(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "page") })
	cost := Cost{requests: maxRequests}
	_, err := get(t, newClient(t), Request{URL: url, Cost: &cost})
	if want := strings.TrimPrefix(url, "http://") + ": it wants more than 20 requests for one check"; err == nil ||
		err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}
