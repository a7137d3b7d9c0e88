package live

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	ma "github.com/multiformats/go-multiaddr"

	"tidings/network/live/nat"
)

// router is one that translates: what is sent to it goes on to a host, from an address that can change.
type router struct {
	t      *testing.T
	inside *net.UDPConn
	to     *net.UDPAddr
	mu     sync.Mutex
	client *net.UDPAddr
	now    *net.UDPConn
}

func newRouter(t *testing.T, to *net.UDPAddr) *router {
	t.Helper()
	inside, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	r := &router{t: t, inside: inside, to: to}
	r.moveTo(net.IPv4(127, 0, 0, 5))
	go r.copyOut()
	t.Cleanup(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		_ = r.inside.Close()
		_ = r.now.Close()
	})
	return r
}

// moveTo gives the router another address outside.
func (r *router) moveTo(ip net.IP) {
	r.t.Helper()
	outside, err := net.ListenUDP("udp4", &net.UDPAddr{IP: ip})
	if err != nil {
		r.t.Skipf("this machine has no second loopback address: %v", err)
	}
	r.mu.Lock()
	before := r.now
	r.now = outside
	r.mu.Unlock()
	if before != nil {
		_ = before.Close()
	}
	go r.copyIn(outside)
}

func (r *router) copyOut() {
	buffer := make([]byte, 64<<10)
	for {
		n, from, err := r.inside.ReadFromUDP(buffer)
		if err != nil {
			return
		}
		r.mu.Lock()
		r.client = from
		_, _ = r.now.WriteToUDP(buffer[:n], r.to) // or it is lost, as on any network
		r.mu.Unlock()
	}
}

func (r *router) copyIn(outside *net.UDPConn) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := outside.Read(buffer)
		if err != nil {
			return
		}
		r.mu.Lock()
		client := r.client
		r.mu.Unlock()
		_, _ = r.inside.WriteToUDP(buffer[:n], client)
	}
}

// When a router has another address, the connection goes on, and its other end sees the host there.
func TestConnectionsOfRoutersThatMove(t *testing.T) {
	a, b := startHost(t, loopback(1)), startHost(t, loopback(2))
	r := newRouter(t, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: b.Port()})
	_, identity, _ := strings.Cut(b.Addresses()[0], "/p2p/")
	_, port, err := net.SplitHostPort(r.inside.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Connect(t.Context(), fmt.Sprintf("/ip4/127.0.0.1/udp/%s/quic-v1/p2p/%s", port,
		identity)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a link", func() bool { return len(b.Peers()) == 1 })
	c := b.net.Network().ConnsToPeer(a.pid)[0]
	if place := nat.ReboundTo(c); place != nil {
		t.Fatalf("before the router has moved, the host is seen at %s", place)
	}
	r.moveTo(net.IPv4(127, 0, 0, 6))
	said := uint64(0)
	eventually(t, "the host is seen at the router's new address", func() bool {
		a.send(b.Host.Self(), aWord(said))
		said++
		place := nat.ReboundTo(c)
		return place != nil && strings.HasPrefix(place.String(), "/ip4/127.0.0.6/udp/")
	})
	if a.downCount()+b.downCount() > 0 {
		t.Errorf("protocols were notified of outages: %v", a.failures())
	}
}

// A host believes what those say that are outside, of an address that is.
func TestSeenByPeers(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		home, server := w.atHome(7), w.host(1)
		w.connect(home, server)
		c := home.net.Network().ConnsToPeer(server.pid)[0]
		for _, what := range []struct {
			seen []byte
			ips  int
		}{
			{nil, 0},
			{[]byte("nonsense"), 0},
			{multiaddrs(t, "/ip4/192.168.1.1/udp/1/quic-v1")[0].Bytes(), 0},
			{multiaddrs(t, "/ip4/9.9.9.9/tcp/1")[0].Bytes(), 0},
			{multiaddrs(t, "/ip4/9.9.9.9/udp/1/quic-v1")[0].Bytes(), 1},
		} {
			home.do(func() { home.loop.ways.seenBy(c, what.seen) })
			if ips := home.outside.IPs(); len(ips) != what.ips {
				t.Errorf("after %q the host is seen at %v", what.seen, ips)
			}
		}
		if at := home.punchedAt(); len(at) != 1 || !at[0].Equal(ma.StringCast("/ip4/9.9.9.9/udp/1/quic-v1")) {
			t.Errorf("holes are punched to %v", at)
		}
	})
}

