package homes

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// forget is short in tests, which wait until routers have forgotten.
const forget = 2 * time.Second

// internet makes an Internet with a public machine, or skips the test.
func testNet(t *testing.T) (*Net, *Machine) {
	t.Helper()
	if err := Check(); err != nil {
		t.Skip("needs an Internet of network namespaces: ", err)
	}
	n, err := New(Settings{RoundTrip: 20 * time.Millisecond, Forget: forget, Names: []string{"server.example"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	server, err := n.Public("server.example")
	if err != nil {
		t.Fatal(err)
	}
	return n, server
}

func (n *Net) testHome(t *testing.T, kind Kind) *Home {
	t.Helper()
	h, err := n.Home(kind)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// socket is a UDP socket of a machine.
type socket struct {
	t *testing.T
	*net.UDPConn
}

func open(t *testing.T, m *Machine) socket {
	t.Helper()
	s := socket{t: t}
	if err := m.Do(func() (err error) {
		s.UDPConn, err = net.ListenUDP("udp", &net.UDPAddr{Port: 4000})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func (s socket) send(to netip.AddrPort) {
	s.t.Helper()
	if _, err := s.WriteToUDPAddrPort([]byte("hello"), to); err != nil {
		s.t.Fatal(err)
	}
}

// receive returns the source of the next packet; none within the time: it is not valid.
func (s socket) receive(within time.Duration) netip.AddrPort {
	s.t.Helper()
	if err := s.SetReadDeadline(time.Now().Add(within)); err != nil {
		s.t.Fatal(err)
	}
	_, from, err := s.ReadFromUDPAddrPort(make([]byte, 100))
	if err != nil {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
}

// Within these times a packet is received, on any machine, and is not.
const (
	soon  = 10 * time.Minute
	never = 200 * time.Millisecond
)

// address returns by which address of the same family as h's a machine is reached.
func (m *Machine) address(h *Home) netip.Addr {
	if h.ip4.IsValid() {
		return m.ip4
	}
	return m.ip6
}

// each tries something with a home of each kind.
func each(t *testing.T, try func(t *testing.T, n *Net, server *Machine, h *Home)) {
	for _, kind := range Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			n, server := testNet(t)
			try(t, n, server, n.testHome(t, kind))
		})
	}
}

// A home connects to public machines over TCP whatever its router is like, by the name too. Others cannot open a
// connection to it. A packet has its delay.
func TestHomesSpeakOverTCP(t *testing.T) {
	each(t, func(t *testing.T, n *Net, server *Machine, h *Home) {
		var listener, inner net.Listener
		listen := func(l *net.Listener) func() error {
			return func() (err error) { *l, err = net.Listen("tcp", ":80"); return err }
		}
		for l, m := range map[*net.Listener]*Machine{&listener: server, &inner: &h.Machine} {
			if err := m.Do(listen(l)); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = (*l).Close() }()
		}
		accepted := make(chan net.Addr, 1)
		go func() {
			if c, err := listener.Accept(); err == nil {
				accepted <- c.RemoteAddr()
				_ = c.Close()
			}
		}()
		var elapsed time.Duration
		if err := h.Do(func() error {
			began := time.Now()
			c, err := net.DialTimeout("tcp", net.JoinHostPort(server.address(h).String(), "80"), soon)
			elapsed = time.Since(began)
			if err != nil {
				return err
			}
			return c.Close()
		}); err != nil {
			t.Fatal(err)
		}
		from := netip.MustParseAddrPort((<-accepted).String()).Addr().Unmap()
		if want := h.seenAs(); from != want {
			t.Errorf("the server sees %s, which is not %s", from, want)
		}
		if elapsed < n.settings.RoundTrip {
			t.Errorf("connecting lasted %s, less than the round trip", elapsed)
		}
		if err := server.Do(func() error {
			c, err := net.DialTimeout("tcp", net.JoinHostPort(h.seenAs().String(), "80"), never)
			if err == nil {
				_ = c.Close()
				return fmt.Errorf("a connection to the home was opened")
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
}

// seenAs returns the address by which others see the home.
func (h *Home) seenAs() netip.Addr {
	if h.ip4.IsValid() {
		return h.ip4
	}
	return h.ip6
}

// The server's answer comes back, and a packet of somebody else does not, where UDP is let through at all. A router
// keeps the port, but those that draw one do so for each machine that is spoken to.
func TestHomesSpeakOverUDP(t *testing.T) {
	each(t, func(t *testing.T, n *Net, server *Machine, h *Home) {
		other, err := n.Public("other")
		if err != nil {
			t.Fatal(err)
		}
		inner, outer, stranger := open(t, &h.Machine), open(t, server), open(t, other)
		inner.send(netip.AddrPortFrom(server.address(h), 4000))
		if h.Kind == Blocked {
			if from := outer.receive(never); from.IsValid() {
				t.Errorf("a packet of a home without UDP came, from %s", from)
			}
			return
		}
		seen := outer.receive(soon)
		if seen.Addr() != h.seenAs() {
			t.Fatalf("the server sees %s, not %s", seen, h.seenAs())
		}
		stranger.send(seen)
		outer.send(seen)
		if from := inner.receive(soon); from.Addr() != server.address(h) {
			t.Errorf("the home hears %s before the server's answer", from)
		}
		if from := inner.receive(never); from.IsValid() {
			t.Errorf("the home hears a stranger: %s", from)
		}
		inner.send(netip.AddrPortFrom(other.address(h), 4000))
		again := stranger.receive(soon)
		if drawn := h.Kind == Random; drawn == (again.Port() == seen.Port()) || !drawn && seen.Port() != 4000 {
			t.Errorf("the server sees %s, the other machine %s", seen, again)
		}
		inner.send(netip.AddrPortFrom(server.address(h), 4000))
		outer.send(outer.receive(soon))
		inner.receive(soon)
		if !n.Talk(&h.Machine, server) || !n.Talk(server, &h.Machine) {
			t.Error("they do not count as having spoken")
		}
		if n.Talk(&h.Machine, other) {
			t.Error("one that has not answered counts as having spoken")
		}
	})
}

// Two homes that know each other's ports open their routers for each other by sending at the same time. It fails if a
// router draws ports or blocks UDP, or they have no address in common.
func TestHomesPunch(t *testing.T) {
	n, server := testNet(t)
	outer := open(t, server)
	type party struct {
		*Home
		socket
		seen netip.AddrPort // by the server
	}
	var all []*party
	for _, kind := range []Kind{Masquerade, Random, Double, Carrier, Carrier, IPv6, IPv6} {
		h := n.testHome(t, kind)
		p := &party{Home: h, socket: open(t, &h.Machine)}
		p.send(netip.AddrPortFrom(server.address(h), 4000))
		p.seen = outer.receive(soon)
		all = append(all, p)
	}
	for i, a := range all {
		for _, b := range all[:i] {
			family := a.seen.Addr().Is4() == b.seen.Addr().Is4()
			neighbours := a.Kind == Carrier && b.Kind == Carrier // the provider's router does not turn packets round
			drawn := a.Kind == Random || b.Kind == Random
			n.ForgetTalk()
			received := false
			for range leastTalk + 1 { // the first packets may come before the other has sent one
				if !family {
					break
				}
				a.send(b.seen)
				b.send(a.seen)
				heardA, heardB := a.receive(never), b.receive(never)
				received = received || heardA.IsValid() && heardB.IsValid()
			}
			if want := family && !neighbours && !drawn; received != want || n.Talk(&a.Machine, &b.Machine) != want {
				t.Errorf("%s and %s: they hear each other: %t; they count as having spoken: %t; wanted: %t", a.Kind,
					b.Kind, received, n.Talk(&a.Machine, &b.Machine), want)
			}
		}
	}
}

// A router forgets a flow when no packet has passed for a time, and not before.
func TestRoutersForget(t *testing.T) {
	each(t, func(t *testing.T, n *Net, server *Machine, h *Home) {
		if h.Kind == Blocked {
			t.Skip("nobody speaks over UDP")
		}
		inner, outer := open(t, &h.Machine), open(t, server)
		inner.send(netip.AddrPortFrom(server.address(h), 4000))
		seen := outer.receive(soon)
		if from := inner.receive(forget / 2); from.IsValid() {
			t.Fatalf("%s speaks", from)
		}
		outer.send(seen)
		if !inner.receive(soon).IsValid() {
			t.Error("the router has forgotten too soon")
		}
		if from := inner.receive(2*forget + time.Second); from.IsValid() {
			t.Fatalf("%s speaks", from)
		}
		outer.send(seen)
		if inner.receive(never).IsValid() {
			t.Error("the router has not forgotten")
		}
	})
}

// A home that moves is seen by another address, and not reached by the one before.
func TestHomesMove(t *testing.T) {
	each(t, func(t *testing.T, n *Net, server *Machine, h *Home) {
		if h.Kind == Carrier || h.Kind == IPv6 {
			if err := h.Move(); err == nil {
				t.Error("it has moved")
			}
			return
		}
		old := h.ip4
		if err := h.Move(); err != nil || h.ip4 == old {
			t.Fatalf("moved from %s to %s: %v", old, h.ip4, err)
		}
		if h.Kind == Blocked {
			return
		}
		inner, outer := open(t, &h.Machine), open(t, server)
		for range 2 {
			before := h.ip4
			var seen netip.AddrPort
			// a datagram may be lost as the router changes
			for deadline := time.Now().Add(soon); seen.Addr() != h.ip4; {
				if time.Now().After(deadline) {
					t.Fatalf("the server sees %s, not %s", seen, h.ip4)
				}
				inner.send(netip.AddrPortFrom(server.ip4, 4000))
				seen = outer.receive(time.Second)
			}
			if err := h.Move(); err != nil {
				t.Fatal(err)
			}
			outer.send(netip.AddrPortFrom(before, seen.Port()))
			if inner.receive(never).IsValid() {
				t.Error("the home is reached by the address that it had")
			}
		}
	})
}

// All that goes to a home and comes from it is counted, with its IP headers.
func TestTrafficIsCounted(t *testing.T) {
	each(t, func(t *testing.T, n *Net, server *Machine, h *Home) {
		if h.Kind == Blocked {
			t.Skip("nobody speaks over UDP")
		}
		inner, outer := open(t, &h.Machine), open(t, server)
		before := h.Traffic()
		inner.send(netip.AddrPortFrom(server.address(h), 4000))
		for range 2 {
			outer.send(netip.AddrPortFrom(h.seenAs(), 4000))
		}
		outer.send(outer.receive(soon))
		size := int64(20 + 8 + len("hello"))
		if h.Kind == IPv6 {
			size += 20
		}
		want := Traffic{3, 3 * size, 1, size}
		for deadline := time.Now().Add(soon); h.Traffic().Since(before) != want; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("counted: %v, not %v", h.Traffic().Since(before), want)
			}
		}
	})
}

// Names are known everywhere, and nobody is asked for others.
func TestNames(t *testing.T) {
	n, server := testNet(t)
	h := n.testHome(t, Masquerade)
	if err := h.Do(func() error {
		addresses, err := net.LookupHost("server.example")
		if got := strings.Join(addresses, " "); err == nil && got != fmt.Sprint(server.ip4, " ", server.ip6) {
			return fmt.Errorf("server.example is at %s", got)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}
