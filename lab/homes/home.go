package homes

import (
	"fmt"
	"net/netip"
	"slices"
)

// Home is a machine behind its router.
type Home struct {
	Machine
	Kind Kind

	router *space // that has the public address
}

// Home adds a home.
func (n *Net) Home(kind Kind) (*Home, error) {
	h := &Home{Kind: kind, Machine: Machine{net: n, site: &site{}}}
	var err error
	switch kind {
	case Masquerade, Random, Double, Blocked:
		err = h.masqueraded()
	case Carrier:
		err = h.carried()
	case IPv6:
		err = h.routed()
	default:
		err = fmt.Errorf("there is no such kind")
	}
	if err != nil {
		return nil, fmt.Errorf("adding a home of the kind %s: %w", kind, err)
	}
	return h, nil
}

// The networks inside of all homes are the same, as those of most homes are.
var (
	inside = line{netip.MustParsePrefix("192.168.1.1/24"), netip.MustParsePrefix("192.168.1.10/24")}
	// two routers of a home
	between = line{netip.MustParsePrefix("192.168.0.1/24"), netip.MustParsePrefix("192.168.0.2/24")}
)

// masqueraded makes a home with a router that masquerades.
func (h *Home) masqueraded() error {
	place, err := h.net.place()
	if err != nil {
		return err
	}
	h.ip4 = publicIPv4(place)
	if h.router, err = h.net.router(h.Kind); err != nil {
		return err
	}
	if h.site.link, err = h.net.internet.connect(h.router); err != nil {
		return err
	}
	h.net.internet.assign(h.site, h.ip4)
	if err = h.router.ip(fmt.Sprintf("addr add %s/32 dev wan", h.ip4)); err != nil {
		return err
	}
	last := h.router
	if h.Kind == Double {
		if last, err = h.net.router(h.Kind); err != nil {
			return err
		}
		if err = between.lay(h.router, "lan", last, "wan"); err != nil {
			return err
		}
	}
	return h.moveIn(last, inside)
}

// carried makes a home with a provider that translates addresses as well.
func (h *Home) carried() error {
	c, err := h.net.provider()
	if err != nil {
		return err
	}
	own, err := h.net.router(Carrier)
	if err != nil {
		return err
	}
	place, err := h.net.place()
	if err != nil {
		return err
	}
	h.ip4 = publicIPv4(place)
	h.site.link = c.link
	h.net.internet.assign(h.site, h.ip4)
	if err := c.serve(own, h.ip4); err != nil {
		return err
	}
	return h.moveIn(own, inside)
}

// routed makes a home that has a public IPv6 network.
func (h *Home) routed() error {
	place, err := h.net.place()
	if err != nil {
		return err
	}
	address := publicIPv6(place).As16()
	at := func(network, machine byte) netip.Prefix {
		address[7], address[15] = network, machine
		return netip.PrefixFrom(netip.AddrFrom16(address), 64)
	}
	lan := line{at(2, 1), at(2, 10)}
	h.ip6 = lan.lower.Addr()
	if h.router, err = h.net.router(IPv6); err != nil {
		return err
	}
	if h.site.link, err = h.net.internet.connect(h.router); err != nil {
		return err
	}
	h.net.internet.assign(h.site, h.ip6)
	return h.moveIn(h.router, lan)
}

// moveIn puts the machine behind a router.
func (h *Home) moveIn(router *space, lan line) (err error) {
	if h.space, err = h.net.space(); err != nil {
		return err
	}
	return lan.lay(router, "lan", h.space, "eth0")
}

// Move replaces the public address of the home's router. Its table of connections is forgotten. Homes behind a
// provider's router and those with IPv6 cannot move.
func (h *Home) Move() error {
	if !slices.Contains([]Kind{Masquerade, Random, Double, Blocked}, h.Kind) {
		return fmt.Errorf("a home of the kind %s cannot move", h.Kind)
	}
	place, err := h.net.place()
	if err != nil {
		return fmt.Errorf("moving a home: %w", err)
	}
	old := h.ip4
	h.ip4 = publicIPv4(place)
	h.net.internet.assign(h.site, h.ip4)
	// Without any address the device would lose its routes.
	err = h.router.ip(fmt.Sprintf("addr add %s/32 dev wan", h.ip4), fmt.Sprintf("addr del %s/32 dev wan", old))
	h.net.internet.withdraw(old)
	if err != nil {
		return fmt.Errorf("moving a home: %w", err)
	}
	return nil
}
