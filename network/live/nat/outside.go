package nat

import (
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// outsideFor is how long a host that was connected to a public address counts as one of the open internet: a connection
// that is lost says nothing of where the machine is.
const outsideFor = 10 * time.Minute

// Outside is what connections show of where a host is: whether it is on the open internet, and at which addresses peers
// see it there. libp2p's goroutines write, the loop and libp2p ask.
type Outside struct {
	mu     sync.Mutex
	public map[network.Conn]bool // connections with the other end at a public address, without a relay between
	until  time.Time             // after the last of them ended
	// as what the other end sees this host, where that is public; bounded by the connections
	seen map[network.Conn]ma.Multiaddr
}

// New returns that of a host without connections.
func New() *Outside {
	return &Outside{public: make(map[network.Conn]bool), seen: make(map[network.Conn]ma.Multiaddr)}
}

// IsOpen reports whether a place is a public one, with no relay between.
func IsOpen(place ma.Multiaddr) bool {
	return manet.IsPublicAddr(place) &&
		!slices.ContainsFunc(place, func(c ma.Component) bool { return c.Protocol().Code == ma.P_CIRCUIT })
}

// Connected notes a connection, and reports whether it is the first one that shows that the host is on the open
// internet.
func (o *Outside) Connected(c network.Conn) (news bool) {
	if !IsOpen(c.RemoteMultiaddr()) {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	news = !o.isLocked(time.Now())
	o.public[c] = true
	return news
}

// Disconnected notes a connection's end.
func (o *Outside) Disconnected(c network.Conn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.seen, c)
	if o.public[c] {
		delete(o.public, c)
		o.until = time.Now().Add(outsideFor)
	}
}

// Is reports whether the host is on the open internet, where addresses of its local network mean nothing.
func (o *Outside) Is() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.isLocked(time.Now())
}

func (o *Outside) isLocked(now time.Time) bool { return len(o.public) > 0 || now.Before(o.until) }

// Sees notes the address at which the other end of a connection sees this host. It reports whether the host was not
// seen at that IP address before.
func (o *Outside) Sees(c network.Conn, place ma.Multiaddr) (news bool) {
	if place == nil || c.IsClosed() || !IsOpen(place) || !IsOpen(c.RemoteMultiaddr()) {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	news = !slices.Contains(o.ipsLocked(), AddrOf(place))
	o.seen[c] = place
	return news
}

// Places returns the addresses at which peers see the host, for nodes that punch a hole to it.
func (o *Outside) Places() []ma.Multiaddr {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make([]ma.Multiaddr, 0, len(o.seen))
	for _, place := range o.seen {
		all = append(all, place)
	}
	slices.SortFunc(all, ma.Multiaddr.Compare)
	return slices.CompactFunc(all, ma.Multiaddr.Equal)
}

// IPs returns the public IP addresses at which peers see the host.
func (o *Outside) IPs() []netip.Addr {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ipsLocked()
}

func (o *Outside) ipsLocked() []netip.Addr {
	var all []netip.Addr
	for _, place := range o.seen {
		if ip := AddrOf(place); ip.IsValid() {
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
	MappingUnknown Mapping = ""     // not enough peers have said how they see the host
	MappingSame    Mapping = "same" // one public port for all peers: holes can be punched
	// another one for each peer: holes can be punched only to peers that have none of that
	MappingPerPeer Mapping = "varies"
)

// Mapping returns how the router translates, by what peers at different public addresses see of connections from one
// port of this host.
func (o *Outside) Mapping() Mapping {
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
			seenAs[local], from[local] = place, AddrOf(c.RemoteMultiaddr())
		case !first.Equal(place) && AddrOf(first) == AddrOf(place):
			return MappingPerPeer
		case first.Equal(place) && from[local] != AddrOf(c.RemoteMultiaddr()):
			found = MappingSame
		}
	}
	return found
}

// AddrOf returns the IP address of a place; the zero one if it has none.
func AddrOf(place ma.Multiaddr) netip.Addr {
	ip, err := manet.ToIP(place)
	if err != nil {
		return netip.Addr{}
	}
	at, _ := netip.AddrFromSlice(ip)
	return at.Unmap()
}
