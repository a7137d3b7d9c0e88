package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/egress"
)

// wave returns a second of silence as a WAV file.
func wave() []byte {
	const rate = 8000
	var b bytes.Buffer
	b.WriteString("RIFF")
	binary.Write(&b, binary.LittleEndian, uint32(36+rate))
	b.WriteString("WAVEfmt ")
	for _, v := range []any{uint32(16), uint16(1), uint16(1), uint32(rate), uint32(rate), uint16(1), uint16(8)} {
		binary.Write(&b, binary.LittleEndian, v)
	}
	b.WriteString("data")
	binary.Write(&b, binary.LittleEndian, uint32(rate))
	b.Write(bytes.Repeat([]byte{128}, rate))
	return b.Bytes()
}

func client() *Client {
	return New(Config{Guard: egress.Guard{Private: true, Ports: egress.AnyPort}, Agent: "test"})
}

// A file comes as a whole and by ranges, by redirects too, and its kind is that of its bytes.
func TestOpen(t *testing.T) {
	file, ranges := wave(), []string(nil)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ranges = append(ranges, r.Header.Get("Range"))
		if r.Header.Get("Referer") != "" || r.Header.Get("Cookie") != "" || r.Header.Get("User-Agent") != "test" ||
			r.URL.RawQuery != "" {
			t.Errorf("the origin is sent %v, %s", r.Header, r.URL)
		}
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/a.wav", http.StatusFound)
		case "/a.wav":
			w.Header().Set("Content-Type", "text/html")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
		}
	}))
	defer origin.Close()
	c := client()
	for _, path := range []string{"/a.wav?utm_source=x", "/moved"} {
		s, err := c.Open(t.Context(), origin.URL+path, "")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(s.Body)
		if s.Body.Close(); err != nil || !bytes.Equal(got, file) || s.Type != "audio/wav" ||
			s.Length != int64(len(file)) || s.Range != "" || !s.Ranges {
			t.Errorf("%s: %d bytes of %d, %+v, %v", path, len(got), len(file), s, err)
		}
	}
	ranges = nil
	fresh := client()
	for range 2 {
		s, err := fresh.Open(t.Context(), origin.URL+"/a.wav", "bytes=4000-4999")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(s.Body)
		if s.Body.Close(); err != nil || !bytes.Equal(got, file[4000:5000]) || s.Type != "audio/wav" ||
			!strings.HasPrefix(s.Range, "bytes 4000-4999/") || s.Length != 1000 {
			t.Errorf("a range: %d bytes, %+v, %v", len(got), s, err)
		}
	}
	if len(ranges) != 3 || ranges[1] != "bytes=0-511" {
		t.Errorf("the first bytes are asked for once: %q", ranges)
	}
	if _, err := c.Open(t.Context(), origin.URL+"/a.wav", "bytes=99999-"); !errors.Is(err, ErrRange) {
		t.Errorf("behind the end: %v", err)
	}
}

// What is no sound or video is not passed on, under any media type. Nor is a wrong answer of an origin, or an address
// that must not be requested.
func TestOpenRefuses(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "audio/mpeg")
		switch r.URL.Path {
		case "/page":
			io.WriteString(w, "<html><script>steal()</script>")
		case "/disguised": // further on it would be a document
			if r.Header.Get("Range") != "bytes=0-511" {
				w.Header().Set("Content-Range", "bytes 600-700/1000")
				w.WriteHeader(206)
			}
			io.WriteString(w, "<html><script>steal()</script>")
		case "/part":
			w.Header().Set("Content-Range", "bytes x-y/z")
			w.WriteHeader(206)
			io.WriteString(w, "ID3")
		case "/zipped":
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, "ID3")
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/away":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(302)
		case "/metadata":
			w.Header().Set("Location", "http://169.254.169.254/latest")
			w.WriteHeader(302)
		default:
			w.WriteHeader(404)
		}
	}))
	defer origin.Close()
	for path, want := range map[string]error{"/page": ErrKind, "/part": nil, "/zipped": nil, "/loop": nil, "/away": nil,
		"/metadata": egress.ErrAddress, "/gone": nil} {
		if s, err := client().Open(t.Context(), origin.URL+path, ""); err == nil ||
			want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %+v, %v", path, s, err)
		}
	}
	if _, err := client().Open(t.Context(), origin.URL+"/disguised", "bytes=600-"); !errors.Is(err, ErrKind) {
		t.Errorf("a page by a range: %v", err)
	}
	for _, address := range []string{"", "ftp://x/a.mp3", "file:///etc/passwd", "http:///x", "javascript:1",
		"http://x/" + strings.Repeat("a", maxAddress)} {
		if _, err := client().Open(t.Context(), address, ""); !errors.Is(err, tidings.ErrInvalid) {
			t.Errorf("%.40s: %v", address, err)
		}
	}
	strict := New(Config{Agent: "test"})
	if _, err := strict.Open(t.Context(), origin.URL+"/page", ""); !errors.Is(err, egress.ErrAddress) &&
		!errors.Is(err, egress.ErrPort) {
		t.Errorf("a private address: %v", err)
	}
}

// An origin that falls silent ends the stream, and one that never ends is left when its reader leaves.
func TestStreamsEnd(t *testing.T) {
	left := make(chan struct{}, 2)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write(append([]byte("ID3"), make([]byte, 1000)...))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		left <- struct{}{}
	}))
	defer origin.Close()
	c := client()
	c.idle = 50 * time.Millisecond
	s, err := c.Open(t.Context(), origin.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(s.Body); err == nil {
		t.Error("a silent origin ends the file")
	}
	s.Body.Close()
	<-left
	ctx, leave := context.WithCancel(t.Context())
	if s, err = client().Open(ctx, origin.URL, ""); err != nil {
		t.Fatal(err)
	}
	leave()
	if _, err := io.ReadAll(s.Body); err == nil {
		t.Error("who has left is sent all")
	}
	s.Body.Close()
	<-left
}

// FuzzFirstByte: a range that is passed on is one.
func FuzzFirstByte(f *testing.F) {
	for _, seed := range []string{"bytes 0-511/1000", "bytes 5-9/*", "bytes */10", "bytes 9-5/10", "bytes -1-5/7",
		"bits 0-1/2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if at, ok := firstByte(text); ok &&
			(at < 0 || !strings.HasPrefix(text, "bytes ") || strings.ContainsAny(text, "\r\n")) {
			t.Errorf("%q: %d", text, at)
		}
	})
}
