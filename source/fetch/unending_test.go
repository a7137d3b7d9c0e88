package fetch

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"tidings/egress/egresstest"
)

// sendsEndlessly writes start, and then again until the client hangs up: a piece each time, after a pause.
func sendsEndlessly(start, again string, pause time.Duration) func(net.Conn) {
	return func(conn net.Conn) {
		egresstest.Says(start)(conn)
		for {
			if _, err := io.WriteString(conn, again); err != nil {
				return
			}
			time.Sleep(pause)
		}
	}
}

// thenSilent writes an answer, and waits for the client to hang up.
func thenSilent(answer string) func(net.Conn) {
	return func(conn net.Conn) {
		egresstest.Says(answer)(conn)
		_, _ = io.Copy(io.Discard, conn)
	}
}

const (
	okHead    = "HTTP/1.1 200 OK\r\n"
	chunked   = okHead + "Transfer-Encoding: chunked\r\n\r\n"
	wholeLine = "6\r\n<rss/>\r\n"
)

// hostile 62: whatever an origin sends that is no end of an answer, the fetch ends in its time, with an error. It has
// received no more than a poll may, and its connection is closed. Then the host is polled again as ever.
func TestHostile62AnswersThatDoNotEnd(t *testing.T) {
	long := strings.Repeat("x", 60<<10)
	for name, answer := range map[string]func(net.Conn){
		"101 to HTTP/2": thenSilent(
			"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"),
		"101 after 100": thenSilent(
			"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
		"103 again, large": sendsEndlessly("", "HTTP/1.1 103 Early Hints\r\nLink: "+long+"\r\n\r\n", 0),
		"103 again, small": sendsEndlessly("", strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 100), 0),
		"103 again, slowly": sendsEndlessly("", "HTTP/1.1 103 Early Hints\r\nLink: "+long[:1000]+"\r\n\r\n",
			time.Second),
		"103 with a body": thenSilent("HTTP/1.1 103 Early Hints\r\nContent-Length: 6\r\n\r\n<rss/>" +
			okHead + "Content-Length: 6\r\n\r\n<rss/>"),
		"103 with chunks": thenSilent("HTTP/1.1 103 Early Hints\r\nTransfer-Encoding: chunked\r\n\r\n" +
			wholeLine + "0\r\n\r\n"),
		"an answer to CONNECT":        thenSilent("HTTP/1.1 200 Connection established\r\n\r\n"),
		"HTTP/1.0 kept alive":         thenSilent("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n<rss/>"),
		"HTTP/0.9":                    thenSilent("<rss/>"),
		"a status line":               sendsEndlessly("HTTP/1.1 200 ", "OK", 0),
		"a chunk's extension":         sendsEndlessly(chunked+"6;", "a=b;", 0),
		"a chunk's extension, slowly": sendsEndlessly(chunked+"6;", "a=b;", time.Second),
		"chunks with extensions":      sendsEndlessly(chunked, "1;"+long[:2000]+"\r\nx\r\n", 0),
		"chunks of a byte, slowly":    sendsEndlessly(chunked, "1\r\nx\r\n", time.Second),
		"a chunk's length":            sendsEndlessly(chunked, "0", 0),
		"trailers":                    sendsEndlessly(chunked+wholeLine+"0\r\n", "X-A: b\r\n", 0),
		"trailers, slowly":            sendsEndlessly(chunked+wholeLine+"0\r\n", "X-A: b\r\n", time.Second),
		"a header continued":          sendsEndlessly(okHead+"X-A: b\r\n", " c\r\n", 0),
		"a header continued, slowly":  sendsEndlessly(okHead+"X-A: b\r\n", " c\r\n", time.Second),
		"the half of a document":      egresstest.Says(okHead + "Content-Length: 12\r\n\r\n<rss/>"),
		"chunks without the last":     egresstest.Says(chunked + wholeLine),
		"a length and chunks, too few": egresstest.Says(okHead +
			"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n" + wholeLine),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var polls atomic.Int64
				var ended sync.WaitGroup
				ended.Add(1)
				client := pipeClient(t, func(conn net.Conn) {
					if polls.Add(1) > 1 {
						egresstest.Says(okHead + "Content-Length: 6\r\n\r\n<rss/>")(conn)
						return
					}
					defer ended.Done()
					answer(conn)
				}, open)
				received, began, c := countReads(client), time.Now(), Default()
				if res, err := get(t, client, Request{URL: "http://origin.example/feed"}); err == nil {
					t.Errorf("read %q", res.Body)
				} else if errors.Is(err, ErrClosed) || err.Error() == "" {
					t.Errorf("got %v", err)
				}
				if took := time.Since(began); took > c.Total {
					t.Errorf("took %v of %v", took, c.Total)
				}
				ended.Wait()
				if n := received.Load(); n > c.MaxBody+wireMargin+64<<10 {
					t.Errorf("%d bytes were received", n)
				}
				if len(client.pool.unused) > 0 {
					t.Error("the connection is kept")
				}
				mustGet(t, client, Request{URL: "http://origin.example/feed"})
			})
		})
	}
}

