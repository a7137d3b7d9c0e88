package newcomers

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

// desk is a guard in a test.
type desk struct {
	*Guard
	t     *testing.T
	clock time.Time
	hung  []string
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, clock: time.Unix(1_800_000_000, 0)}
	d.Guard = Before(&network.NullResourceManager{}, Config{
		Handshakes: 16, Greetings: 8, HandshakeFor: 3 * time.Second, GreetFor: 6 * time.Second,
		Hangup: func(id peer.ID, at ma.Multiaddr) { d.hung = append(d.hung, string(id)+at.String()) },
		now:    func() time.Time { return d.clock },
	})
	return d
}

// come has a connection arrive by UDP.
func (d *desk) come(ip string, port int) network.ConnManagementScope {
	d.t.Helper()
	family := "ip4"
	if net.ParseIP(ip).To4() == nil {
		family = "ip6"
	}
	scope, err := d.OpenConnection(network.DirInbound, false,
		ma.StringCast(fmt.Sprintf("/%s/%s/udp/%d/quic-v1", family, ip, port)))
	if err != nil {
		return nil
	}
	return scope
}

// socket is a connection by TCP.
type socket struct {
	net.Conn
	at     ma.Multiaddr
	closed bool
}

func (s *socket) LocalMultiaddr() ma.Multiaddr  { return s.at }
func (s *socket) RemoteMultiaddr() ma.Multiaddr { return s.at }
func (s *socket) Close() error                  { s.closed = true; return nil }

// hostile 79: an address, a home or a site has no more places than half of what is left free, so that there are some
// for others.
func TestHostile79Shares(t *testing.T) {
	for _, part := range []struct {
		crowd func(n int) string
		most  int
		other string
	}{
		{func(int) string { return "127.0.0.2" }, 6, "127.0.0.3"},
		{func(int) string { return "203.0.113.7" }, 6, "198.51.100.1"},
		{func(n int) string { return fmt.Sprintf("203.0.113.%d", n) }, 6, "198.51.100.1"},
		{func(n int) string { return fmt.Sprintf("2001:db8:7::%x", n+1) }, 6, "2001:db8:8::1"},
		{func(n int) string { return fmt.Sprintf("2001:db8:7:%x::1", n<<8) }, 6, "2001:db8:8::1"},
		{func(n int) string { return fmt.Sprintf("203.0.%d.1", n) }, 16, ""},
	} {
		d := newDesk(t)
		admitted := 0
		for n := range 100 {
			if d.come(part.crowd(n), 1000+n) != nil {
				admitted++
			}
		}
		if admitted != part.most {
			t.Errorf("%s and so on: %d are admitted, not %d", part.crowd(0), admitted, part.most)
		}
		if part.other != "" && d.come(part.other, 1) == nil {
			t.Errorf("beside %s and so on %s is not admitted", part.crowd(0), part.other)
		}
	}
}

// A place is free when its connection ends, in whatever stage, and once. Outgoing and relayed connections need none.
func TestPlacesAreFreed(t *testing.T) {
	d := newDesk(t)
	for n := range 100 {
		s := d.come("203.0.113.7", 1000+n)
		if s == nil {
			t.Fatalf("connection %d is not admitted", n)
		}
		if n%2 == 0 && s.SetPeer("peer") != nil {
			t.Fatalf("connection %d is not admitted when its ID is known", n)
		}
		if n%4 < 2 {
			d.Met(ma.StringCast(fmt.Sprintf("/ip4/203.0.113.7/udp/%d/quic-v1", 1000+n)))
		}
		s.Done()
		s.Done()
	}
	if len(d.handshakes.used)+len(d.greetings.used)+len(d.handshakes.by)+len(d.greetings.by) > 0 {
		t.Error("some places are not free")
	}
	for n := range 100 {
		at := ma.StringCast(fmt.Sprintf("/ip4/203.0.113.7/tcp/%d", 1000+n))
		if _, err := d.OpenConnection(network.DirOutbound, true, at); err != nil {
			t.Error(err)
		}
		if _, err := d.OpenConnection(network.DirInbound, false, ma.StringCast("/p2p-circuit")); err != nil {
			t.Error(err)
		}
	}
}

// While places are few, a peer that has had one for too long is put out, and one that has said Hello is not.
func TestPatience(t *testing.T) {
	d := newDesk(t)
	var sockets []*socket
	for n := range 9 {
		s := &socket{at: ma.StringCast(fmt.Sprintf("/ip4/203.%d.113.7/tcp/1", n))}
		sockets = append(sockets, s)
		d.Accepted(s)
		if _, err := d.OpenConnection(network.DirInbound, true, s.at); err != nil {
			t.Fatal(err)
		}
	}
	d.clock = d.clock.Add(2999 * time.Millisecond)
	d.come("198.51.100.1", 1)
	if sockets[0].closed {
		t.Error("one is put out too soon")
	}
	d.clock = d.clock.Add(time.Millisecond)
	d.come("198.51.100.1", 2)
	for n, s := range sockets {
		if !s.closed {
			t.Errorf("%d is not put out", n)
		}
	}
	for n := range 5 {
		if err := d.come(fmt.Sprintf("198.%d.100.1", n), 3).SetPeer(peer.ID(fmt.Sprint(n))); err != nil {
			t.Fatal(err)
		}
	}
	d.Met(ma.StringCast("/ip4/198.0.100.1/udp/3/quic-v1"))
	d.come("192.0.2.1", 1).SetPeer("5")
	d.clock = d.clock.Add(6 * time.Second)
	d.come("192.0.2.1", 2)
	if len(d.hung) != 5 || d.hung[0] != "1/ip4/198.1.100.1/udp/3/quic-v1" {
		t.Errorf("put out: %v", d.hung)
	}
}

// Where places are few, and not before, a peer that comes by UDP first proves its source address.
func TestSourceAddresses(t *testing.T) {
	d := newDesk(t)
	for n := range 9 {
		if d.VerifySourceAddress(&net.UDPAddr{}) {
			t.Errorf("with %d places used, addresses are verified", n)
		}
		d.come(fmt.Sprintf("203.%d.113.7", n), 1)
	}
	if !d.VerifySourceAddress(&net.UDPAddr{}) {
		t.Error("addresses are not verified")
	}
}
