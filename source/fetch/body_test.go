package fetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// squeeze compresses b.
func squeeze(t testing.TB, coding string, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&out)
	case "deflate":
		w = zlib.NewWriter(&out)
	case "raw deflate":
		w, _ = flate.NewWriter(&out, 6)
	case "br":
		w = brotli.NewWriterOptions(&out, brotli.WriterOptions{Quality: 4, LGWin: 24})
	case "zstd":
		w, _ = zstd.NewWriter(&out, zstd.WithWindowSize(zstdWindow), zstd.WithEncoderConcurrency(1))
	default:
		t.Fatalf("unknown coding %q", coding)
	}
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// plainText is a document that compresses about as real ones do.
func plainText(size int) []byte {
	words := []string{"news ", "<item>", "</item>\n", "the ", "of ", "title ", "2026 ", "change "}
	chance := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for b.Len() < size {
		b.WriteString(words[chance.IntN(len(words))])
		b.WriteByte(byte('a' + chance.IntN(26)))
	}
	return b.Bytes()[:size]
}

func TestEveryCodingGivesTheSameDocument(t *testing.T) {
	for _, size := range []int{1, 100, 20_000, 32 << 10, 700_001} {
		want := plainText(size)
		for _, c := range []struct {
			header string
			how    []string
		}{
			{"", nil},
			{"identity", nil},
			{"utf-8", nil},
			{"gzip", []string{"gzip"}},
			{"GZip", []string{"gzip"}},
			{"x-gzip", []string{"gzip"}},
			{"gzip", nil}, // said and not done
			{"deflate", []string{"deflate"}},
			{"deflate", []string{"raw deflate"}},
			{"br", []string{"br"}},
			{"zstd", []string{"zstd"}},
			{"gzip, gzip", []string{"gzip", "gzip"}},
			{"deflate, br", []string{"deflate", "br"}},
		} {
			t.Run(fmt.Sprintf("%d bytes %q by %v", size, c.header, c.how), func(t *testing.T) {
				sent := want
				for _, coding := range c.how {
					sent = squeeze(t, coding, sent)
				}
				url := serve(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header()["Content-Encoding"] = []string{c.header}
					_, _ = w.Write(sent)
				})
				client := newClient(t)
				for range 2 { // the second time with a used decoder
					res := mustGet(t, client, Request{URL: url})
					if !bytes.Equal(res.Body, want) {
						t.Fatalf("got %d bytes, not the document", len(res.Body))
					}
					if res.Wire != int64(len(sent)) {
						t.Errorf("counted %d bytes received, want %d", res.Wire, len(sent))
					}
				}
			})
		}
	}
}

func TestPaddingAfterGzipIsPassedOver(t *testing.T) {
	want := plainText(1000)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(append(squeeze(t, "gzip", want), make([]byte, 512)...))
	})
	if res := mustGet(t, newClient(t), Request{URL: url}); !bytes.Equal(res.Body, want) {
		t.Errorf("got %d bytes, want %d", len(res.Body), len(want))
	}
}

// hostile 5: a compressed body that would grow without end is cut early and costs
// almost no memory: the whole fetch allocates less than 16 MiB, whatever is collected.
func TestHostile5Bombs(t *testing.T) {
	zeros := make([]byte, 64<<20)
	codings := map[string][]byte{}
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		codings[coding] = squeeze(t, coding, zeros)
	}
	codings["gzip, gzip"] = squeeze(t, "gzip", bytes.Repeat(codings["gzip"], 160)) // 10 GiB in 10 MB in 30 KB
	for coding, bomb := range codings {
		for _, limit := range []struct {
			name  string
			ratio int64
			want  error
		}{
			{"by ratio", 100, ErrBomb},
			{"by size", 1 << 40, ErrTooLarge},
		} {
			t.Run(coding+" "+limit.name, func(t *testing.T) {
				url := serve(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Encoding", coding)
					for range 160 { // gzip and zstd go on where another one follows
						if _, err := w.Write(bomb); err != nil {
							return
						}
					}
				})
				client := newClient(t, func(c *Config) { c.MaxRatio = limit.ratio })
				var before, after runtime.MemStats
				runtime.GC()
				runtime.GC() // pooled decoders go with the second
				runtime.ReadMemStats(&before)
				_, err := get(t, client, Request{URL: url})
				runtime.ReadMemStats(&after)
				if !errors.Is(err, limit.want) {
					t.Errorf("got %v, want %v", err, limit.want)
				}
				if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
					t.Errorf("took %.1f MiB of memory, want at most 16", float64(used)/(1<<20))
				}
			})
		}
	}
}

