package member

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// MaxPort is the highest port.
const MaxPort = 65535

const (
	portsBeside = 16 // above the wanted port that are polled if it is in use
	portsDrawn  = 4  // that the system is asked for after that
	maxOpenings = 4  // of a host, at ports that seemed to be free
)

// listen opens the connections where the configuration says, at one port for QUIC and TCP, IPv4 and IPv6. If another
// program has it, the node chooses another that is free, and keeps it. Its addresses stay the same from run to run as
// long as they can.
func (m *Member) listen(ctx context.Context) error {
	c := m.config
	if len(c.Listen) > 0 {
		return m.open(ctx, 0)
	}
	err := errors.New("no port is free for the network; choose one with --port")
	openings := 0
	for _, candidate := range portCandidates(c.Port, m.memory.Port) {
		port := freePort(c, candidate, TryListening)
		if port == 0 {
			continue
		}
		if err = m.open(ctx, port); err == nil || ctx.Err() != nil {
			if err == nil && port != c.Port && c.Port != 0 {
				m.log.Info("the network takes another port", "port", port, "not", c.Port)
			}
			return err
		}
		if openings++; openings == maxOpenings {
			break
		}
	}
	return err
}

// portCandidates returns the ports at which a node may listen, the best first; 0 stands for one that the system
// chooses. If no port was configured, the one of the last run goes first. Ports beside the wanted one come before the
// system's. Outgoing connections may occupy these when the node starts again.
func portCandidates(wanted, former int) []int {
	ports := []int{wanted, former}
	if wanted == DefaultPort {
		ports = []int{former, wanted}
	}
	if wanted != 0 {
		for port := wanted + 1; port <= min(wanted+portsBeside, MaxPort); port++ {
			ports = append(ports, port)
		}
	}
	var all []int
	for _, port := range ports {
		if port != 0 && !slices.Contains(all, port) {
			all = append(all, port)
		}
	}
	return append(all, make([]int, portsDrawn)...)
}

// freePort returns a candidate, or for 0 a port that the system chooses, if it is free on all addresses where the node
// would listen. Else it returns 0.
func freePort(c Config, port int, try func(network, address string) error) int {
	if port == 0 {
		port = drawPort()
	}
	for _, text := range ListenAddresses(c.Listen, port, c.NetworkKey != nil) {
		network, address, err := ListenArgs(text)
		if err != nil {
			return 0
		}
		err = try(network, address)
		if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, os.ErrPermission) {
			return 0 // other errors mean that the machine lacks such an address
		}
	}
	return port
}

// drawPort returns a port that the system chooses; 0 if it has none.
func drawPort() int {
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		return 0
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close() // it has no connections
	return port
}

// ListenArgs gives a multiaddr to listen at as net.Listen wants it.
func ListenArgs(text string) (network, address string, err error) {
	a, err := parseAddress(text)
	if err != nil {
		return "", "", err
	}
	host, _ := multiaddr.SplitFunc(a, func(c multiaddr.Component) bool {
		return c.Protocol().Code == multiaddr.P_QUIC_V1
	})
	return manet.DialArgs(host)
}

// TryListening listens for a moment.
func TryListening(network, address string) error {
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
