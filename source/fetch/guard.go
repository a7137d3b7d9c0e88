package fetch

import (
	"context"
	"fmt"
	"net/netip"
	"syscall"
)

// reach says from where an address can be reached.
type reach int

const (
	everywhere reach = iota // a public address
	intranet                // loopback, private, shared or unique local: Config.AllowPrivate opens it
	nowhere                 // no web server of anybody's is meant to be there
)

// special lists the address blocks that are not public, after IANA's registries of
// special-purpose addresses (RFC 6890). In IPv6 only 2000::/3 is public at all.
var special = []struct {
	prefix netip.Prefix
	reach  reach
}{
	{netip.MustParsePrefix("0.0.0.0/8"), nowhere},          // this host
	{netip.MustParsePrefix("10.0.0.0/8"), intranet},        // private
	{netip.MustParsePrefix("100.100.100.200/32"), nowhere}, // a cloud's metadata
	{netip.MustParsePrefix("100.64.0.0/10"), intranet},     // shared (carrier-grade NAT)
	{netip.MustParsePrefix("127.0.0.0/8"), intranet},       // loopback
	{netip.MustParsePrefix("168.63.129.16/32"), nowhere},   // a cloud's metadata
	{netip.MustParsePrefix("169.254.0.0/16"), nowhere},     // link-local, metadata
	{netip.MustParsePrefix("172.16.0.0/12"), intranet},     // private
	{netip.MustParsePrefix("192.0.0.0/24"), nowhere},       // protocol assignments
	{netip.MustParsePrefix("192.0.2.0/24"), nowhere},       // documentation
	{netip.MustParsePrefix("192.88.99.0/24"), nowhere},     // 6to4 relays
	{netip.MustParsePrefix("192.168.0.0/16"), intranet},    // private
	{netip.MustParsePrefix("198.18.0.0/15"), intranet},     // benchmarks
	{netip.MustParsePrefix("198.51.100.0/24"), nowhere},    // documentation
	{netip.MustParsePrefix("203.0.113.0/24"), nowhere},     // documentation
	{netip.MustParsePrefix("224.0.0.0/4"), nowhere},        // multicast
	{netip.MustParsePrefix("240.0.0.0/4"), nowhere},        // reserved, broadcast
	{netip.MustParsePrefix("::1/128"), intranet},           // loopback
	{netip.MustParsePrefix("fd00:ec2::254/128"), nowhere},  // a cloud's metadata
	{netip.MustParsePrefix("fd20:ce::254/128"), nowhere},   // a cloud's metadata
	{netip.MustParsePrefix("fc00::/7"), intranet},          // unique local
	{netip.MustParsePrefix("fec0::/10"), intranet},         // site-local of old
	{netip.MustParsePrefix("2001::/23"), nowhere},          // protocol assignments, Teredo, benchmarks
	{netip.MustParsePrefix("2001:db8::/32"), nowhere},      // documentation
	{netip.MustParsePrefix("3fff::/20"), nowhere},          // documentation
}

var (
	global6    = netip.MustParsePrefix("2000::/3")
	nat64      = netip.MustParsePrefix("64:ff9b::/96")
	nat64Local = netip.MustParsePrefix("64:ff9b:1::/48")
	sixToFour  = netip.MustParsePrefix("2002::/16")
)

// reachOf classes an address. An IPv6 address that carries an IPv4 address is as
// reachable as that one, whatever the gateway.
func reachOf(a netip.Addr) reach {
	a = a.WithZone("").Unmap()
	if a.Is6() {
		b := a.As16()
		last4 := netip.AddrFrom4([4]byte(b[12:16]))
		switch {
		case nat64.Contains(a):
			return reachOf(last4)
		case nat64Local.Contains(a): // RFC 6052 knows two places for the IPv4 address here
			return max(reachOf(last4), reachOf(netip.AddrFrom4([4]byte{b[6], b[7], b[9], b[10]})))
		case sixToFour.Contains(a):
			return reachOf(netip.AddrFrom4([4]byte(b[2:6])))
		}
	}
	for _, s := range special {
		if s.prefix.Contains(a) {
			return s.reach
		}
	}
	if a.Is6() && !global6.Contains(a) {
		return nowhere
	}
	return everywhere
}

// guard decides to which addresses and ports the client connects.
type guard struct {
	reach        func(netip.Addr) reach // reachOf
	allowPrivate bool
	highPorts    bool
	lab          bool
}

func (g guard) addr(a netip.Addr) error {
	switch r := g.reach(a); {
	case r == everywhere, r == intranet && (g.allowPrivate || g.lab):
		return nil
	default:
		return ErrForbidden
	}
}

func (g guard) port(p uint16) error {
	switch {
	case p == 0:
		return ErrPort
	case p == 80, p == 443, p == 8080, p == 8443, g.lab, g.highPorts && p > 1024:
		return nil
	default:
		return ErrPort
	}
}

// control is asked for each address just before a socket connects to it: after names
// are resolved and after redirects. What a name meant a moment ago does not count, so
// a name server that changes its mind gains nothing.
func (g guard) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w (not an address)", ErrForbidden)
	}
	if err := g.addr(ap.Addr()); err != nil {
		return err
	}
	return g.port(ap.Port())
}
