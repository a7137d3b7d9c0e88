package doctor

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
)

// Address is where a node listens for others.
type Address struct {
	Text    string // the multiaddr, as people write it
	Network string // as net.Listen wants it, such as tcp4
	Address string // the same: HOST:PORT
}

// ports says where a node that is not running could not listen.
func (c Config) ports() []Diagnosis {
	var all []Diagnosis
	for _, a := range c.Listen {
		for _, d := range c.aboutPort(a, c.TryListen(a)) {
			if !slices.Contains(all, d) { // IPv4 and IPv6 say the same
				all = append(all, d)
			}
		}
	}
	if len(all) == 0 {
		all = append(all, fine("The node can listen for others."))
	}
	return all
}

// aboutPort says why an address cannot be listened at; nothing if it can. An address by default is no loss if this
// machine cannot have it.
func (c Config) aboutPort(a Address, err error) []Diagnosis {
	if err == nil {
		return nil
	}
	host, port, _ := net.SplitHostPort(a.Address)
	what := strings.ToUpper(a.Network[:3]) + " port " + port
	level, hint := LevelProblem, "choose another address with --listen"
	if !c.Chosen {
		level, hint = LevelWarning, "the node takes another that is free, and keeps it; to choose it yourself: --port"
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return []Diagnosis{{level, what + " is in use by another program, maybe another node.", hint}}
	case errors.Is(err, os.ErrPermission):
		return []Diagnosis{{level, what + " may not be opened: " + sentence(err.Error()) + ".",
			"choose a port from 1024 up"}}
	case !c.Chosen && strings.HasSuffix(a.Network, "6"):
		return nil
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return []Diagnosis{{level, "This machine does not have the address " + host + ".", hint}}
	}
	return []Diagnosis{{level, "The node cannot listen at " + a.Text + ": " + sentence(err.Error()) + ".", hint}}
}

// aboutNetworkKey says whether the file with the network key is kept from others.
func (c Config) aboutNetworkKey() []Diagnosis {
	if c.NetworkKeyFile == "" {
		return nil
	}
	info, err := os.Stat(c.NetworkKeyFile)
	if err != nil {
		return nil // the settings' check says so
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && os.PathSeparator == '/' {
		return []Diagnosis{{LevelWarning, fmt.Sprintf("Others may read the network key (mode %04o).", mode),
			"chmod 600 " + c.NetworkKeyFile}}
	}
	return nil
}
