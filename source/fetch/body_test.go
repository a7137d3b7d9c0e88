package fetch

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tidings/egress/egresstest"
)

// hostile 6: an endless body is cut at the limit of size, said in its header or not.
func TestHostile6EndlessBody(t *testing.T) {
	for name, length := range map[string]string{"chunked": "", "announced": "99999999999"} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if length != "" {
					w.Header().Set("Content-Length", length)
				}
				for {
					if _, err := w.Write(make([]byte, 64<<10)); err != nil {
						return
					}
				}
			})
			if _, err := get(t, newClient(t), Request{URL: url}); !errors.Is(err, ErrTooLarge) {
				t.Errorf("got %v, want %v", err, ErrTooLarge)
			}
		})
	}
}

func TestBodyLimitIsExact(t *testing.T) {
	const limit = 100_000
	client := newClient(t, func(c *Config) { c.MaxBody = limit })
	for _, coding := range []string{"", "gzip"} {
		for size, want := range map[int]error{limit: nil, limit + 1: ErrTooLarge} {
			body := plainText(size)
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if coding != "" {
					w.Header().Set("Content-Encoding", coding)
					_, _ = w.Write(squeeze(t, coding, body))
					return
				}
				_, _ = w.Write(body)
			})
			if _, err := get(t, client, Request{URL: url}); !errors.Is(err, want) {
				t.Errorf("%q, %d bytes: got %v, want %v", coding, size, err, want)
			}
		}
	}
}

// hostile 6: an origin that drips, is silent, or never ends its header is cut off in time.
func TestHostile6Slowness(t *testing.T) {
	const header = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
	drip := func(conn net.Conn, piece string, pause time.Duration) {
		for {
			if _, err := io.WriteString(conn, piece); err != nil {
				return
			}
			time.Sleep(pause)
		}
	}
	c := Default()
	for _, test := range []struct {
		name   string
		answer func(net.Conn)
		want   error
		within time.Duration
	}{
		{"one byte a second", func(conn net.Conn) { egresstest.Says(header)(conn); drip(conn, "x", time.Second) },
			errSlowBody, c.Idle},
		{"silence in the body", func(conn net.Conn) { egresstest.Says(header + "x")(conn); time.Sleep(time.Hour) },
			errSlowBody, c.Idle},
		{"just not silent", func(conn net.Conn) {
			egresstest.Says(header)(conn)
			drip(conn, strings.Repeat("x", 200), 2*time.Second)
		}, errSlowTotal, c.Total},
		{"silence", func(conn net.Conn) { time.Sleep(time.Hour) }, errSlowHeader, c.Header},
		{"no end of headers", func(conn net.Conn) {
			egresstest.Says("HTTP/1.1 200 OK\r\n")(conn)
			drip(conn, "A: b\r\n", time.Second)
		}, errSlowHeader, c.Header},
		{"no end of a header", func(conn net.Conn) {
			egresstest.Says("HTTP/1.1 200 OK\r\nA: ")(conn)
			drip(conn, "b", time.Second)
		}, errSlowHeader, c.Header},
		{"error page that drips", func(conn net.Conn) {
			egresstest.Says("HTTP/1.1 403 No\r\n\r\n")(conn)
			drip(conn, "x", time.Second)
		}, nil, c.Idle},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := pipeClient(t, test.answer)
				began := time.Now()
				_, err := get(t, client, Request{URL: "http://origin.example/"})
				if err == nil || test.want != nil && !errors.Is(err, test.want) {
					t.Errorf("got %v, want %v", err, test.want)
				}
				if took := time.Since(began); took > test.within {
					t.Errorf("took %v, want at most %v", took, test.within)
				}
				time.Sleep(2 * time.Hour) // until the origin has given up too
			})
		})
	}
}

func TestSlowButSteadyIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := pipeClient(t, func(conn net.Conn) {
			egresstest.Says("HTTP/1.1 200 OK\r\nContent-Length: 10240\r\n\r\n")(conn)
			for range 10 {
				time.Sleep(4 * time.Second)
				_, _ = conn.Write(make([]byte, 1024))
			}
		})
		res, err := get(t, client, Request{URL: "http://origin.example/"})
		if err != nil || len(res.Body) != 10240 {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Hour)
	})
}

