package node

import (
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestPortCandidates(t *testing.T) {
	for name, test := range map[string]struct {
		wanted, former int
		first          []int
		total          int
	}{
		"the default":               {7601, 0, []int{7601, 7602, 7603}, 1 + portsBeside + portsDrawn},
		"the default, moved before": {7601, 7603, []int{7603, 7601, 7602, 7604}, 1 + portsBeside + portsDrawn},
		"a person's choice":         {9000, 7601, []int{9000, 7601, 9001}, 2 + portsBeside + portsDrawn},
		"any":                       {0, 0, []int{0}, portsDrawn},
		"any, as before":            {0, 40000, []int{40000, 0}, 1 + portsDrawn},
		"the last":                  {maxPort, 0, []int{maxPort, 0}, 1 + portsDrawn},
	} {
		got := portCandidates(test.wanted, test.former)
		if len(got) != test.total || !slices.Equal(got[:len(test.first)], test.first) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestFreePort(t *testing.T) {
	fail := func(where string, err error) func(network, address string) error {
		return func(network, address string) error {
			if network+" "+address == where {
				return err
			}
			return nil
		}
	}
	for name, test := range map[string]struct {
		try  func(network, address string) error
		want int
	}{
		"free":              {fail("", nil), 7700},
		"UDP is taken":      {fail("udp4 0.0.0.0:7700", syscall.EADDRINUSE), 0},
		"TCP is taken":      {fail("tcp6 [::]:7700", syscall.EADDRINUSE), 0},
		"not for everybody": {fail("tcp4 0.0.0.0:7700", syscall.EACCES), 0},
		"no IPv6":           {fail("udp6 [::]:7700", syscall.EAFNOSUPPORT), 7700},
	} {
		if got := freePort(Default(), 7700, test.try); got != test.want {
			t.Errorf("%s: %d", name, got)
		}
	}
	if got := freePort(Default(), 0, fail("", nil)); got == 0 {
		t.Error("the system has no port")
	}
}

// portsOf returns the ports at which a node tells others to find it, each once.
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

// takePort takes a port for the length of a test. It is none that the system would give to
// others, so that those beside it stay free.
func takePort(t *testing.T) int {
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

// Where somebody has the port, the node takes one other for QUIC and TCP, IPv4 and IPv6, and
// has it again after a restart.
func TestANodeTakesOneOtherPortAndKeepsIt(t *testing.T) {
	port := takePort(t)
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
