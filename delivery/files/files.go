// Package files is the interface by which people download the larger files that items carry, as far as they are on this
// node:
//
//	GET /files/REF/NAME
//
// REF names the bytes. The requester must follow a channel with an item that carries them. NAME is for people, and can
// be anything. Ranges and conditional requests are answered (RFC 9110). A file's content comes from its publisher. So
// it is sent to be saved, never to be shown under this node's name.
//
// The account is that of the request's context (auth.Account).
package files

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"tidings"
	"tidings/delivery/auth"
	"tidings/view"
)

// Base is the path under which it is served.
const Base = "/files/"

// Path returns where a file is.
func Path(ref, name string) string { return Base + ref + "/" + url.PathEscape(name) }

// Source has files.
type Source interface {
	// OpenFile opens a file that an account may have; tidings.ErrNotFound if there is none.
	OpenFile(ctx context.Context, account tidings.AccountID, ref string) (view.OpenedFile, error)
}

// Config says what the handler works with.
type Config struct {
	Source Source
	Logger *slog.Logger
}

const (
	maxDownloads = 64               // files that are sent at a time
	maxOwn       = maxDownloads / 4 // of them to one account, so that nobody keeps the others out
)

type handler struct {
	Config
	mu    sync.Mutex
	total int
	sends map[tidings.AccountID]int // files under way, by account: only positive ones
}

// enter counts one more file under way to an account, unless there are too many.
func (h *handler) enter(account tidings.AccountID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.total >= maxDownloads || h.sends[account] >= maxOwn {
		return false
	}
	h.total++
	h.sends[account]++
	return true
}

// leave undoes the count of enter.
func (h *handler) leave(account tidings.AccountID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.total--
	if h.sends[account]--; h.sends[account] == 0 {
		delete(h.sends, account)
	}
}

// New returns the handler of what is below Base. It panics if something of c is missing.
func New(c Config) http.Handler {
	if c.Source == nil || c.Logger == nil {
		panic("files: no source or logger")
	}
	return &handler{Config: c, sends: make(map[tidings.AccountID]int)}
}

// ServeHTTP sends a file.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "private, no-cache")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "a file can only be read: use GET", http.StatusMethodNotAllowed)
		return
	}
	account, ok := auth.Account(r.Context())
	if !ok {
		header.Set("WWW-Authenticate", `Basic realm="Tidings", charset="UTF-8"`)
		http.Error(w, "this node wants to know who reads: make a token in its settings and give it as the password",
			http.StatusUnauthorized)
		return
	}
	if !h.enter(account) {
		header.Set("Retry-After", "60")
		http.Error(w, "too many files are being downloaded: try again in a minute", http.StatusServiceUnavailable)
		return
	}
	defer h.leave(account)
	ref, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Base), "/")
	f, err := h.Source.OpenFile(r.Context(), account, ref)
	switch {
	case errors.Is(err, tidings.ErrNotFound):
		http.Error(w, "there is no such file here, or not all of it so far", http.StatusNotFound)
		return
	case err != nil:
		if r.Context().Err() == nil {
			h.Logger.Error("a file cannot be read", "error", err)
		}
		http.Error(w, "the store could not be read; the node's log says why", http.StatusInternalServerError)
		return
	}
	header.Set("Content-Type", typeOf(f.Type))
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	header.Set("ETag", `"`+ref+`"`)
	http.ServeContent(w, r, "", f.Changed, f.Content)
}

// typeOf returns a media type as a header can have it.
func typeOf(published string) string {
	kind, parameters, err := mime.ParseMediaType(published)
	if err != nil || !strings.Contains(kind, "/") {
		return "application/octet-stream"
	}
	return cmp.Or(mime.FormatMediaType(kind, parameters), "application/octet-stream")
}
