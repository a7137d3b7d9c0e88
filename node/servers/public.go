package servers

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"tidings/delivery/auth"
	"tidings/node/hub"
)

// hubURL returns the URL of the WebSub hub; empty if there is none.
func (c Config) hubURL() string {
	if c.Hub == nil {
		return ""
	}
	return c.PublicURL + hub.Path
}

// withPublic returns a handler for requests from anywhere on the web, to the WebSub hub and by the hubs at which this
// node subscribes. It leaves all others to next. No password, session or cookie counts there, and they open nothing
// else. A hub's client is known by its address, as a trusted proxy names it.
func (c Config) withPublic(guard *auth.Guard, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := c.public(r.URL.Path)
		if h == nil {
			next.ServeHTTP(w, r)
			return
		}
		if !c.isPublicHost(r.Host) {
			http.Error(w, "this node is not reached by that name: use "+c.PublicURL, http.StatusMisdirectedRequest)
			return
		}
		anonymous := r.Clone(r.Context())
		anonymous.Header.Del("Cookie")
		anonymous.Header.Del("Authorization")
		anonymous.RemoteAddr = net.JoinHostPort(network(guard.Client(r)), "0")
		h.ServeHTTP(w, anonymous)
	})
}

// public returns what answers anybody at a path; nil: there is nothing for everybody.
func (c Config) public(path string) http.Handler {
	switch {
	case c.Hub != nil && path == hub.Path:
		return c.Hub
	case c.Callbacks != nil && strings.HasPrefix(path, c.CallbackPath):
		return c.Callbacks
	}
	return nil
}

// isPublicHost reports whether a request is for the host of the public URL.
func (c Config) isPublicHost(host string) bool {
	u, err := url.Parse(c.PublicURL)
	if err != nil {
		return false
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.EqualFold(strings.Trim(host, "[]"), u.Hostname())
}

// network returns the address of a client, or the network that an IPv6 client has for itself.
func network(a netip.Addr) string {
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.Addr().String()
		}
	}
	return a.String()
}
