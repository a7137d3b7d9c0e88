package egress

import "net/netip"

// reach says from where an address can be reached.
type reach int

const (
	everywhere reach = iota // a public address
	intranet                // loopback, private, shared or unique local: Guard.Private permits it
	nowhere                 // no web server of anybody's is meant to be there
)

// special lists the address blocks that are not public, after IANA's registries of special-purpose addresses
// (RFC 6890). In IPv6 only 2000::/3 is public at all. The first block that contains an address counts.
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
	{netip.MustParsePrefix("fd00:42::42/128"), nowhere},    // a cloud's metadata
	{netip.MustParsePrefix("fd00:ec2::/32"), nowhere},      // a cloud's metadata, credentials, names and time
	{netip.MustParsePrefix("fd20:ce::254/128"), nowhere},   // a cloud's metadata
	{netip.MustParsePrefix("fc00::/7"), intranet},          // unique local
	{netip.MustParsePrefix("fec0::/10"), intranet},         // site-local of old
	{netip.MustParsePrefix("2001::/23"), nowhere},          // protocol assignments, Teredo, benchmarks
	{netip.MustParsePrefix("2001:db8::/32"), nowhere},      // documentation
	{netip.MustParsePrefix("3fff::/20"), nowhere},          // documentation
}

var (
	global6   = netip.MustParsePrefix("2000::/3")
	nat64     = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052; the local-use 64:ff9b:1::/48 (RFC 8215) is not public
	sixToFour = netip.MustParsePrefix("2002::/16")    // RFC 3056
)

// IsPublic reports whether an address is public: reachable from everywhere, as far as the address says.
func IsPublic(a netip.Addr) bool { return reachOf(a) == everywhere }

// Machine returns the address of the machine that a connection to a reaches: the IPv4 address that an IPv6 address
// carries for a gateway, else the address without a zone.
func Machine(a netip.Addr) netip.Addr {
	a = a.WithZone("").Unmap()
	if a.Is6() {
		b := a.As16()
		switch {
		case nat64.Contains(a):
			return netip.AddrFrom4([4]byte(b[12:16]))
		case sixToFour.Contains(a):
			return netip.AddrFrom4([4]byte(b[2:6]))
		}
	}
	return a
}

// reachOf classes an address. An IPv6 address that carries an IPv4 address is at most as reachable as that one,
// whatever the gateway.
func reachOf(a netip.Addr) reach {
	a = Machine(a)
	r := blockOf(a)
	if a.Is6() {
		b := a.As16()
		if b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe { // ISATAP (RFC 5214, section 6.1)
			return max(r, blockOf(netip.AddrFrom4([4]byte(b[12:16]))))
		}
	}
	return r
}

// blockOf classes an address by the block that contains it.
func blockOf(a netip.Addr) reach {
	for _, s := range special {
		if s.prefix.Contains(a) {
			return s.reach
		}
	}
	if !a.Is4() && !global6.Contains(a) {
		return nowhere
	}
	return everywhere
}
