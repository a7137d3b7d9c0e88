package live

import (
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// outsideFor is how long a host that was connected to a public address is taken for one of the open internet: a
// connection that is lost says nothing of where the machine is.
const outsideFor = 10 * time.Minute

// outside is what connections show of where a host is: whether it is on the open internet, and as whom peers see it there.
// libp2p's goroutines write, the loop and libp2p ask.
type outside struct {
	mu     sync.Mutex
	public map[network.Conn]bool         // connections whose other end is at a public address, without a relay between
	until  time.Time                     // after the last of them ended
	seen   map[network.Conn]ma.Multiaddr // as what the other end sees this host, where that is public; bounded by the connections
}

func newOutside() *outside {
	return &outside{public: make(map[network.Conn]bool), seen: make(map[network.Conn]ma.Multiaddr)}
}

// isOpen reports whether a place is a public one, with no relay between.
func isOpen(place ma.Multiaddr) bool { return distance(place) == anywhere }

// connected takes note of a connection, and reports whether the first one shows that the host is on the open internet.
func (o *outside) connected(c network.Conn) (news bool) {
	if !isOpen(c.RemoteMultiaddr()) {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	news = !o.isLocked(time.Now())
	o.public[c] = true
	return news
}

// disconnected takes note of a connection's end.
func (o *outside) disconnected(c network.Conn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.seen, c)
	if o.public[c] {
		delete(o.public, c)
		o.until = time.Now().Add(outsideFor)
	}
}

// is reports whether the host is on the open internet, where addresses of its local network mean nothing.
func (o *outside) is() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.isLocked(time.Now())
}

func (o *outside) isLocked(now time.Time) bool { return len(o.public) > 0 || now.Before(o.until) }

// sees takes note of the address at which the other end of a connection sees this host, and reports whether nobody saw it at
// that IP address before.
func (o *outside) sees(c network.Conn, place ma.Multiaddr) (news bool) {
	if place == nil || c.IsClosed() || !isOpen(place) || !isOpen(c.RemoteMultiaddr()) {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	news = !slices.Contains(o.ipsLocked(), addrOf(place))
	o.seen[c] = place
	return news
}

// places returns the addresses at which peers see the host, for those who want to punch a hole to it.
func (o *outside) places() []ma.Multiaddr {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make([]ma.Multiaddr, 0, len(o.seen))
	for _, place := range o.seen {
		all = append(all, place)
	}
	slices.SortFunc(all, ma.Multiaddr.Compare)
	return slices.CompactFunc(all, ma.Multiaddr.Equal)
}

// ips returns the public IP addresses at which peers see the host.
func (o *outside) ips() []netip.Addr {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ipsLocked()
}

func (o *outside) ipsLocked() []netip.Addr {
	var all []netip.Addr
	for _, place := range o.seen {
		if ip := addrOf(place); ip.IsValid() {
			all = append(all, ip)
		}
	}
	slices.SortFunc(all, netip.Addr.Compare)
	return slices.Compact(all)
}

// Mapping is how a router translates the port from which a host speaks.
type Mapping string

// The ways of routers. RFC 4787 (section 4.1) has the first for what a router should do.
const (
	MappingUnknown Mapping = ""       // not enough peers have said how they see the host
	MappingSame    Mapping = "same"   // one public port for all peers: holes can be punched
	MappingPerPeer Mapping = "varies" // another one for each peer: holes can be punched only to peers that have none of that
)

// mapping returns how the router translates, by what peers at different public addresses see of connections from one
// port of this host.
func (o *outside) mapping() Mapping {
	o.mu.Lock()
	defer o.mu.Unlock()
	found := MappingUnknown
	seenAs := make(map[string]ma.Multiaddr) // by local address
	from := make(map[string]netip.Addr)
	conns := make([]network.Conn, 0, len(o.seen))
	for c := range o.seen {
		conns = append(conns, c)
	}
	slices.SortFunc(conns, func(a, b network.Conn) int { return a.Stat().Opened.Compare(b.Stat().Opened) })
	for _, c := range conns {
		local, place := c.LocalMultiaddr().String(), o.seen[c]
		switch first := seenAs[local]; {
		case first == nil:
			seenAs[local], from[local] = place, addrOf(c.RemoteMultiaddr())
		case !first.Equal(place) && addrOf(first) == addrOf(place):
			return MappingPerPeer
		case first.Equal(place) && from[local] != addrOf(c.RemoteMultiaddr()):
			found = MappingSame
		}
	}
	return found
}

// addrOf returns the IP address of a place; the zero one if it has none.
func addrOf(place ma.Multiaddr) netip.Addr {
	ip, err := manet.ToIP(place)
	if err != nil {
		return netip.Addr{}
	}
	at, _ := netip.AddrFromSlice(ip)
	return at.Unmap()
}
