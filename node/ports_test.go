package node

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"syscall"
	"testing"

	"tidings/node/member"
)

func TestDoctorOnPorts(t *testing.T) {
	busy := &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.EADDRINUSE)}
	denied := &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.EACCES)}
	elsewhere := &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", syscall.EADDRNOTAVAIL)}
	listen := []string{"/ip4/192.0.2.7/udp/53/quic-v1", "/ip4/192.0.2.7/tcp/4001"}
	for name, test := range map[string]struct {
		listen []string
		fail   map[string]error // by network and address
		want   []string
	}{
		"free":                    {nil, nil, []string{"ok: The node can listen for others."}},
		"the usual port is taken": {nil, map[string]error{"udp4 0.0.0.0:7601": busy, "udp6 [::]:7601": busy}, []string{"warning: UDP port 7601 is in use by another program", "--port"}},
		"no IPv6":                 {nil, map[string]error{"udp6 [::]:7601": elsewhere, "tcp6 [::]:7601": elsewhere}, []string{"ok: The node can listen for others."}},
		"another's address": {listen, map[string]error{"tcp4 192.0.2.7:4001": elsewhere, "udp4 192.0.2.7:53": denied},
			[]string{"problem: UDP port 53 may not be opened", "from 1024 up", "problem: This machine does not have the address 192.0.2.7.", "--listen"}},
		"taken as told": {listen, map[string]error{"tcp4 192.0.2.7:4001": busy}, []string{"problem: TCP port 4001 is in use"}},
		"who knows":     {listen, map[string]error{"tcp4 192.0.2.7:4001": errors.New("no.")}, []string{"problem: The node cannot listen at /ip4/192.0.2.7/tcp/4001: no."}},
	} {
		t.Run(name, func(t *testing.T) {
			c := Default()
			c.Listen = test.listen
			var tried []string
			all := ports(c, func(network, address string) error {
				tried = append(tried, network+" "+address)
				return test.fail[network+" "+address]
			})
			expect(t, all, test.want...)
			for where := range test.fail {
				if !slices.Contains(tried, where) {
					t.Errorf("%s was not tried, but %q", where, tried)
				}
			}
		})
	}
}

// The real thing: a port that is taken is told from one that is free.
func TestTryListening(t *testing.T) {
	taken, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := Default()
	c.Listen = []string{fmt.Sprintf("/ip4/127.0.0.1/udp/%d/quic-v1", taken.LocalAddr().(*net.UDPAddr).Port), "/ip4/127.0.0.1/tcp/0"}
	expect(t, ports(c, member.TryListening), "problem: UDP port ")
	taken.Close()
	expect(t, ports(c, member.TryListening), "ok: The node can listen for others.")
}