func TestHonestCompressionIsNoBomb(t *testing.T) {
	body := []byte(strings.Repeat("<item><title>nothing much</title></item>\n", 5000))
	sent := squeeze(t, "gzip", body)
	if ratio := len(body) / len(sent); ratio < 100 {
		t.Fatalf("ratio %d: the test is too easy", ratio)
	}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(sent)
	})
	if res := mustGet(t, newClient(t), Request{URL: url}); len(res.Body) != len(body) {
		t.Errorf("got %d bytes, want %d", len(res.Body), len(body))
	}
}

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

// hostile 6: whoever drips, says nothing, or never ends its header is cut in time.
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
		{"one byte a second", func(conn net.Conn) { text(header)(conn); drip(conn, "x", time.Second) }, errSlowBody, c.Idle},
		{"silence in the body", func(conn net.Conn) { text(header + "x")(conn); time.Sleep(time.Hour) }, errSlowBody, c.Idle},
		{"just not silent", func(conn net.Conn) { text(header)(conn); drip(conn, strings.Repeat("x", 200), 2*time.Second) }, errSlowTotal, c.Total},
		{"silence", func(conn net.Conn) { time.Sleep(time.Hour) }, errSlowHeader, c.Header},
		{"no end of headers", func(conn net.Conn) { text("HTTP/1.1 200 OK\r\n")(conn); drip(conn, "A: b\r\n", time.Second) }, errSlowHeader, c.Header},
		{"no end of a header", func(conn net.Conn) { text("HTTP/1.1 200 OK\r\nA: ")(conn); drip(conn, "b", time.Second) }, errSlowHeader, c.Header},
		{"error page that drips", func(conn net.Conn) {
			text("HTTP/1.1 403 No\r\n\r\n")(conn)
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
			text("HTTP/1.1 200 OK\r\nContent-Length: 10240\r\n\r\n")(conn)
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
		"endless 1xx":  strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 10_000) + "HTTP/1.1 200 OK\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			url := serveRaw(t, text(header+"Content-Length: 2\r\n\r\nok"))
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
		"length too large":          {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<rss>", ErrTruncated},
		"length too small, gzip":    {fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(half), zipped), ErrTruncated},
		"length negative":           {"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n<rss>", nil},
		"length not a number":       {"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n<rss>", nil},
		"two lengths":               {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n<rss>x", nil},
		"chunked, cut in a chunk":   {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n<rss>", ErrTruncated},
		"chunked, cut between":      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<rss>\r\n", ErrTruncated},
		"chunked, no last line":     {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<rss>\r\n0\r\n", ErrTruncated},
		"chunked, nonsense":         {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n<rss>\r\n", ErrTruncated},
		"gzip, cut, until the end":  {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + half, ErrTruncated},
		"gzip, cut, length correct": {fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(half), half), ErrTruncated},
		"gzip, damaged":             {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + half + strings.Repeat("\x55", 4000), nil},
		"brotli, nonsense":          {"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n<rss>this is no brotli</rss>", nil},
		"zstd, nonsense":            {"HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n<rss>this is no zstd</rss>", ErrCorrupt},
		"whole, then cut in padding": {fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(zipped)+9, zipped),
			ErrTruncated},
		"nothing at all": {"", nil},
		"no HTTP":        {"SSH-2.0-OpenSSH_9.6\r\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := get(t, newClient(t), Request{URL: serveRaw(t, text(test.answer))})
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
	url := serveRaw(t, func(conn net.Conn) {
		text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<rss>")(conn)
		_ = conn.(*net.TCPConn).SetLinger(0)
	})
	if _, err := get(t, newClient(t), Request{URL: url}); !errors.Is(err, ErrTruncated) {
		t.Errorf("got %v, want %v", err, ErrTruncated)
	}
}

// hostile 7: what follows a body whose length was said too small is nobody's answer.
func TestHostile7LeftOverBytesAreNoAnswer(t *testing.T) {
	url := serveRaw(t, text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<rss>HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"))
	client := newClient(t)
	for range 5 {
		if res := mustGet(t, client, Request{URL: url}); string(res.Body) != "<rss>" {
			t.Fatalf("got %q", res.Body)
		}
		client.transport.CloseIdleConnections()
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
			if _, err := get(t, newClient(t), Request{URL: serveRaw(t, text(answer))}); !errors.Is(err, ErrEmpty) {
				t.Errorf("got %v, want %v", err, ErrEmpty)
			}
		})
	}
}
