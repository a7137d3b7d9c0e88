package auth

import (
	"context"
	"io"
	"net/http"
	"net/netip"
	"strings"
)

// plainReader is sent to the owner of a feed reader on another machine if its request came without TLS.
const plainReader = "Refused: this request came from another machine without TLS, so others can read the app password or " +
	"secret address in it.\n" +
	"Put a reverse proxy with TLS before the node and name it with --trusted-proxy, so that the address begins with https://.\n" +
	"In a network that only you use, or a VPN, start the node with --allow-plain-readers instead.\n"

type clientKey struct{}

// withClient returns a context of a request that came from addr.
func withClient(ctx context.Context, addr netip.Addr) context.Context {
	return context.WithValue(ctx, clientKey{}, addr)
}

// clientOf returns the address that a request came from; the zero Addr if that is unknown.
func clientOf(ctx context.Context) netip.Addr {
	addr, _ := ctx.Value(clientKey{}).(netip.Addr)
	return addr
}

// serveReader passes the request of a feed reader on. The reader proves itself by its token, see Gate: no cookie and no
// address counts, so no page of another site can use what a browser has.
func (g *Guard) serveReader(w http.ResponseWriter, r *http.Request, next http.Handler) {
	addr := g.Client(r)
	if !g.plainReaders && g.exposed(r) {
		g.log.Warn("refused: a feed reader on another machine without TLS", "path", firstName(r.URL.Path),
			"from", addr.String())
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, plainReader) // a client that is gone needs it no more
		return
	}
	next.ServeHTTP(w, r.WithContext(withClient(r.Context(), addr)))
}

// firstName returns the beginning of a path for the log, without the secret that the rest may hold.
func firstName(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return clip("/" + name)
}

// exposed reports whether others can have read a request on its way here. A proxy that nobody named may have got it
// from anywhere.
func (g *Guard) exposed(r *http.Request) bool {
	switch {
	case g.secure(r):
		return false
	case viaProxy(r) || r.Header.Get("X-Forwarded-Proto") != "":
		return !g.trusted(peer(r)) || !g.Client(r).IsLoopback()
	}
	return !peer(r).IsLoopback()
}
