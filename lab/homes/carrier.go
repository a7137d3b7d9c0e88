package homes

import (
	"fmt"
	"net/netip"
)

// carrier is a provider's router. Each customer has an address of a pool for itself (RFC 4787, "paired"); customers do
// not reach each other.
type carrier struct {
	space     *space
	link      *link
	customers int
}

// plain is a router that translates nothing by itself.
const plain Kind = ""

// provider returns the one carrier of the Internet.
func (n *Net) provider() (*carrier, error) {
	if n.carrier != nil {
		return n.carrier, nil
	}
	s, err := n.router(plain)
	if err != nil {
		return nil, err
	}
	l, err := n.internet.connect(s)
	if err != nil {
		return nil, err
	}
	n.carrier = &carrier{space: s, link: l}
	return n.carrier, nil
}

// serve connects a customer's router, which others see by a public address.
func (c *carrier) serve(customer *space, public netip.Addr) error {
	c.customers++
	l := line{carrierAddress(c.customers, 1), carrierAddress(c.customers, 2)}
	if err := l.lay(c.space, fmt.Sprintf("customer%d", c.customers), customer, "wan"); err != nil {
		return err
	}
	if err := c.space.ip(fmt.Sprintf("addr add %s/32 dev wan", public)); err != nil {
		return err
	}
	return c.space.nft(fmt.Sprintf("add rule inet router leave oifname \"wan\" ip saddr %s snat ip to %s\n",
		l.upper.Masked(), public))
}

// carrierAddress returns an address in the network of a customer.
func carrierAddress(customer, machine int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64, byte(customer), byte(machine)}), 24)
}
