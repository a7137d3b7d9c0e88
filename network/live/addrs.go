package live

import (
	"cmp"
	"net/netip"
	"slices"

	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// transport is what a place is spoken over.
type transport int

const (
	overNothing transport = iota // that is spoken here
	overQUIC
	overTCP
	overRelay
)

// transportOf says what a multiaddr without identity is spoken over.
func transportOf(a ma.Multiaddr) transport {
	codes := make([]int, 0, 8)
	for _, c := range a {
		codes = append(codes, c.Protocol().Code)
	}
	if len(codes) < 2 || !slices.Contains([]int{ma.P_IP4, ma.P_IP6, ma.P_DNS, ma.P_DNS4, ma.P_DNS6}, codes[0]) {
		return overNothing
	}
	rest := codes[1:]
	relayed := len(rest) > 2 && slices.Equal(rest[len(rest)-2:], []int{ma.P_P2P, ma.P_CIRCUIT})
	if relayed {
		rest = rest[:len(rest)-2]
	}
	direct := overNothing
	switch {
	case slices.Equal(rest, []int{ma.P_UDP, ma.P_QUIC_V1}):
		direct = overQUIC
	case slices.Equal(rest, []int{ma.P_TCP}):
		direct = overTCP
	}
	if relayed && direct != overNothing {
		return overRelay
	}
	return direct
}

// bestFirst sorts places by how likely a friend can use them. Public ones come before relayed ones, before those of the
// local network, before loopback; QUIC before TCP. Else they stay in their order, each once.
func bestFirst(places []ma.Multiaddr) []ma.Multiaddr {
	var sorted []ma.Multiaddr
	for _, a := range places {
		if transportOf(a) != overNothing && !manet.IsIP6LinkLocal(a) && !manet.IsIPUnspecified(a) &&
			!slices.ContainsFunc(sorted, a.Equal) {
			sorted = append(sorted, a)
		}
	}
	slices.SortStableFunc(sorted, func(a, b ma.Multiaddr) int {
		return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(transportOf(a), transportOf(b)))
	})
	return sorted
}

// forOthers returns the places of this host that are of use to others, best first. Loopback is among them only if there
// is nothing else, because every machine has its own. Places of the local network are among them only if the host knows
// of no other network (not outside). Strangers cannot use them, and would learn what the network at home looks like.
func forOthers(places []ma.Multiaddr, outside bool) []ma.Multiaddr {
	places = bestFirst(places)
	if len(places) == 0 {
		return nil
	}
	farthest := max(onLAN, distance(places[0]))
	if outside {
		farthest = relayed
	}
	return slices.DeleteFunc(places, func(a ma.Multiaddr) bool { return distance(a) > farthest })
}

// prefixOf returns the IPv4 /24 or IPv6 /48 of a public place that nobody relays to; empty for any other.
func prefixOf(place ma.Multiaddr) string {
	if slices.ContainsFunc(place, func(c ma.Component) bool { return c.Protocol().Code == ma.P_CIRCUIT }) ||
		!manet.IsPublicAddr(place) {
		return ""
	}
	ip, err := manet.ToIP(place)
	at, ok := netip.AddrFromSlice(ip)
	if err != nil || !ok {
		return ""
	}
	at = at.Unmap()
	bits := 48
	if at.Is4() {
		bits = 24
	}
	return netip.PrefixFrom(at, bits).Masked().String()
}

// From where a place can be reached.
const (
	anywhere = iota
	relayed  // from anywhere, with a relay's limits
	onLAN
	onMachine
)

func distance(a ma.Multiaddr) int {
	switch {
	case transportOf(a) == overRelay:
		return relayed
	case manet.IsIPLoopback(a):
		return onMachine
	case manet.IsPublicAddr(a):
		return anywhere
	}
	return onLAN
}