// hostile 62: a second answer that nobody asked for is the answer to no request, also not to the one that a redirect
// makes next.
func TestHostile62UnaskedAnswers(t *testing.T) {
	const unasked = okHead + "Content-Length: 5\r\n\r\nFALSE"
	for name, first := range map[string]string{
		"after a document":        okHead + "Content-Length: 6\r\n\r\n<rss/>",
		"after a redirect":        "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 1\r\n\r\n.",
		"after an empty redirect": "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n",
		"after 304":               "HTTP/1.1 304 Not Modified\r\n\r\n",
	} {
		for range 100 { // two goroutines decide
			client := newClient(t)
			origin := serveRequests(t, func(conn net.Conn, path string) {
				if path == "/there" {
					egresstest.Says(okHead + "Content-Length: 6\r\n\r\n<rss/>")(conn)
					return
				}
				egresstest.Says(first + unasked)(conn)
			})
			_, _ = get(t, client, Request{URL: origin + "/feed", ETag: `"x"`})
			for _, kept := range client.pool.unused {
				if !kept.http1.rest() {
					t.Fatalf("%s: a connection is kept on which something may be left over", name)
				}
			}
			if res, err := get(t, client, Request{URL: origin + "/there"}); err != nil || string(res.Body) != "<rss/>" {
				t.Fatalf("%s: read %+v, %v", name, res, err)
			}
			if res, err := get(t, client, Request{URL: origin + "/feed"}); err == nil && string(res.Body) != "<rss/>" {
				t.Fatalf("%s: read %q", name, res.Body)
			}
			_ = client.Close()
		}
	}
}

