package nat

import (
	"net/netip"
	"slices"

	ma "github.com/multiformats/go-multiaddr"
)

// OnePort returns the places of a host with one UDP port at each IP address, and reports whether there are more. Then
// its router draws another port for each peer, and those at which others see the host lead nowhere. A try at one lets
// through what comes from the IP address, where this host's own router requires no more (RFC 4787, section 5:
// address-dependent filtering).
func OnePort(places []ma.Multiaddr) (few []ma.Multiaddr, drawn bool) {
	var known []netip.Addr
	for _, place := range places {
		if _, err := place.ValueForProtocol(ma.P_UDP); err == nil {
			ip := AddrOf(place)
			if slices.Contains(known, ip) {
				drawn = true
				continue
			}
			known = append(known, ip)
		}
		few = append(few, place)
	}
	return few, drawn
}
