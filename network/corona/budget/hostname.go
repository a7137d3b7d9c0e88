package budget

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"

	"tidings/network/engine"
)

// HostOf returns the host to which a channel's load counts, by its canonical URL. That is the registered domain, the
// part below a public suffix (publicsuffix.org), of which nobody can have any number. Ports and names below it make no
// other host: the holder of a domain can invent them. An address, or a name without a domain, is a host by itself. A
// loopback address is another host at each port, so that one machine can be many hosts to a network of tests. Other
// networks share no such channels.
func HostOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	name := rest[strings.LastIndexByte(rest, '@')+1:]
	if at, err := netip.ParseAddrPort(name); err == nil && at.Addr().Unmap().IsLoopback() {
		return at.String()
	}
	if !strings.HasSuffix(name, "]") {
		if i := strings.LastIndexByte(name, ':'); i >= 0 {
			name = name[:i]
		}
	}
	name = strings.ToLower(strings.Trim(name, "[]."))
	if _, err := netip.ParseAddr(name); err == nil {
		return name
	}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(name); err == nil {
		return domain
	}
	return name
}

// HostKey is the key on the ring of the host of a channel, near which are its owners.
func HostKey(url string) engine.ID { return engine.IDOf([]byte("host " + HostOf(url))) }
