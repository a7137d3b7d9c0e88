package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/memory"
	"tidings/delivery/web/shell"
)

// cheapHash is a hash of "secret word" that is quick to check.
const cheapHash = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$BEy7d5j3gE2sARNZNLy/d+7QhDnC9pvIkAtuQ5nbylk"

// hostile 65: if a password is not even tried, the person learns that, what to do, and when to try again.
func TestHostile65ThrottledSignIn(t *testing.T) {
	f := sample()
	f.password = cheapHash
	v := visit(t, f, true)
	var w *httptest.ResponseRecorder
	for range 10 {
		if w = v.post("/login", "password", "guess"); w.Code == http.StatusTooManyRequests {
			break
		}
		if strings.Contains(w.Body.String(), "was not tried") {
			t.Fatalf("%d: a password that was tried was not, it says", w.Code)
		}
	}
	if seconds, err := strconv.Atoi(w.Header().Get("Retry-After")); w.Code != 429 || err != nil || seconds < 1 {
		t.Errorf("%d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
	sound(t, "/login", w.Body.String())
	for _, words := range []string{"Too many attempts.", "Wait half a minute", "Your password was not tried.",
		"Where you signed in before"} {
		if !strings.Contains(w.Body.String(), words) {
			t.Errorf("the page does not say %q", words)
		}
	}
}

// leaving is a guard with a store that fails because the requester disconnected.
type leaving struct {
	Guard
	leave context.CancelFunc
}

func (g leaving) SignIn(http.ResponseWriter, *http.Request, string, string) error {
	g.leave()
	return errors.New("sign in: interrupted")
}

// If a person disconnects while the password is checked, that is no error of the node.
func TestWhoGoesAwayDuringSignInIsNoError(t *testing.T) {
	f := sample()
	ctx, leave := context.WithCancel(t.Context())
	var log bytes.Buffer
	page := must(New(Config{Store: f, Node: f, Guard: leaving{must(auth.New(auth.Config{Store: f})), leave},
		Log: slog.New(slog.NewTextHandler(&log, nil))}))
	r := httptest.NewRequestWithContext(ctx, "POST", "/login", strings.NewReader("password=secret+word"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	page.ServeHTTP(httptest.NewRecorder(), r)
	if ctx.Err() == nil || log.Len() > 0 {
		t.Errorf("logged: %s", log.String())
	}
}

// If a person disconnects while a page is made, that is no error of the node. Otherwise anybody could fill its log.
func TestWhoGoesAwayBeforeThePageIsNoError(t *testing.T) {
	f := sample()
	f.fail = context.Canceled
	ctx, leave := context.WithCancel(auth.WithAccount(t.Context(), tidings.Owner))
	leave()
	var log bytes.Buffer
	page := must(New(Config{Store: f, Node: f, Guard: must(auth.New(auth.Config{Store: f})),
		Log: slog.New(slog.NewTextHandler(&log, nil))}))
	for _, path := range []string{"/help", "/"} {
		page.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", path, nil))
	}
	if log.Len() > 0 {
		t.Errorf("logged: %s", log.String())
	}
}

// hostile 64: the sender of a form that does not arrive in time is informed, known or not.
func TestHostile64SlowForm(t *testing.T) {
	late := &net.OpError{Op: "read", Err: fmt.Errorf("i/o: %w", os.ErrDeadlineExceeded)}
	sendsForms(t, late, http.StatusRequestTimeout, "did not arrive in time")
}

// hostile 77: a form for which there is no memory left is refused for now.
func TestHostile77FormWithoutRoom(t *testing.T) {
	sendsForms(t, memory.ErrFull, http.StatusServiceUnavailable, "Try again in ten seconds")
}

// sendsForms sends forms over a failing connection, and expects an answer.
func sendsForms(t *testing.T, fails error, code int, text string) {
	v := visit(t, sample(), false)
	for _, kind := range []string{"application/x-www-form-urlencoded", "multipart/form-data; boundary=b"} {
		path := "/channel"
		if strings.HasPrefix(kind, "multipart") {
			path = "/opml"
		}
		r := httptest.NewRequest("POST", path, io.MultiReader(strings.NewReader("--b\r\n"), failing{fails}))
		r.Header.Set("Content-Type", kind)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		if w := v.send(r); w.Code != code || !strings.Contains(w.Body.String(), text) {
			t.Errorf("%s: %d", kind, w.Code)
		}
	}
}

// failing is a body of a failing connection.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// A stranger may send as much as signing in needs, and no more.
func TestHostile64LongFormOfAStranger(t *testing.T) {
	f := sample()
	f.password = cheapHash
	v := visit(t, f, true)
	long := strings.Repeat("x", shell.MaxLogin)
	if w := v.post("/login", "password", long); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a long form of a stranger: %d", w.Code)
	}
	v.goesTo(v.post("/login", "password", "secret word"), "/")
	if w := v.post("/channel", "url", long); w.Code == http.StatusRequestEntityTooLarge {
		t.Errorf("the same of somebody signed in: %d", w.Code)
	}
}
