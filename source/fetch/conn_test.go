package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"tidings/egress/egresstest"
)

// hostile 62: an answer that hands the connection over, and says nothing more, ends the fetch at
// once. Nothing on it would be bounded by the fetch's times.
func TestHostile62SwitchingProtocols(t *testing.T) {
	for name, header := range map[string]string{
		"upgrade":      "Connection: Upgrade\r\nUpgrade: websocket\r\n",
		"bare":         "",
		"with length":  "Content-Length: 5\r\n",
		"with chunks":  "Transfer-Encoding: chunked\r\n",
		"to elsewhere": "Location: http://elsewhere.example/\r\n",
		"to wait":      "Retry-After: 3600\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				closed := make(chan struct{})
				client := pipeClient(t, func(conn net.Conn) {
					egresstest.Says("HTTP/1.1 101 Switching Protocols\r\n" + header + "\r\n")(conn)
					_, _ = io.Copy(io.Discard, conn) // silence, until the client hangs up
					close(closed)
				}, open)
				began := time.Now()
				_, err := get(t, client, Request{URL: "http://origin.example/feed"})
				if e, ok := errors.AsType[*StatusError](err); !ok || e.Status != http.StatusSwitchingProtocols {
					t.Errorf("got %v", err)
				}
				if took := time.Since(began); took != 0 {
					t.Errorf("waited %v for what is no answer", took)
				}
				<-closed
			})
		})
	}
}

// hostile 62: no answer below 200 is a final one, whatever follows.
func TestHostile62InformationalIsNeverFinal(t *testing.T) {
	drip := func(conn net.Conn) {
		for {
			if _, err := io.WriteString(conn, "x"); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}
	silence := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }
	again := func(conn net.Conn) {
		for {
			if _, err := io.WriteString(conn, "HTTP/1.1 103 Early Hints\r\n\r\n"); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}
	for _, status := range []int{0, 99, 100, 102, 103, 199} {
		for name, then := range map[string]func(net.Conn){"silence": silence, "dripping": drip, "more of them": again} {
			t.Run(fmt.Sprintf("%d, then %s", status, name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					closed := make(chan struct{})
					client := pipeClient(t, func(conn net.Conn) {
						egresstest.Says(fmt.Sprintf("HTTP/1.1 %03d Wait\r\n\r\n", status))(conn)
						then(conn)
						close(closed)
					}, open)
					began := time.Now()
					if res, err := get(t, client, Request{URL: "http://origin.example/feed"}); err == nil {
						t.Errorf("got %+v", res)
					}
					if took, c := time.Since(began), Default(); took > c.Header {
						t.Errorf("took %v, and the header has %v", took, c.Header)
					}
					<-closed
				})
			})
		}
	}
}

// pipes is a listener whose connections need no socket, for tests on virtual time.
type pipes struct {
	dialled chan net.Conn
	done    chan struct{}
	once    sync.Once
}

func newPipes() *pipes { return &pipes{dialled: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.dialled:
		return conn, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.done) }); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	p.dialled <- far
	return near, nil
}

// startHTTP2 starts origin, on connections without sockets.
func startHTTP2(origin *httptest.Server) *pipes {
	_ = origin.Listener.Close()
	l := newPipes()
	origin.Listener, origin.EnableHTTP2 = l, true
	origin.StartTLS()
	return l
}

// secure has client trust the certificate of origin, for example.com, and connect by dial.
func secure(client *Client, origin *httptest.Server, dial dialFunc) {
	client.tls.RootCAs = origin.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	client.dial = dial
}

// hostile 62: a stream of HTTP/2 that never ends is cut, whether it is silent, drips, or brings
// just enough to seem alive.
func TestHostile62HTTP2StreamNeverEnds(t *testing.T) {
	for name, test := range map[string]struct {
		size  int
		every time.Duration
		want  error
	}{
		"silent":   {0, time.Hour, errSlowBody},
		"drips":    {1, time.Second, errSlowBody},
		"plods on": {2 << 10, 5 * time.Second, errSlowTotal},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan struct{})
				origin := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					defer close(ended)
					for r.Context().Err() == nil {
						_, _ = w.Write(make([]byte, test.size))
						w.(http.Flusher).Flush()
						select {
						case <-time.After(test.every):
						case <-r.Context().Done():
						}
					}
				}))
				l := startHTTP2(origin)
				client := newClient(t, open)
				secure(client, origin, l.dial)
				began := time.Now()
				if _, err := get(t, client, Request{URL: "https://example.com/feed"}); !errors.Is(err, test.want) {
					t.Errorf("got %v, want %v", err, test.want)
				}
				if took, c := time.Since(began), Default(); took > c.Total {
					t.Errorf("took %v of %v", took, c.Total)
				}
				<-ended
				_ = client.Close()
				origin.Close()
			})
		})
	}
}

// hostile 62: an origin that sends a document by HTTP/2 and reads nothing itself holds the
// connection's lock. The fetch ends all the same.
func TestHostile62HTTP2OriginThatNeverReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		origin := httptest.NewUnstartedServer(nil) // for its certificate alone
		startHTTP2(origin)
		defer origin.Close()
		client, heard, closed := newClient(t, open), make(chan struct{}), make(chan struct{})
		secure(client, origin, func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			go func() {
				deafHTTP2(far, origin.TLS)
				<-heard
				_, _ = io.Copy(io.Discard, far)
				close(closed)
			}()
			return near, nil
		})
		if _, err := get(t, client, Request{URL: "https://example.com/feed"}); err == nil {
			t.Error("a document that never ended was read")
		}
		close(heard)
		<-closed
		_ = client.Close()
	})
}

// deafHTTP2 answers the first request with the start of a document, and reads no more.
func deafHTTP2(raw net.Conn, config *tls.Config) {
	conn := tls.Server(raw, config)
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(conn, preface); err != nil {
		return
	}
	frames := http2.NewFramer(conn, conn)
	_ = frames.WriteSettings()
	for {
		frame, err := frames.ReadFrame()
		if err != nil {
			return
		}
		if frame.Header().Type == http2.FrameHeaders {
			break
		}
	}
	var header bytes.Buffer
	_ = hpack.NewEncoder(&header).WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	_ = frames.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: header.Bytes(), EndHeaders: true})
	for range 4 {
		_ = frames.WriteData(1, false, make([]byte, 16<<10))
	}
}
