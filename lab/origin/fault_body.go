package origin

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// The faults with whole, but wrong answers.

func empty(w *recorder, _ *http.Request, _ *document, p *prepared, _ string, _ time.Time) {
	w.Header()["Content-Type"] = p.contentType
	w.WriteHeader(http.StatusOK)
}

func login(w *recorder, _ *http.Request, _ *document, _ *prepared, _ string, _ time.Time) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, `<!DOCTYPE html><html><head><title>Log in</title></head><body><h1>Please log in</h1><form method="post" action="/login"><input name="user"><input name="password" type="password"><button>Log in</button></form></body></html>`)
}

func challenge(w *recorder, _ *http.Request, _ *document, _ *prepared, _ string, _ time.Time) {
	h := w.Header()
	h.Set("Cf-Mitigated", "challenge")
	h.Set("Server", "cloudflare")
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusForbidden)
	fmt.Fprint(w, `<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Enable JavaScript and cookies to continue</body></html>`)
}

func wrongCharset(w *recorder, _ *http.Request, _ *document, p *prepared, value string, _ time.Time) {
	media, _, _ := strings.Cut(p.contentType[0], ";")
	w.Header().Set("Content-Type", media+"; charset="+value)
	_, _ = w.Write(p.body)
}

func wrongType(w *recorder, _ *http.Request, _ *document, p *prepared, value string, _ time.Time) {
	w.Header().Set("Content-Type", value)
	_, _ = w.Write(p.body)
}

func sameETag(w *recorder, r *http.Request, _ *document, p *prepared, _ string, _ time.Time) {
	const tag = `"same"`
	w.Header()["Etag"] = []string{tag}
	w.Header()["Content-Type"] = p.contentType
	if r.Header.Get("If-None-Match") == tag && p.state%2 == 0 {
		w.WriteHeader(http.StatusNotModified) // and the odd states come whole
		return
	}
	_, _ = w.Write(p.body)
}

func future(w *recorder, _ *http.Request, _ *document, p *prepared, _ string, now time.Time) {
	w.Header().Set("Last-Modified", now.AddDate(10, 0, 0).UTC().Format(http.TimeFormat))
	w.Header()["Content-Type"] = p.contentType
	_, _ = w.Write(p.body)
}

func doubleGzip(w *recorder, _ *http.Request, _ *document, p *prepared, _ string, _ time.Time) {
	w.Header().Set("Content-Encoding", "gzip")
	w.Header()["Content-Type"] = p.contentType
	_, _ = w.Write(p.compressors.compress(gzipped, p.variant(gzipped).body))
}

// noise puts into the body what servers put into theirs at each request.
func noise(w *recorder, r *http.Request, _ *document, p *prepared, _ string, now time.Time) {
	token := strconv.FormatInt(now.UnixNano(), 36)
	w.Header()["Content-Type"] = p.contentType
	w.Header().Set("Cache-Control", "no-store")
	if !strings.HasPrefix(p.contentType[0], "text/html") {
		_, _ = w.Write(p.body)
		if !strings.Contains(p.contentType[0], "json") {
			fmt.Fprintf(w, "<!-- generated %s, request %s -->\n", now.UTC().Format(time.RFC3339Nano), token)
		}
		return
	}
	end := bytes.LastIndex(bytes.ToLower(p.body), []byte("</body"))
	if end < 0 {
		end = len(p.body)
	}
	_, _ = w.Write(p.body[:end])
	fmt.Fprintf(w, "<form><input type=\"hidden\" name=\"csrf_token\" value=\"%s\"></form>\n", token)
	fmt.Fprintf(w, "<div class=\"advertisement\"><a href=\"/ads?click=%s\">Buy %s now</a></div>\n", token, token)
	fmt.Fprintf(w, "<p>Page generated at %s for %s</p>\n", now.UTC().Format("2006-01-02 15:04:05.000000000"), token)
	_, _ = w.Write(p.body[end:])
}

const bombMember = 8 << 20 // bytes that one gzip member of a bomb holds

// bomb sends one compressed member again and again: gzip allows that (RFC 1952, section 2.2), and it costs this side
// nothing.
func bomb(w *recorder, _ *http.Request, _ *document, p *prepared, value string, _ time.Time) {
	var member bytes.Buffer
	z := gzip.NewWriter(&member)
	_, _ = z.Write(append(p.body[:len(p.body):len(p.body)], make([]byte, bombMember)...))
	_ = z.Close()
	w.Header().Set("Content-Encoding", "gzip")
	w.Header()["Content-Type"] = p.contentType
	for range number(value)*(1<<20)/bombMember + 1 {
		if _, err := w.Write(member.Bytes()); err != nil {
			return
		}
	}
}

// The faults of the connection.

