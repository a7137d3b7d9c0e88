package newcomers

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// Config says how many places there are, and for how long one is kept while they are few: see Limits of package live.
type Config struct {
	Handshakes, Greetings  int
	HandshakeFor, GreetFor time.Duration
	// ends a peer's connection from an address, outside the caller's goroutine
	Hangup func(peer.ID, ma.Multiaddr)
	now    func() time.Time // nil: time.Now
}

// Guard is a resource manager that grants what another does, to newcomers only while they have a place. It is safe for
// concurrent use.
type Guard struct {
	network.ResourceManager
	config Config

	mu         sync.Mutex
	handshakes places
	greetings  places
	// TCP connections that were accepted a moment ago, by the remote address; at most maxSockets
	sockets map[string]io.Closer
}

// newcomer is a connection that has a place.
type newcomer struct {
	at     ma.Multiaddr
	parts  []netip.Prefix
	peer   peer.ID   // empty: not known so far
	socket io.Closer // nil: it has none of its own
	since  time.Time
	in     *places // nil: it has none any more
}

// maxSockets is how many accepted connections wait for OpenConnection, which follows at once: libp2p has one goroutine
// for each listener.
const maxSockets = 64

// Before returns a guard before another resource manager.
func Before(other network.ResourceManager, c Config) *Guard {
	if c.now == nil {
		c.now = time.Now
	}
	return &Guard{
		ResourceManager: other, config: c, sockets: make(map[string]io.Closer),
		handshakes: newPlaces(c.Handshakes, c.HandshakeFor), greetings: newPlaces(c.Greetings, c.GreetFor),
	}
}

// Accepted notes the socket of a connection that is about to begin, so that it can be closed in its handshake. libp2p's
// gater is shown it.
func (g *Guard) Accepted(c network.ConnMultiaddrs) {
	socket, ok := c.(net.Conn)
	if !ok {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.sockets) >= maxSockets {
		clear(g.sockets)
	}
	g.sockets[c.RemoteMultiaddr().String()] = socket
}

var errNoPlace = errors.New("too many connections of that part of the network have not said who they are")

// OpenConnection is as in network.ResourceManager.
func (g *Guard) OpenConnection(dir network.Direction, usefd bool, endpoint ma.Multiaddr) (network.ConnManagementScope,
	error) {
	n := g.arrive(dir, endpoint)
	if n != nil && n.in == nil {
		return nil, errNoPlace
	}
	scope, err := g.ResourceManager.OpenConnection(dir, usefd, endpoint)
	if err != nil {
		g.leave(n)
		return nil, err
	}
	if n == nil {
		return scope, nil
	}
	return &guarded{scope, g, n}, nil
}

// arrive gives a connection that comes in a place, if there is one; nil: it needs none.
func (g *Guard) arrive(dir network.Direction, endpoint ma.Multiaddr) *newcomer {
	if dir != network.DirInbound || endpoint == nil {
		return nil
	}
	ip, err := manet.ToIP(endpoint)
	address, ok := netip.AddrFromSlice(ip)
	if err != nil || !ok {
		return nil // by a relay, which has bounds of its own
	}
	n := &newcomer{at: endpoint, parts: partsOf(address)}
	g.mu.Lock()
	defer g.mu.Unlock()
	name := endpoint.String()
	n.socket = g.sockets[name]
	delete(g.sockets, name)
	g.hurry()
	if g.handshakes.admits(n.parts) {
		g.handshakes.add(n, g.config.now())
	}
	return n
}

// hurry puts out those that have stayed for too long while places are few. The caller holds g.mu.
func (g *Guard) hurry() {
	now := g.config.now()
	for _, n := range append(g.handshakes.impatient(now), g.greetings.impatient(now)...) {
		if n.socket != nil {
			_ = n.socket.Close()
		} else if n.peer != "" {
			g.config.Hangup(n.peer, n.at)
		} else {
			continue // QUIC gives it up by itself within ten seconds
		}
		g.forget(n)
	}
}

// forget has a newcomer have no place. The caller holds g.mu.
func (g *Guard) forget(n *newcomer) {
	if n.in != nil {
		n.in.remove(n)
	}
}

func (g *Guard) leave(n *newcomer) {
	if n != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.forget(n)
	}
}

// secured makes a newcomer with a known ID wait for its Hello.
func (g *Guard) secured(n *newcomer, id peer.ID) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n.in != &g.handshakes {
		return errNoPlace // it was put out a moment ago
	}
	g.hurry()
	if n.in == nil || !g.greetings.admits(n.parts) {
		return errNoPlace
	}
	g.handshakes.remove(n)
	n.peer = id
	g.greetings.add(n, g.config.now())
	return nil
}

// Met notes that the peer at an address has said Hello: it is no newcomer any more.
func (g *Guard) Met(remote ma.Multiaddr) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, n := range slices.Clone(g.greetings.used) {
		if n.at.Equal(remote) {
			g.forget(n)
		}
	}
}

// VerifySourceAddress is as in network.ResourceManager: where places are few, a peer that comes by UDP first proves its
// source address.
func (g *Guard) VerifySourceAddress(a net.Addr) bool {
	g.mu.Lock()
	few := g.handshakes.few()
	g.mu.Unlock()
	return few || g.ResourceManager.VerifySourceAddress(a)
}

// guarded is the scope of a newcomer's connection.
type guarded struct {
	network.ConnManagementScope
	guard *Guard
	self  *newcomer
}

// SetPeer is as in network.ConnManagementScope.
func (s *guarded) SetPeer(id peer.ID) error {
	if err := s.guard.secured(s.self, id); err != nil {
		return err
	}
	return s.ConnManagementScope.SetPeer(id)
}

// Done is as in network.ConnManagementScope.
func (s *guarded) Done() {
	s.guard.leave(s.self)
	s.ConnManagementScope.Done()
}
