package api

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"

	"tidings"
	"tidings/delivery/memory"
)

func TestHintWherePlainHTTPWasMeant(t *testing.T) {
	plain := fmt.Errorf("checking: %w", tls.RecordHeaderError{Msg: "no"})
	for _, test := range []struct {
		address string
		err     error
		hint    string
	}{
		{"localhost:9701/x", plain, "put http:// before it"},
		{"localhost:9701/x", syscall.ECONNREFUSED, "put http:// before it"},
		{"https://localhost:9701/x", http.ErrSchemeMismatch, "write http:// instead"},
		{"https://localhost:9701/x", syscall.ECONNREFUSED, ""},
		{"localhost/x", errors.New("a answered 404"), ""},
		{"localhost/x", tidings.Invalidf("it has a blank"), ""},
	} {
		f := filled()
		f.previewErr = test.err
		for _, route := range []string{"preview", "channels"} {
			w := ask(as(tidings.Owner, New(configOf(f))), "POST", route, `{"url":"`+test.address+`"}`)
			if has := strings.Contains(w.Body.String(), `"hint":`); has != (test.hint != "") || !strings.Contains(w.Body.String(), test.hint) {
				t.Errorf("%s %s (%v): %s", route, test.address, test.err, w.Body)
			}
		}
	}
}

// hostile 64: a body that does not arrive in time is told so, and is no error of the node's.
func TestHostile64SlowBody(t *testing.T) {
	var log bytes.Buffer
	c := configOf(filled())
	c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	late := &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}
	for path, kind := range map[string]string{"entries/read": typeJSON, "opml": typeOPML} {
		r := httptest.NewRequest("POST", Base+path, io.MultiReader(strings.NewReader("{"), failing{late}))
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		as(tidings.Owner, New(c)).ServeHTTP(w, r)
		if w.Code != http.StatusRequestTimeout || !strings.Contains(w.Body.String(), "did not arrive in time") || log.Len() > 0 {
			t.Errorf("%s: %d %s, logged %s", path, w.Code, w.Body, log.String())
		}
	}
}

// hostile 77: a body for which there is no memory left is refused for now, and is no error of the node's.
func TestHostile77BodyWithoutRoom(t *testing.T) {
	var log bytes.Buffer
	c := configOf(filled())
	c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	for path, kind := range map[string]string{"entries/read": typeJSON, "opml": typeOPML} {
		r := httptest.NewRequest("POST", Base+path, io.MultiReader(strings.NewReader("{"), failing{memory.ErrFull}))
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		as(tidings.Owner, New(c)).ServeHTTP(w, r)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || log.Len() > 0 {
			t.Errorf("%s: %d %s, logged %s", path, w.Code, w.Body, log.String())
		}
	}
}

// failing is a body whose connection fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
