package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/memory"
)

const (
	maxForm  = 256 << 10 // bytes of a form
	maxLogin = 8 << 10   // bytes of a form of somebody unknown: to sign in, with where to go on
	maxField = 4096      // bytes of a field that is not a text of many lines
)

// request is one request of a known account.
type request struct {
	*http.Request
	account tidings.AccountID
}

// handler answers a request, or returns why it cannot, having written nothing.
type handler func(w http.ResponseWriter, r request) error

// known serves h, of a route, for requests that the guard vouched for, and that auth's table admits to the route.
func (s *site) known(route string, h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		account, ok := auth.Account(r.Context())
		if !ok {
			s.fail(w, request{Request: r}, tidings.ErrUnauthorized)
			return
		}
		do := h
		if !auth.Admits(r.Context(), route) {
			do = refuseReader
		}
		s.serve(w, request{r, account}, do)
	})
}

// errAdministrators refuses a reader.
var errAdministrators = errors.New(auth.Refusal)

func refuseReader(http.ResponseWriter, request) error { return errAdministrators }

// anybody serves h for requests of whoever it is; the account may be 0.
func (s *site) anybody(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		account, _ := auth.Account(r.Context())
		s.serve(w, request{r, account}, h)
	})
}

func (s *site) serve(w http.ResponseWriter, r request, h handler) {
	if r.Method == http.MethodPost && r.URL.Path != "/opml" {
		limit := int64(maxForm)
		if r.account == 0 {
			limit = maxLogin
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		if err := r.ParseForm(); err != nil {
			s.fail(w, r, formFailed(err))
			return
		}
	}
	if err := h(w, r); err != nil {
		s.fail(w, r, err)
	}
}

// errSlow says that a form did not arrive in time.
var errSlow = errors.New("what was sent did not arrive in time")

// formFailed says why a form cannot be read: because it came too slowly, is too large, or is none.
func formFailed(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w: %w", errSlow, err)
	case errors.As(err, new(*http.MaxBytesError)), errors.Is(err, memory.ErrFull):
		return err
	}
	return tidings.Invalidf("%w", err)
}

// field returns a value of the form or query, as one trimmed line of bounded length.
func (r request) field(name string) string {
	return strings.TrimSpace(plain(r.FormValue(name), maxField))
}

// number returns a value of the form or query as a number that is not negative; 0 if it is none.
func (r request) number(name string) int64 {
	n, err := strconv.ParseInt(r.FormValue(name), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// pathID returns the number in the path.
func (r request) pathID() (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, tidings.ErrNotFound
	}
	return id, nil
}

// seeOther answers a form: the browser goes on to target, a path of this site, and
// nothing is sent twice by reloading.
func seeOther(w http.ResponseWriter, r request, target string) error {
	http.Redirect(w, r.Request, localPath(target), http.StatusSeeOther)
	return nil
}

// localPath returns target if it is a path of this site, else "/".
func localPath(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || !strings.HasPrefix(target, "/") ||
		strings.HasPrefix(target, "//") || strings.ContainsAny(target, "\\\r\n\t") {
		return "/"
	}
	return u.String()
}

// detached reports whether the script asks, which wants to know how it went and no page.
func detached(r request) bool { return r.Header.Get("X-Requested-With") == "tidings" }

// isCanceled reports whether the person who asked has gone away.
func isCanceled(err error) bool { return errors.Is(err, context.Canceled) }
