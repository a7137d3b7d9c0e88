package api

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/memory"
)

// hostile 64: the sender of a body that does not arrive in time is informed. It is no error of the node.
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
		if w.Code != http.StatusRequestTimeout || !strings.Contains(w.Body.String(), "did not arrive in time") ||
			log.Len() > 0 {
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

// failing is a body of a failing connection.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
