package sync

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/memory"
)

// answer has a reply with a text sent to a request with headers.
func answer(t *testing.T, text string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	for n := 0; n < len(headers); n += 2 {
		r.Header.Set(headers[n], headers[n+1])
	}
	w := httptest.NewRecorder()
	p := NewReply(w, r).Validated()
	p.Print(text)
	if err := p.Send(http.StatusOK, Text); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestAnswersAreCompressed(t *testing.T) {
	for header, zipped := range map[string]bool{
		"gzip": true, "gzip, deflate": true, "br;q=1.0, gzip;q=0.8": true, "*": true, "": false, "gzip;q=0": false,
		"identity": false,
	} {
		w := answer(t, "OK", "Accept-Encoding", header)
		body := io.Reader(w.Body)
		if is := w.Header().Get("Content-Encoding") == "gzip"; is != zipped {
			t.Errorf("%q: compressed %v", header, is)
		} else if is {
			z, err := gzip.NewReader(body)
			if err != nil {
				t.Fatal(err)
			}
			body = z
		}
		if text, err := io.ReadAll(body); string(text) != "OK" || err != nil {
			t.Errorf("%q: %q, %v", header, text, err)
		}
		if !strings.Contains(w.Header().Get("Vary"), "Accept-Encoding") || w.Header().Get("Cache-Control") == "" {
			t.Errorf("%q: the headers are %v", header, w.Header())
		}
	}
}

// Answers that are made at once share nothing that one of them writes to.
func TestAnswersAtOnce(t *testing.T) {
	var all gosync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			text := strings.Repeat(fmt.Sprint(n), 100_000)
			for range 20 {
				z, err := gzip.NewReader(answer(t, text, "Accept-Encoding", "gzip").Body)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := io.ReadAll(z); string(got) != text {
					t.Errorf("another text comes: %v", err)
				}
			}
		})
	}
	all.Wait()
}

func TestAnswersHaveValidators(t *testing.T) {
	first := answer(t, "a", "Accept-Encoding", "gzip")
	tag := first.Header().Get("ETag")
	for name, c := range map[string]struct {
		text, held string
		status     int
	}{
		"the same":           {"a", tag, http.StatusNotModified},
		"the same, not weak": {"a", strings.TrimPrefix(tag, "W/"), http.StatusNotModified},
		"one of several":     {"a", `"x", ` + tag, http.StatusNotModified},
		"any":                {"a", "*", http.StatusNotModified},
		"another":            {"b", tag, http.StatusOK},
		"another tag":        {"a", `"x"`, http.StatusOK},
		"no tag":             {"a", "", http.StatusOK},
	} {
		w := answer(t, c.text, "If-None-Match", c.held)
		if w.Code != c.status || w.Code == http.StatusNotModified && w.Body.Len() > 0 {
			t.Errorf("%s: the answer is %d with %q", name, w.Code, w.Body)
		}
	}
}

// hostile 77: what answers hold is bounded, and one that finds no room is an error and not half an answer.
func TestAnswersCountAsMemory(t *testing.T) {
	budget := memory.New(memory.Least, slog.New(slog.DiscardHandler))
	ctx, end := budget.Begin(context.Background(), memory.Remote)
	defer end()
	r := httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx)
	other, endOther := budget.Begin(context.Background(), memory.Remote)
	defer endOther()
	if err := memory.Of(other).Hold(memory.Least / 2); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	p := NewReply(w, r)
	for range memory.Least / (1 << 20) {
		p.Print(strings.Repeat("x", 1<<20))
	}
	if err := p.Send(http.StatusOK, Text); !errors.Is(err, memory.ErrFull) || w.Body.Len() > 0 {
		t.Errorf("the error is %v, and %d bytes were sent", err, w.Body.Len())
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		retry  time.Duration
	}{
		{fmt.Errorf("a: %w", ErrWrong), http.StatusUnauthorized, 0},
		{&TooManyTries{90 * time.Second}, http.StatusTooManyRequests, 90 * time.Second},
		{&TooManyTries{}, http.StatusTooManyRequests, time.Second},
		{fmt.Errorf("a: %w", tidings.ErrNotFound), http.StatusNotFound, 0},
		{tidings.Invalidf("no"), http.StatusBadRequest, 0},
		{fmt.Errorf("a: %w", memory.ErrFull), http.StatusServiceUnavailable, 10 * time.Second},
		{&tidings.Failure{Op: "reading", Address: "https://x", Err: errors.New("gone")}, http.StatusBadGateway, 0},
		{tidings.ErrDiskFull, http.StatusServiceUnavailable, troubleWait},
		{errors.New("SELECT secret FROM people"), http.StatusServiceUnavailable, troubleWait},
	} {
		f := FaultOf(context.Background(), slog.New(slog.DiscardHandler), c.err)
		if f.Status != c.status || f.RetryAfter != c.retry || strings.Contains(f.Text, "SELECT") {
			t.Errorf("%v is %+v", c.err, f)
		}
	}
	h := http.Header{}
	Fault{RetryAfter: 1500 * time.Millisecond}.SetHeader(h)
	if h.Get("Retry-After") != "2" {
		t.Errorf("Retry-After is %q", h.Get("Retry-After"))
	}
}
