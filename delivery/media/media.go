// Package media is the interface by which a page plays sound and video of others through the node:
//
//	GET /stream/SIGNATURE/ADDRESS
//
// ADDRESS and SIGNATURE are those of package signed: only what a page of this node shows is played. One range is passed
// on (RFC 9110, section 14), so that players can seek. Nothing is kept: bytes go from the origin to the reader at the
// reader's pace. The reply is sound or video by its first bytes, whatever the origin says, and never runs anything.
package media

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"sync"

	"tidings"
	"tidings/delivery/auth"
	"tidings/delivery/signed"
)

// Base is the path under which it is served.
const Base = "/stream/"

// Bounds on streams that are under way at a time. Beyond, a player is asked to come again.
const (
	maxStreams = 48
	maxOwn     = 6 // to one account; a player has two while it seeks
)

// ErrKind says that what is at an address is neither sound nor video that a browser plays.
var ErrKind = errors.New("neither sound nor video")

// ErrRange says that there is nothing in the range that was asked for.
var ErrRange = errors.New("no such range")

// Stream is what an origin sends of a file.
type Stream struct {
	Type   string // audio/… or video/…
	Range  string // Content-Range, if it is a part of the file
	Length int64  // bytes that follow; -1: unknown
	Ranges bool   // the origin answers ranges
	Body   io.ReadCloser
}

// Source asks origins.
type Source interface {
	// Open requests a file, or a range of it: "bytes=FIRST-LAST". Without LAST the range goes to the end, without FIRST
	// it is the last bytes; "" for all of it. It fails with ErrKind, with ErrRange, and with tidings.ErrInvalid for an
	// address that can have no file. If the origin has no file, it fails with another error.
	Open(ctx context.Context, address, bytes string) (Stream, error)
	// Chapters returns the chapters that the document at an address lists.
	Chapters(ctx context.Context, address string) ([]tidings.Chapter, error)
}

// Media signs addresses, and plays what is at those that it has signed.
type Media struct {
	source Source
	paths  signed.Paths
	log    *slog.Logger

	mu    sync.Mutex
	total int
	own   map[tidings.AccountID]int // streams under way, by account: only positive ones
}

// New returns those of a source. key is the node's secret, of signed.LeastKey bytes or more.
func New(source Source, key []byte, log *slog.Logger) *Media {
	if source == nil || log == nil {
		panic("media: no source or logger")
	}
	return &Media{source: source, paths: signed.New(Base, key), log: log, own: make(map[tidings.AccountID]int)}
}

// Path returns where the page plays the file at an address.
func (m *Media) Path(address string) string { return m.paths.Path(address) }

// Chapters returns the chapters that the document at an address lists.
func (m *Media) Chapters(ctx context.Context, address string) ([]tidings.Chapter, error) {
	return m.source.Chapters(ctx, address)
}

func (m *Media) enter(account tidings.AccountID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.total >= maxStreams || m.own[account] >= maxOwn {
		return false
	}
	m.total++
	m.own[account]++
	return true
}

func (m *Media) leave(account tidings.AccountID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total--
	if m.own[account]--; m.own[account] == 0 {
		delete(m.own, account)
	}
}

// oneRange is a request for one range. Others are answered with the whole file, which RFC 9110 permits.
var oneRange = regexp.MustCompile(`^bytes=([0-9]{1,18}-[0-9]{0,18}|-[0-9]{1,18})$`)

// ServeHTTP sends a stream.
func (m *Media) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "private, no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "a stream can only be read: use GET", http.StatusMethodNotAllowed)
		return
	}
	account, known := auth.Account(r.Context())
	address, ok := m.paths.Address(r.URL.Path)
	if !ok || !known {
		http.Error(w, "no page of this node plays this", http.StatusForbidden)
		return
	}
	if !m.enter(account) {
		header.Set("Retry-After", "10")
		http.Error(w, "too much is being played at once", http.StatusServiceUnavailable)
		return
	}
	defer m.leave(account)
	wanted := ""
	if text := r.Header.Get("Range"); oneRange.MatchString(text) && r.Header.Get("If-Range") == "" {
		wanted = text
	}
	s, err := m.source.Open(r.Context(), address, wanted)
	if err != nil {
		m.fail(w, r, err)
		return
	}
	defer s.Body.Close()
	header.Set("Content-Type", s.Type)
	if s.Ranges {
		header.Set("Accept-Ranges", "bytes")
	}
	if s.Length >= 0 {
		header.Set("Content-Length", strconv.FormatInt(s.Length, 10))
	}
	status := http.StatusOK
	if s.Range != "" {
		header.Set("Content-Range", s.Range)
		status = http.StatusPartialContent
	}
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	if n, err := io.Copy(w, s.Body); err != nil && r.Context().Err() == nil {
		m.log.Debug("a stream has ended before its end", "bytes", n, "error", err)
	}
}

func (m *Media) fail(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case r.Context().Err() != nil:
	case errors.Is(err, tidings.ErrInvalid):
		http.Error(w, tidings.Reason(err), http.StatusNotFound)
	case errors.Is(err, ErrKind):
		http.Error(w, "this is neither sound nor video that a browser plays", http.StatusUnsupportedMediaType)
	case errors.Is(err, ErrRange):
		http.Error(w, "there is no such range", http.StatusRequestedRangeNotSatisfiable)
	default:
		m.log.Debug("a file is not played", "error", err)
		http.Error(w, "the file could not be fetched", http.StatusBadGateway)
	}
}
