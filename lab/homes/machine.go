package homes

import (
	"fmt"
	"net/netip"
	"os/exec"
)

// Machine is a computer on which programs run.
type Machine struct {
	net      *Net
	space    *space
	site     *site
	ip4, ip6 netip.Addr // by which others see it; one may be missing
}

// Public adds a machine with public addresses of its own, which drops nothing. Its name need not be one of
// Settings.Names.
func (n *Net) Public(name string) (*Machine, error) {
	m, err := n.public(name)
	if err != nil {
		return nil, fmt.Errorf("adding the public machine %s: %w", name, err)
	}
	return m, nil
}

func (n *Net) public(name string) (*Machine, error) {
	place, known := n.named[name]
	if !known {
		var err error
		if place, err = n.place(); err != nil {
			return nil, err
		}
	}
	s, err := n.space()
	if err != nil {
		return nil, err
	}
	l, err := n.internet.connect(s)
	if err != nil {
		return nil, err
	}
	m := &Machine{net: n, space: s, site: &site{link: l}, ip4: publicIPv4(place), ip6: publicIPv6(place)}
	n.internet.assign(m.site, m.ip4)
	n.internet.assign(m.site, m.ip6)
	return m, s.ip(fmt.Sprintf("addr add %s/32 dev wan", m.ip4), fmt.Sprintf("addr add %s/128 dev wan nodad", m.ip6))
}

// Addresses returns the public addresses that others see the machine by.
func (m *Machine) Addresses() (all []string) {
	for _, a := range []netip.Addr{m.ip4, m.ip6} {
		if a.IsValid() {
			all = append(all, a.String())
		}
	}
	return all
}

// Do calls a function that opens sockets in the machine. It is done on one thread: others wait meanwhile.
func (m *Machine) Do(f func() error) error { return m.space.do(f) }

// Start starts a program on the machine. It is killed when this process or the Internet ends.
func (m *Machine) Start(cmd *exec.Cmd) error { return m.space.start(cmd) }

// Traffic returns what has gone between the machine and the Internet.
func (m *Machine) Traffic() Traffic {
	m.net.internet.mu.Lock()
	defer m.net.internet.mu.Unlock()
	return m.site.traffic
}