// hostile 6: 10 MB of header, or 10,000 lines of it.
func TestHostile6Headers(t *testing.T) {
	for name, header := range map[string]string{
		"10 MB":        "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", 10<<20) + "\r\n",
		"10,000 lines": "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 10_000),
		"endless 1xx": strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 10_000) +
			"HTTP/1.1 200 OK\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			url := egresstest.ServeHTTP(t, egresstest.Says(header+"Content-Length: 2\r\n\r\nok"))
			res, err := get(t, newClient(t), Request{URL: url})
			if err == nil {
				t.Fatalf("read a document of %d bytes", len(res.Body))
			}
			if len(err.Error()) > 200 {
				t.Errorf("the error is %d bytes long", len(err.Error()))
			}
		})
	}
}

// hostile 7: a body that is not whole is an error, never a document.
func TestHostile7Truncation(t *testing.T) {
	zipped := string(squeeze(t, "gzip", plainText(5000)))
	half := zipped[:len(zipped)/2]
	for name, test := range map[string]struct {
		answer string
		want   error // nil: any
	}{
		"length too large": {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<rss>", ErrTruncated},
		"length too small, gzip": {fmt.Sprintf(
			"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(half), zipped),
			ErrTruncated},
		"length negative":         {"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n<rss>", nil},
		"length not a number":     {"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n<rss>", nil},
		"two lengths":             {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n<rss>x", nil},
		"chunked, cut in a chunk": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n<rss>", ErrTruncated},
		"chunked, cut between": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<rss>\r\n",
			ErrTruncated},
		"chunked, no last line": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<rss>\r\n0\r\n",
			ErrTruncated},
		"chunked, nonsense": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n<rss>\r\n",
			ErrTruncated},
		"gzip, cut, until the end": {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + half, ErrTruncated},
		"gzip, cut, length correct": {fmt.Sprintf(
			"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(half), half),
			ErrTruncated},
		"gzip, damaged": {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" +
			half + strings.Repeat("\x55", 4000), nil},
		"brotli, nonsense": {"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n<rss>this is no brotli</rss>",
			nil},
		"zstd, nonsense": {"HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n<rss>this is no zstd</rss>",
			ErrCorrupt},
		"whole, then cut in padding": {fmt.Sprintf(
			"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(zipped)+9, zipped),
			ErrTruncated},
		"nothing at all": {"", nil},
		"no HTTP":        {"SSH-2.0-OpenSSH_9.6\r\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := get(t, newClient(t), Request{URL: egresstest.ServeHTTP(t, egresstest.Says(test.answer))})
			if err == nil {
				t.Fatalf("got a document of %d bytes", len(res.Body))
			}
			if test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

// hostile 7: the connection is reset in the middle of the body.
func TestHostile7Reset(t *testing.T) {
	url := egresstest.ServeHTTP(t, func(conn net.Conn) {
		egresstest.Says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<rss>")(conn)
		_ = conn.(*net.TCPConn).SetLinger(0)
	})
	if _, err := get(t, newClient(t), Request{URL: url}); !errors.Is(err, ErrTruncated) {
		t.Errorf("got %v, want %v", err, ErrTruncated)
	}
}

// hostile 7: what follows a body whose length was said too small is nobody's answer.
func TestHostile7LeftOverBytesAreNoAnswer(t *testing.T) {
	url := egresstest.ServeHTTP(t,
		egresstest.Says(
			"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<rss>HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"))
	client := newClient(t)
	for range 5 {
		if res := mustGet(t, client, Request{URL: url}); string(res.Body) != "<rss>" {
			t.Fatalf("got %q", res.Body)
		}
		client.pool.drop()
	}
}

// hostile 8: an answer of status 200 without a body is no document.
func TestHostile8EmptyBody(t *testing.T) {
	for name, answer := range map[string]string{
		"length 0": "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		"chunked":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"closed":   "HTTP/1.1 200 OK\r\n\r\n",
		"gzip":     "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + string(squeeze(t, "gzip", nil)),
		"no gzip":  "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n",
		"no zstd":  "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: 0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err :=
				get(t, newClient(t), Request{URL: egresstest.ServeHTTP(t, egresstest.Says(answer))}); !errors.Is(err,
				ErrEmpty) {
				t.Errorf("got %v, want %v", err, ErrEmpty)
			}
		})
	}
}
