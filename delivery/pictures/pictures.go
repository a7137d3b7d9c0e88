// Package pictures is the interface by which a page shows pictures of others through the node:
//
//	GET /media/SIGNATURE/ADDRESS
//
//	GET /icons/SIGNATURE/TAG
//
// ADDRESS is the picture's own, in base64url, and TAG names an icon of a channel that is kept. SIGNATURE proves that a
// page of this node shows it: other addresses are refused. The answer is a picture in a known format and never runs
// anything, whatever the origin sent. It does not change under its address as long as it is kept.
//
// Anybody with the address may load icons, because readers on phones load them without a password. None is fetched for
// that.
package pictures

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"tidings"
	"tidings/delivery/memory"
	"tidings/delivery/signed"
)

// The paths under which it is served.
const (
	Base     = "/media/" // pictures
	IconBase = "/icons/" // icons of channels
)

// Source provides pictures.
type Source interface {
	// Picture returns the picture at an address: its media type, a tag that changes with it, and its bytes;
	// tidings.ErrInvalid if there can be none.
	Picture(ctx context.Context, address string) (media, tag string, data []byte, err error)
	// Size returns how large it is in pixels, if that is known; zero if not.
	Size(address string) (width, height int)
	// Icon returns the tag of a channel's icon, which changes with it; "" if there is none so far. It does not wait.
	Icon(c tidings.Channel) string
	// IconBytes returns the icon with a tag, a PNG of at most 64 KiB; tidings.ErrInvalid if it is not kept.
	IconBytes(tag string) ([]byte, error)
}

// Pictures signs addresses, and serves what is at those that it has signed.
type Pictures struct {
	source Source
	paths  signed.Paths
	icons  signed.Paths
	log    *slog.Logger
}

// New returns those of a source. key is the node's secret, of 16 bytes or more.
func New(source Source, key []byte, log *slog.Logger) *Pictures {
	if source == nil || len(key) < signed.LeastKey || log == nil {
		panic("pictures: no source, key or logger")
	}
	return &Pictures{source, signed.New(Base, key), signed.New(IconBase, key), log}
}

// Path returns where the page finds the picture at an address.
func (p *Pictures) Path(address string) string { return p.paths.Path(address) }

// Size returns how large the picture at an address is in pixels, if that is known; zero if not.
func (p *Pictures) Size(address string) (width, height int) { return p.source.Size(address) }

// Icon returns where anybody finds a channel's icon; "" if there is none so far.
func (p *Pictures) Icon(c tidings.Channel) string {
	tag := p.source.Icon(c)
	if tag == "" {
		return ""
	}
	return p.icons.Path(tag)
}

// IconBytes returns what is at a path that Icon has returned: a PNG of at most 64 KiB.
func (p *Pictures) IconBytes(path string) ([]byte, error) {
	tag, ok := p.icons.Address(path)
	if !ok {
		return nil, tidings.Invalidf("no icon of this node has this path")
	}
	return p.source.IconBytes(tag)
}

// ServeHTTP sends a picture.
func (p *Pictures) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "private, no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "a picture can only be read: use GET", http.StatusMethodNotAllowed)
		return
	}
	address, ok := p.paths.Address(r.URL.Path)
	icon, isIcon := p.icons.Address(r.URL.Path)
	if !ok && !isIcon {
		http.Error(w, "no page of this node shows this picture", http.StatusForbidden)
		return
	}
	media, tag, data, err := p.find(r.Context(), address, icon)
	switch {
	case r.Context().Err() != nil:
		return
	case errors.Is(err, tidings.ErrInvalid):
		http.Error(w, tidings.Reason(err), http.StatusNotFound)
		return
	case err != nil:
		p.log.Debug("a picture is not shown", "error", err)
		http.Error(w, "the picture could not be fetched, or is none", http.StatusBadGateway)
		return
	}
	header.Set("ETag", `"`+tag+`"`)
	header.Set("Cache-Control", "private, max-age=604800, immutable")
	if r.Header.Get("If-None-Match") == `"`+tag+`"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if err := memory.Of(r.Context()).Keep(int64(len(data))); err != nil {
		header.Set("Cache-Control", "private, no-store")
		header.Set("Retry-After", memory.RetryAfter)
		http.Error(w, "too much is being sent at once", http.StatusServiceUnavailable)
		return
	}
	header.Set("Content-Type", media)
	header.Set("Content-Length", strconv.Itoa(len(data)))
	w.Write(data) // an error here is the reader's leaving
}

// find returns the picture at an address, or the icon with a tag if that is not "".
func (p *Pictures) find(ctx context.Context, address, icon string) (media, tag string, data []byte, err error) {
	if icon == "" {
		return p.source.Picture(ctx, address)
	}
	data, err = p.source.IconBytes(icon)
	return "image/png", icon, data, err
}