// serveRequests starts an origin that answers all requests of a connection.
func serveRequests(t *testing.T, answer func(conn net.Conn, path string)) string {
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
			go func() {
				defer conn.Close()
				for in := bufio.NewReader(conn); ; {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					answer(conn, r.URL.Path)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// hostile 62: an origin that sends no more but reads on, as TCP allows, is not waited for; what it has sent counts if
// it is whole.
func TestHostile62HalfClosed(t *testing.T) {
	for answer, whole := range map[string]bool{
		okHead + "\r\n<rss/>":                       true, // that is how such an answer ends
		okHead + "Content-Length: 12\r\n\r\n<rss/>": false,
		chunked + wholeLine:                         false,
		okHead:                                      false,
	} {
		closed := make(chan struct{}, 2)
		origin := egresstest.ServeHTTP(t, func(conn net.Conn) {
			egresstest.Says(answer)(conn)
			_ = conn.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, conn)
			closed <- struct{}{}
		})
		if res, err := get(t, newClient(t), Request{URL: origin}); (err == nil) != whole {
			t.Errorf("%q: read %+v, %v", answer, res, err)
		}
		<-closed
	}
}

// hostile 62: a stream of HTTP/2 that ends otherwise than an answer does is no document.
func TestHostile62HTTP2StreamsThatBreak(t *testing.T) {
	half := func(s *stream) {
		s.status("200")
		_ = s.WriteData(s.id, false, []byte("<rss/>"))
	}
	for name, answer := range map[string]func(*stream){
		"reset after half":             func(s *stream) { half(s); _ = s.WriteRSTStream(s.id, http2.ErrCodeInternal) },
		"reset without an error":       func(s *stream) { half(s); _ = s.WriteRSTStream(s.id, http2.ErrCodeNo) },
		"reset before":                 func(s *stream) { _ = s.WriteRSTStream(s.id, http2.ErrCodeNo) },
		"trailers that do not end it":  func(s *stream) { half(s); s.status("200") },
		"told to go away, half":        func(s *stream) { half(s); _ = s.WriteGoAway(0, http2.ErrCodeNo, nil) },
		"101":                          func(s *stream) { s.status("101") },
		"100, and its end":             func(s *stream) { _ = s.WriteHeaders(endOf(s, "100")) },
		"a document before its header": func(s *stream) { _ = s.WriteData(s.id, true, []byte("<rss/>")) },
		"a stream that nobody asked":   func(s *stream) { half(s); _ = s.WriteData(s.id+2, true, []byte("<rss/>")) },
		"a push that nobody wants": func(s *stream) {
			half(s)
			_ = s.WritePushPromise(http2.PushPromiseParam{StreamID: s.id, PromiseID: 2,
				BlockFragment: statusBlock("200"), EndHeaders: true})
		},
		"another header in a half one": func(s *stream) {
			_ = s.WriteHeaders(http2.HeadersFrameParam{StreamID: s.id, BlockFragment: statusBlock("200")})
			s.status("200")
		},
		"closed without saying goodbye": func(s *stream) { half(s); _ = s.Conn.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			origin := serveHTTP2(t, func(s *stream) bool {
				answer(s)
				_ = s.WritePing(false, [8]byte{})
				return true
			})
			client := newClient(t, func(c *Config) {
				c.Roots, c.Header, c.Idle, c.Total = origin.roots, time.Second, time.Second, 3*time.Second
			})
			if res, err := get(t, client, Request{URL: origin.url}); err == nil {
				t.Errorf("read %q", res.Body)
			}
			for range origin.connections.Load() {
				<-origin.ended
			}
		})
	}
}

func endOf(s *stream, status string) http2.HeadersFrameParam {
	return http2.HeadersFrameParam{StreamID: s.id, BlockFragment: statusBlock(status), EndHeaders: true,
		EndStream: true}
}

// hostile 62: no proxy of the environment is used, however it is named, also where the program seems to run as a CGI
// script. The process is another, as programs read these variables once.
func TestHostile62ProxiesOfTheEnvironment(t *testing.T) {
	const by = "TIDINGS_TEST_PROXIES"
	const url = "http://nowhere.example/" // no proxy is used for loopback, whatever the environment says
	switch os.Getenv(by) {
	case "the library's client":
		_, _ = http.Get(url) // the control: the environment works
		return
	case "ours":
		resolver := new(egresstest.Names).Resolver()
		_, _ = get(t, newClient(t, func(c *Config) { c.Resolver = resolver }), Request{URL: url})
		return
	}
	var proxied atomic.Int64
	l, port := listen(t, "127.0.0.1:0", &proxied)
	defer l.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []struct {
		client, cgi string
		proxied     int64
	}{{"the library's client", "", 1}, {"ours", "", 0}, {"ours", "GET", 0}} {
		before := proxied.Load()
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), by+"="+run.client, "NO_PROXY=", "no_proxy=", "REQUEST_METHOD="+run.cgi)
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "SOCKS_PROXY", "FTP_PROXY"} {
			proxy := "http://127.0.0.1:" + port
			cmd.Env = append(cmd.Env, name+"="+proxy, strings.ToLower(name)+"="+proxy)
		}
		if out, err := cmd.CombinedOutput(); err != nil || min(proxied.Load()-before, 1) != run.proxied {
			t.Errorf("%s, CGI %q: the proxy saw %d connections; %v: %s", run.client, run.cgi, proxied.Load()-before,
				err, out)
		}
	}
}
