package media

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"tidings"
	"tidings/delivery/auth"
)

type source struct {
	wanted string
	err    error
	body   func() io.ReadCloser
}

func (s *source) Chapters(context.Context, string) ([]tidings.Chapter, error) {
	return nil, tidings.ErrNotFound
}

func (s *source) Open(_ context.Context, _, wanted string) (Stream, error) {
	s.wanted = wanted
	if s.err != nil {
		return Stream{}, s.err
	}
	if wanted != "" {
		return Stream{Type: "audio/mpeg", Range: "bytes 1-2/9", Length: 2, Ranges: true,
			Body: io.NopCloser(strings.NewReader("D3"))}, nil
	}
	if s.body != nil {
		return Stream{Type: "audio/mpeg", Length: -1, Body: s.body()}, nil
	}
	return Stream{Type: "audio/mpeg", Length: 3, Ranges: true, Body: io.NopCloser(strings.NewReader("ID3"))}, nil
}

const file = "https://pod.example/1.mp3"

// Only media that a page of this node plays are played, to people of this node, and the reply can do nothing.
func TestStreams(t *testing.T) {
	s := &source{}
	m := New(s, []byte("0123456789abcdef"), slog.New(slog.DiscardHandler))
	foreign := New(s, []byte("0123456789abcdeX"), slog.New(slog.DiscardHandler)).Path(file)
	for name, test := range map[string]struct {
		method, path, asked string
		err                 error
		code                int
		wanted, body        string
		stranger            bool
	}{
		"whole":                 {path: m.Path(file), code: 200, body: "ID3"},
		"its head":              {method: "HEAD", path: m.Path(file), code: 200},
		"a range":               {path: m.Path(file), asked: "bytes=1-2", code: 206, wanted: "bytes=1-2", body: "D3"},
		"to the end":            {path: m.Path(file), asked: "bytes=1-", code: 206, wanted: "bytes=1-", body: "D3"},
		"the last":              {path: m.Path(file), asked: "bytes=-2", code: 206, wanted: "bytes=-2", body: "D3"},
		"two ranges":            {path: m.Path(file), asked: "bytes=0-1,2-3", code: 200, body: "ID3"},
		"no range":              {path: m.Path(file), asked: "bytes=x\r\nHost: y", code: 200, body: "ID3"},
		"other units":           {path: m.Path(file), asked: "lines=1-2", code: 200, body: "ID3"},
		"behind the end":        {path: m.Path(file), err: ErrRange, code: 416},
		"a page":                {path: m.Path(file), err: ErrKind, code: 415},
		"gone":                  {path: m.Path(file), err: errors.New("secret 404"), code: 502},
		"no address":            {path: m.Path("x"), err: tidings.Invalidf("no address"), code: 404},
		"of another node":       {path: foreign, code: 403},
		"without a signature":   {path: Base + "/" + strings.Split(foreign, "/")[3], code: 403},
		"to nobody of the node": {path: m.Path(file), code: 403, stranger: true},
		"a form":                {method: "POST", path: m.Path(file), code: 405},
	} {
		s.wanted, s.err = "", test.err
		if test.method == "" {
			test.method = "GET"
		}
		r := httptest.NewRequest(test.method, test.path, nil)
		if test.asked != "" {
			r.Header.Set("Range", test.asked)
		}
		if !test.stranger {
			r = r.WithContext(auth.WithAccount(r.Context(), tidings.Owner))
		}
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r)
		h := w.Header()
		if w.Code != test.code || s.wanted != test.wanted || test.code < 300 && w.Body.String() != test.body ||
			strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: %d %q, asked for %q", name, w.Code, w.Body, s.wanted)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Security-Policy"),
			"sandbox") || test.code < 300 && h.Get("Content-Type") != "audio/mpeg" {
			t.Errorf("%s: %v", name, h)
		}
	}
	if m.total != 0 || len(m.own) != 0 {
		t.Errorf("%d streams are counted after all have ended", m.total)
	}
}

// One person cannot keep the others out.
func TestStreamsAreBounded(t *testing.T) {
	ends, begun := make(chan struct{}), make(chan struct{}, maxOwn)
	s := &source{body: func() io.ReadCloser { begun <- struct{}{}; return io.NopCloser(blocked(ends)) }}
	m := New(s, []byte("0123456789abcdef"), slog.New(slog.DiscardHandler))
	ask := func(account tidings.AccountID) int {
		r := httptest.NewRequest("GET", m.Path(file), nil)
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r.WithContext(auth.WithAccount(r.Context(), account)))
		return w.Code
	}
	var all sync.WaitGroup
	for range maxOwn {
		all.Go(func() { ask(1) })
		<-begun
	}
	if code := ask(1); code != 503 {
		t.Errorf("one too many: %d", code)
	}
	close(ends)
	if code := ask(2); code != 200 {
		t.Errorf("another person: %d", code)
	}
	all.Wait()
}

// blocked has nothing until it is closed, and then ends.
type blocked chan struct{}

func (b blocked) Read([]byte) (int, error) { <-b; return 0, io.EOF }
