package node

import (
	"errors"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// ports says where a node that is not running could not listen. try listens there for a moment.
func ports(c Config, try func(network, address string) error) []Finding {
	var all []Finding
	for _, text := range c.listenAddresses(c.Port) {
		network, address, err := listenArgs(text)
		if err != nil {
			continue // the settings' check says so
		}
		if err := try(network, address); err != nil {
			all = append(all, aboutPort(c, text, network, address, err)...)
		}
	}
	if len(all) == 0 {
		all = append(all, fine("The node can listen for others."))
	}
	return all
}

// aboutPort tells why an address cannot be listened at. Addresses that nobody asked for
// are no loss where this machine cannot have them.
func aboutPort(c Config, text, network, address string, err error) []Finding {
	host, port, _ := net.SplitHostPort(address)
	what := strings.ToUpper(network[:3]) + " port " + port
	level, hint := LevelProblem, "choose another address with --listen"
	if len(c.Listen) == 0 {
		level, hint = LevelWarning, "any free port will be taken; for one that stays the same, choose another with --port"
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return []Finding{{level, what + " is in use by another program, maybe another node.", hint}}
	case errors.Is(err, os.ErrPermission):
		return []Finding{{level, what + " may not be opened: " + sentence(err.Error()) + ".", "choose a port from 1024 up"}}
	case len(c.Listen) == 0 && strings.Contains(text, "/ip6/"):
		return nil
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return []Finding{{level, "This machine does not have the address " + host + ".", hint}}
	}
	return []Finding{{level, "The node cannot listen at " + text + ": " + sentence(err.Error()) + ".", hint}}
}

// listenArgs gives a multiaddr to listen at as net.Listen wants it.
func listenArgs(text string) (network, address string, err error) {
	a, err := parseAddress(text)
	if err != nil {
		return "", "", err
	}
	host, _ := multiaddr.SplitFunc(a, func(c multiaddr.Component) bool { return c.Protocol().Code == multiaddr.P_QUIC_V1 })
	return manet.DialArgs(host)
}

// tryListening listens for a moment.
func tryListening(network, address string) error {
	if strings.HasPrefix(network, "udp") {
		c, err := net.ListenPacket(network, address)
		if err != nil {
			return err
		}
		return c.Close()
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	return l.Close()
}
