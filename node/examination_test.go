package node

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"
)

// A real port in use is distinguished from a free one.
func TestTryListening(t *testing.T) {
	taken, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := Default()
	c.Listen = []string{fmt.Sprintf("/ip4/127.0.0.1/udp/%d/quic-v1", taken.LocalAddr().(*net.UDPAddr).Port),
		"/ip4/127.0.0.1/tcp/0"}
	e := c.Examination()
	if len(e.Listen) != 2 || !e.Chosen {
		t.Fatalf("it would listen at %v", e.Listen)
	}
	if err := e.TryListen(e.Listen[0]); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("at a port that is taken: %v", err)
	}
	taken.Close()
	for _, a := range e.Listen {
		if err := e.TryListen(a); err != nil {
			t.Errorf("at %s: %v", a.Text, err)
		}
	}
}

// Without configured addresses, doctor tries the usual port, for QUIC and TCP, IPv4 and IPv6.
func TestDoctorTriesTheUsualPort(t *testing.T) {
	var all []string
	e := Default().Examination()
	for _, a := range e.Listen {
		all = append(all, a.Network+" "+a.Address)
	}
	if got, want := fmt.Sprint(all),
		"[udp4 0.0.0.0:7601 tcp4 0.0.0.0:7601 udp6 [::]:7601 tcp6 [::]:7601]"; got != want || e.Chosen {
		t.Errorf("it tries %s, want %s", got, want)
	}
}
