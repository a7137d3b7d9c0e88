package shell

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
	"tidings/delivery/locale"
	"tidings/delivery/memory"
	"tidings/delivery/web/wording"
)

const (
	maxForm  = 256 << 10 // bytes of a form
	MaxLogin = 8 << 10   // bytes of a form of somebody unknown: to sign in, with where to go on
	maxField = 4096      // bytes of a field that is not a text of many lines
)

// Request is one request of a known account.
type Request struct {
	*http.Request
	Account tidings.AccountID
	Words   wording.Words // of the requester's language

	beside *beside // nil: nothing is kept from one part of the answer to the next
}

// requestOf returns a request as it came, with the language in which it is answered.
func (s Shell) requestOf(r *http.Request) Request {
	account, _ := auth.Account(r.Context())
	request := Request{Request: r, Account: account, beside: &beside{}}
	l := s.languageOf(request)
	request.Request, request.Words = r.WithContext(locale.With(r.Context(), l)), wording.Words{Locale: l}
	return request
}

// Handler answers a request, or returns why it cannot, having written nothing.
type Handler func(w http.ResponseWriter, r Request) error

// Known serves h, of a route, for requests that the guard admitted and that auth's table admits to the route.
func (s Room) Known(route string, h Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := auth.Account(r.Context()); !ok {
			s.Fail(w, s.requestOf(r), tidings.ErrUnauthorized)
			return
		}
		do := h
		if !auth.Admits(r.Context(), route) {
			do = refuseReader
		}
		s.serve(w, s.requestOf(r), do)
	})
}

// ErrAdministrators refuses a reader.
var ErrAdministrators = errors.New(auth.Refusal)

func refuseReader(http.ResponseWriter, Request) error { return ErrAdministrators }

// Anybody serves h for requests of anybody; the account may be 0.
func (s Room) Anybody(h Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.serve(w, s.requestOf(r), h)
	})
}

func (s Room) serve(w http.ResponseWriter, r Request, h Handler) {
	if r.Method == http.MethodPost && r.URL.Path != "/opml" {
		limit := int64(maxForm)
		if r.Account == 0 {
			limit = MaxLogin
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		if err := r.ParseForm(); err != nil {
			s.Fail(w, r, FormFailed(err))
			return
		}
	}
	if err := h(w, r); err != nil {
		s.Fail(w, r, err)
	}
}

// errSlow says that a form did not arrive in time.
var errSlow = errors.New("what was sent did not arrive in time")

// FormFailed says why a form cannot be read: because it came too slowly, is too large, or is none.
func FormFailed(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w: %w", errSlow, err)
	case errors.As(err, new(*http.MaxBytesError)), errors.Is(err, memory.ErrFull):
		return err
	}
	return tidings.Invalidf("%w", err)
}

// Field returns a value of the form or query, as one trimmed line of bounded length.
func (r Request) Field(name string) string {
	return strings.TrimSpace(wording.Plain(r.FormValue(name), maxField))
}

// Number returns a value of the form or query as a number that is not negative; 0 if it is none.
func (r Request) Number(name string) int64 {
	n, err := strconv.ParseInt(r.FormValue(name), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// PathID returns the number in the path.
func (r Request) PathID() (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, tidings.ErrNotFound
	}
	return id, nil
}

// SeeOther answers a form: the browser goes on to target, a path of this site, and
// nothing is sent twice by reloading.
func SeeOther(w http.ResponseWriter, r Request, target string) error {
	http.Redirect(w, r.Request, LocalPath(target), http.StatusSeeOther)
	return nil
}

// LocalPath returns target if it is a path of this site, else "/".
func LocalPath(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || !strings.HasPrefix(target, "/") ||
		strings.HasPrefix(target, "//") || strings.ContainsAny(target, "\\\r\n\t") {
		return "/"
	}
	return u.String()
}

// ChannelPath returns the address of the page of the channel at an address.
func ChannelPath(address string) string {
	return "/channel?" + url.Values{"url": {address}}.Encode()
}

// Scripted reports whether the script asks, which wants to know how it went and no page.
func Scripted(r Request) bool { return r.Header.Get("X-Requested-With") == "tidings" }

// IsCanceled reports whether the requester has disconnected.
func IsCanceled(err error) bool { return errors.Is(err, context.Canceled) }
