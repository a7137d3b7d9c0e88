package node

import (
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// portsOf returns the ports that a node announces, each once.
func (r *restartable) portsOf() (ports []int) {
	r.t.Helper()
	for _, address := range r.view().Addresses {
		port, err := strconv.Atoi(strings.Split(address, "/")[4]) // /ip4/192.0.2.1/udp/7601/…
		if err != nil {
			r.t.Fatal(err)
		}
		if !slices.Contains(ports, port) {
			ports = append(ports, port)
		}
	}
	return ports
}

// occupyPort occupies a port for the length of a test. It is none that the system would give to others, so that those
// beside it stay free.
func occupyPort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 20_000 + rand.N(10_000)
		if taken, err := net.ListenPacket("udp4", fmt.Sprintf("0.0.0.0:%d", port)); err == nil {
			t.Cleanup(func() { taken.Close() })
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// If the port is in use, the node chooses one other for QUIC and TCP, IPv4 and IPv6. It uses that one again after a
// restart.
func TestANodeTakesOneOtherPortAndKeepsIt(t *testing.T) {
	port := occupyPort(t)
	n := newRestartable(t, func(c *Config) { c.Listen, c.Port = nil, port })
	first := n.portsOf()
	if len(first) != 1 || first[0] == port {
		t.Fatalf("it listens at ports %v, and %d is taken", first, port)
	}
	for name, wanted := range map[string]int{"which is still taken": port, "and any will do": 0} {
		n.stop()
		n.config.Port = wanted
		n.start()
		if got := n.portsOf(); !slices.Equal(got, first) {
			t.Errorf("after a restart with port %d, %s: at ports %v, not %v", wanted, name, got, first)
		}
	}
}
