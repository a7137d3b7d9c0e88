package node

import (
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"

	"tidings/node/member"
)

// ports says where a node that is not running could not listen. try listens there for a moment.
func ports(c Config, try func(network, address string) error) []Diagnosis {
	var all []Diagnosis
	for _, text := range member.ListenAddresses(c.Listen, c.Port, c.NetworkKeyFile != "") {
		network, address, err := member.ListenArgs(text)
		if err != nil {
			continue // the settings' check says so
		}
		for _, f := range aboutPort(c, text, network, address, try(network, address)) {
			if !slices.Contains(all, f) { // IPv4 and IPv6 say the same
				all = append(all, f)
			}
		}
	}
	if len(all) == 0 {
		all = append(all, fine("The node can listen for others."))
	}
	return all
}

// aboutPort tells why an address cannot be listened at; nothing if it can. Addresses that
// nobody asked for are no loss where this machine cannot have them.
func aboutPort(c Config, text, network, address string, err error) []Diagnosis {
	if err == nil {
		return nil
	}
	host, port, _ := net.SplitHostPort(address)
	what := strings.ToUpper(network[:3]) + " port " + port
	level, hint := LevelProblem, "choose another address with --listen"
	if len(c.Listen) == 0 {
		level, hint = LevelWarning, "the node takes another that is free, and keeps it; to choose it yourself: --port"
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return []Diagnosis{{level, what + " is in use by another program, maybe another node.", hint}}
	case errors.Is(err, os.ErrPermission):
		return []Diagnosis{{level, what + " may not be opened: " + sentence(err.Error()) + ".", "choose a port from 1024 up"}}
	case len(c.Listen) == 0 && strings.Contains(text, "/ip6/"):
		return nil
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return []Diagnosis{{level, "This machine does not have the address " + host + ".", hint}}
	}
	return []Diagnosis{{level, "The node cannot listen at " + text + ": " + sentence(err.Error()) + ".", hint}}
}
