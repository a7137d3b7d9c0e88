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
	"net/http"
	"runtime"
	"strings"
	"testing"

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
	sizes := []int{1, 20_000, 32 << 10, 150_001}
	if testing.Short() {
		sizes = []int{1, 40_001}
	}
	for _, size := range sizes {
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

// A file that is compressed itself is read, and so is one that is compressed once more on its way; nothing deeper is.
func TestCompressedFilesAreRead(t *testing.T) {
	want := plainText(5000)
	once := squeeze(t, "gzip", want)
	twice := squeeze(t, "gzip", once)
	thrice := squeeze(t, "gzip", twice)
	for name, test := range map[string]struct {
		header, contentType string
		sent, want          []byte
	}{
		"a file":                     {"", "application/x-gzip", once, want},
		"a file with a feed's type":  {"", "application/rss+xml", once, want},
		"a file of a file":           {"", "application/gzip", twice, want},
		"a file, compressed":         {"gzip", "application/rss+xml", twice, want},
		"a file, compressed by br":   {"br", "application/rss+xml", squeeze(t, "br", once), want},
		"a file of a file of a file": {"", "application/gzip", thrice, once},
		"the beginning of gzip":      {"", "text/plain", once[:2], once[:2]},
	} {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", test.contentType)
			if test.header != "" {
				w.Header().Set("Content-Encoding", test.header)
			}
			_, _ = w.Write(test.sent)
		})
		if res, err := get(t, newClient(t), Request{URL: url}); err != nil || !bytes.Equal(res.Body, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(once[:len(once)/2]) })
	if _, err := get(t, newClient(t), Request{URL: url}); !errors.Is(err, ErrTruncated) {
		t.Errorf("half a file: got %v, want %v", err, ErrTruncated)
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
	zeros := make([]byte, 8<<20)
	codings := map[string][]byte{}
	for _, coding := range []string{"gzip", "deflate", "zstd"} {
		codings[coding] = squeeze(t, coding, zeros)
	}
	codings["br"] = squeeze(t, "br", make([]byte, 24<<20))                         // more than its largest window
	codings["gzip, gzip"] = squeeze(t, "gzip", bytes.Repeat(codings["gzip"], 320)) // 2.5 GiB in 2.5 MB in a few KB
	codings["a file"] = codings["gzip"]
	codings["a file of files"] = codings["gzip, gzip"]
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
					if !strings.HasPrefix(coding, "a file") {
						w.Header().Set("Content-Encoding", coding)
					}
					for range 1280 { // gzip and zstd go on where another one follows: 10 GiB
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