// Where a router draws a port for each peer, a hole is tried at one of them, and not again soon. Where both routers do,
// none is tried.
func TestHolesAreNotPunchedWherePortsAreDrawn(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		home, one, two := w.atHome(7), w.host(1), w.host(2)
		w.connect(home, one)
		w.connect(home, two)
		steady := multiaddrs(t, "/ip4/7.7.7.7/udp/1/quic-v1")
		drawn := append(multiaddrs(t, "/ip4/7.7.7.7/udp/2/quic-v1"), steady...)
		try := func(places []ma.Multiaddr) (tried int, pause time.Duration) {
			home.do(func() { home.loop.ways.linkTo(one.pid).punching = punching{} })
			tried = len(punchFilter{home.Host}.FilterRemote(one.pid, places))
			home.do(func() { pause = home.loop.ways.linkTo(one.pid).punching.pause })
			return tried, pause
		}
		for _, c := range []struct {
			what   string
			places []ma.Multiaddr
			own    string // where the second peer sees the host; the first one sees it at port 1
			tried  int
			pause  time.Duration
		}{
			{"neither", steady, "/ip4/9.9.9.9/udp/1/quic-v1", 1, 0},
			{"the peer's", drawn, "/ip4/9.9.9.9/udp/1/quic-v1", 1, punchLast},
			{"this host's", steady, "/ip4/9.9.9.9/udp/2/quic-v1", 1, punchLast},
			{"both", drawn, "/ip4/9.9.9.9/udp/2/quic-v1", 0, punchLast},
		} {
			home.do(func() {
				seen := func(by *running, at string) {
					home.loop.ways.seenBy(home.net.Network().ConnsToPeer(by.pid)[0], multiaddrs(t, at)[0].Bytes())
				}
				seen(one, "/ip4/9.9.9.9/udp/1/quic-v1")
				seen(two, c.own)
			})
			if tried, pause := try(c.places); tried != c.tried || pause != c.pause {
				t.Errorf("%s draws ports: %d places are tried, and the next time comes after %v; want %d, %v", c.what,
					tried, pause, c.tried, c.pause)
			}
		}
	})
}

// A peer's news of its relays makes no new hole tried. Being seen at another IP address, or becoming diallable, does.
func TestHolesArePunchedAnewWhereThePeerIsElsewhere(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		home, server := w.atHome(7), w.host(1)
		w.connect(home, server)
		const relay = "/ip4/8.8.8.8/udp/1/quic-v1/p2p/12D3KooWHmRqcjAoezK3K3KrwubC7bPdArqd32a2P4gLDhQBGLCy/p2p-circuit"
		one, two := netip.MustParseAddr("7.7.7.7").As16(), netip.MustParseAddr("7.7.7.8").As16()
		both := append(append([]byte{}, one[:]...), two[:]...)
		for _, c := range []struct {
			what   string
			places []ma.Multiaddr
			seen   []byte
			anew   bool
		}{
			{"the first address", nil, one[:], true},
			{"the same", nil, one[:], false},
			{"a relay", multiaddrs(t, relay), one[:], false},
			{"no address", nil, nil, false},
			{"an address again", nil, one[:], true},
			{"another address", nil, both, true},
			{"one of them", nil, two[:], false},
			{"a forwarded port", multiaddrs(t, "/ip4/7.7.7.8/udp/1/quic-v1"), two[:], true},
		} {
			var pause time.Duration
			home.do(func() {
				l := home.loop.ways.linkTo(server.pid)
				// so that the place at which it was reached is not added
				l.punching.pause, l.punched = time.Minute, true
				at, err := parseContact(server.Self().Address)
				if err != nil {
					t.Error(err)
				}
				home.loop.ways.placed(l, &Place{Seen: c.seen}, contact{key: at.key, places: c.places})
				pause = l.punching.pause
			})
			if anew := pause == 0; anew != c.anew {
				t.Errorf("%s: punched anew: %v", c.what, anew)
			}
		}
	})
}