func slow(w *recorder, r *http.Request, _ *document, p *prepared, value string, _ time.Time) {
	const perSecond = 10 // pieces
	piece := max(number(value)/perSecond, 1)
	w.Header()["Content-Type"] = p.contentType
	w.Header()["Content-Length"] = p.variant(identity).length
	tick := time.NewTicker(time.Second / perSecond)
	defer tick.Stop()
	for body := p.body; len(body) > 0; {
		n := min(piece, len(body))
		if _, err := w.Write(body[:n]); err != nil {
			return
		}
		body = body[n:]
		_ = http.NewResponseController(w).Flush()
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		}
	}
}

func truncated(w *recorder, _ *http.Request, _ *document, p *prepared, _ string, _ time.Time) {
	w.Header()["Content-Type"] = p.contentType
	w.Header()["Content-Length"] = p.variant(identity).length
	_, _ = w.Write(p.body[:len(p.body)/2])
}

func chunkCut(w *recorder, _ *http.Request, _ *document, p *prepared, _ string, _ time.Time) {
	w.Header()["Content-Type"] = p.contentType
	_, _ = w.Write(p.body[:len(p.body)/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

const endlessBytes = 1 << 30

func endless(w *recorder, r *http.Request, _ *document, p *prepared, _ string, _ time.Time) {
	w.Header()["Content-Type"] = p.contentType
	_, _ = w.Write(p.body)
	filler := bytes.Repeat([]byte("<!-- and on and on -->\n"), 1<<10)
	for sent := 0; sent < endlessBytes && r.Context().Err() == nil; sent += len(filler) {
		if _, err := w.Write(filler); err != nil {
			return
		}
	}
}

func manyHeaders(w *recorder, r *http.Request, d *document, p *prepared, value string, now time.Time) {
	for i := range number(value) {
		w.Header()[fmt.Sprintf("X-Filler-%d", i)] = []string{"x"}
	}
	d.answer(w, r, p, now)
}

func tooLong(w *recorder, _ *http.Request, _ *document, p *prepared, _ string, _ time.Time) {
	rawAnswer(w, fmt.Appendf(nil, "Content-Length: %d\r\nContent-Type: %s\r\n\r\n%s", len(p.body)/2, p.contentType[0],
		p.body), false)
}

func negativeLength(w *recorder, _ *http.Request, _ *document, p *prepared, _ string, _ time.Time) {
	rawAnswer(w, fmt.Appendf(nil, "Content-Length: -1\r\nContent-Type: %s\r\n\r\n%s", p.contentType[0], p.body), false)
}

func resetMiddle(w *recorder, _ *http.Request, _ *document, p *prepared, _ string, _ time.Time) {
	rawAnswer(w, fmt.Appendf(nil, "Content-Length: %d\r\nContent-Type: %s\r\n\r\n%s", len(p.body), p.contentType[0],
		p.body[:len(p.body)/2]), true)
}

func reset(w *recorder, _ *http.Request, _ *document, _ *prepared, _ string, _ time.Time) {
	conn := hijack(w)
	breakOff(conn)
}

func silent(_ *recorder, r *http.Request, _ *document, _ *prepared, _ string, _ time.Time) {
	<-r.Context().Done()
}

// switching keeps the connection until the client closes it. What a client sends that believes in the upgrade is read
// and dropped.
func switching(w *recorder, _ *http.Request, _ *document, _ *prepared, _ string, _ time.Time) {
	conn := hijack(w)
	defer conn.Close()
	w.status = http.StatusSwitchingProtocols
	if _, err := io.WriteString(conn,
		"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: none\r\n\r\n"); err == nil {
		_, _ = io.Copy(io.Discard, conn)
	}
}

const endlessHeaderBytes = 64 << 20

func endlessHeaders(w *recorder, _ *http.Request, _ *document, _ *prepared, _ string, _ time.Time) {
	conn := hijack(w)
	defer conn.Close()
	w.status = http.StatusOK
	filler := []byte(strings.Repeat("X-Filler: and on and on\r\n", 1<<10))
	_, err := conn.Write([]byte("HTTP/1.1 200 OK\r\n"))
	for sent := 0; err == nil && sent < endlessHeaderBytes; sent += len(filler) {
		_, err = conn.Write(filler)
	}
}

// rawAnswer writes what net/http would not, after a status line, and closes.
func rawAnswer(w *recorder, rest []byte, broken bool) {
	conn := hijack(w)
	w.status = http.StatusOK
	n, _ := conn.Write(append([]byte("HTTP/1.1 200 OK\r\nConnection: close\r\n"), rest...))
	w.bytes = int64(n)
	if broken {
		breakOff(conn)
		return
	}
	_ = conn.Close()
}

// hijack detaches the connection from the server. Where that is not possible (HTTP/2, a test's recorder), the request
// is aborted, which is the nearest thing.
func hijack(w *recorder) net.Conn {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return conn
}

// breakOff closes with a reset instead of an orderly end.
func breakOff(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
