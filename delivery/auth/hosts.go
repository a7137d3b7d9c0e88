package auth

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// knownHost reports whether the request asks for the node by a name that is its own.
//
// The holder of a name can rebind it; an address cannot be rebound. So a name must be
// loopback's or configured. An address must be loopback's or the one that the connection
// came in by. Once a password protects the node, any address passes: behind address
// translation a node does not know its own.
func (g *Guard) knownHost(r *http.Request) bool {
	host := hostOnly(r.Host)
	if addr, err := netip.ParseAddr(host); err == nil {
		addr = addr.Unmap()
		return g.requirePassword || addr.IsLoopback() || addr == localAddr(r) || g.hosts[addr.String()]
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || g.hosts[host]
}

// hostOnly returns the host of "host:port", in lower case, without brackets or a closing dot.
func hostOnly(hostport string) string {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// localAddr returns the address of this end of the request's connection, or the zero Addr.
func localAddr(r *http.Request) netip.Addr {
	a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return netip.Addr{}
	}
	ap, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap().WithZone("")
}

// parseHosts checks configured names: host names or addresses; a port is passed over.
func parseHosts(names []string) (map[string]bool, error) {
	hosts := make(map[string]bool, len(names))
	for _, name := range names {
		host := hostOnly(name)
		if addr, err := netip.ParseAddr(host); err == nil {
			host = addr.Unmap().String()
		} else if host == "" || strings.ContainsAny(name, "/@* \t") || strings.Contains(host, ":") {
			return nil, fmt.Errorf("host %q: want a host name or address without scheme or port", name)
		}
		hosts[host] = true
	}
	return hosts, nil
}

// viaProxy reports whether a proxy says that it passed the request on. Such a request may come from anywhere, even if
// the connection comes from this machine.
func viaProxy(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if r.Header.Get(name) != "" {
			return true
		}
	}
	return false
}

// peer returns the address of the connection's other end.
func peer(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap().WithZone("")
}

func (g *Guard) trusted(addr netip.Addr) bool {
	for _, p := range g.proxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// Client returns the address a request comes from: the peer's, or, where the peer is a
// trusted proxy, the last address in X-Forwarded-For that is not one.
func (g *Guard) Client(r *http.Request) netip.Addr {
	addr := peer(r)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && g.trusted(addr); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		addr = hop.Unmap().WithZone("")
	}
	return addr
}

// secure reports whether the browser speaks TLS, to us or to a trusted proxy.
func (g *Guard) secure(r *http.Request) bool {
	return r.TLS != nil || g.trusted(peer(r)) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}
