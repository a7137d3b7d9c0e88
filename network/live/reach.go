package live

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/event"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/host/autorelay"
	"github.com/libp2p/go-libp2p/p2p/host/eventbus"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/proto"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/relay"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"

	"tidings/network/live/nat"
)

// Reachability is whether nodes outside can connect to this one.
type Reachability string

// What AutoNAT found out, by asking peers to dial back.
const (
	Unknown Reachability = "unknown"
	Public  Reachability = "public"
	Private Reachability = "private" // behind a firewall or NAT
)

// Reachability returns what is known of whether others can connect.
func (h *Host) Reachability() Reachability {
	switch network.Reachability(h.reach.Load()) {
	case network.ReachabilityPublic:
		return Public
	case network.ReachabilityPrivate:
		return Private
	}
	return Unknown
}

// reachOptions is what makes a node reachable, and lets it help others to be. libp2p throttles
// dial-backs, which go to the address that asked for them alone, and bounds what a relay
// carries.
func (h *Host) reachOptions(listen []ma.Multiaddr) []libp2p.Option {
	options := []libp2p.Option{
		libp2p.AddrsFactory(h.announced), // what libp2p's identify says of this host
		libp2p.EnableNATService(),
		libp2p.AutoNATServiceRateLimit(h.limits.AutoNATPerMinute, h.limits.AutoNATPeerMinute, time.Minute),
		libp2p.EnableRelay(),
		libp2p.EnableAutoRelayWithPeerSource(h.relays,
			autorelay.WithMinCandidates(1), autorelay.WithMaxCandidates(places), autorelay.WithNumRelays(places),
			autorelay.WithMinInterval(lookForRelays), autorelay.WithBootDelay(30*time.Second),
			autorelay.WithBackoff(5*time.Minute)),
	}
	if !h.config.NoRelay {
		within := h.limits.SmallRelay
		if h.config.Relay {
			within = h.limits.Relay
		}
		options = append(options, libp2p.EnableRelayService(relay.WithResources(within.resources())))
	}
	if h.config.Relay && len(h.openListening(listen)) > 0 {
		// a person that runs a relay on purpose has seen to that
		options = append(options, libp2p.ForceReachabilityPublic())
	}
	if h.config.PortMapping &&
		slices.ContainsFunc(listen, func(a ma.Multiaddr) bool { return !manet.IsIPLoopback(a) }) {
		options = append(options, h.mapPorts())
	}
	return options
}

// forcesReachability reports whether options say how the host is reached: then nothing else does.
func forcesReachability(options []libp2p.Option) bool {
	var c libp2p.Config
	return c.Apply(options...) == nil && c.AutoNATConfig.ForceReachability != nil
}

// places is at how many relays a private host asks for a place: one that ends leaves it reachable.
const places = 3

// lookForRelays is the least time between looks for more of them among the connected peers.
const lookForRelays = 2 * time.Second

// openListening returns at which public addresses of this machine's own a host listens.
func openListening(listen []ma.Multiaddr, interfaces []ma.Multiaddr) []ma.Multiaddr {
	resolved, err := manet.ResolveUnspecifiedAddresses(listen, interfaces)
	if err != nil {
		return nil // nowhere
	}
	return slices.DeleteFunc(resolved, func(a ma.Multiaddr) bool { return !nat.IsOpen(a) })
}

// openListening returns at which public addresses of this machine's own the host listens now.
func (h *Host) openListening(listen []ma.Multiaddr) []ma.Multiaddr {
	interfaces, err := manet.InterfaceMultiaddrs()
	if err != nil {
		h.log.Debug("reading this machine's addresses", "err", err)
	}
	return openListening(listen, interfaces)
}

// resources returns the bounds as libp2p wants them.
func (r Relaying) resources() relay.Resources {
	all := relay.DefaultResources()
	all.MaxReservations, all.MaxReservationsPerIP, all.MaxCircuits = r.Places, r.PlacesPerIP, r.Circuits
	all.Limit = &relay.RelayLimit{Duration: r.Lasts, Data: r.Bytes}
	return all
}

// relays offers connected peers that serve as relays to libp2p, the nearest first.
func (h *Host) relays(ctx context.Context, most int) <-chan peer.AddrInfo {
	offered := make(chan peer.AddrInfo, most)
	defer close(offered)
	if !h.isReady() {
		return offered
	}
	for _, id := range h.nearestFirst(ctx, h.net.Network().Peers()) {
		protocols, err := h.net.Peerstore().GetProtocols(id)
		if err != nil || !slices.Contains(protocols, proto.ProtoIDv2Hop) {
			continue
		}
		select {
		case offered <- h.net.Peerstore().PeerInfo(id):
		default:
			return offered
		}
	}
	return offered
}

// nearestFirst sorts peers by their round trips; those that were not measured come last.
func (h *Host) nearestFirst(ctx context.Context, peers []peer.ID) []peer.ID {
	trips := make(map[peer.ID]time.Duration)
	if err := h.Do(ctx, func() {
		for _, l := range h.loop.links {
			trips[l.pid] = time.Duration(l.pulse.rtt.Load())
		}
	}); err != nil {
		return peers
	}
	slices.SortStableFunc(peers, func(a, b peer.ID) int {
		near, far := trips[a], trips[b]
		return cmp.Or(-cmp.Compare(min(near, 1), min(far, 1)), cmp.Compare(near, far))
	})
	return peers
}

// watch follows what libp2p learns of this host and its connections, and looks for peers on
// the local network.
func (h *Host) watch() error {
	news, err := h.net.EventBus().Subscribe([]any{
		new(event.EvtLocalAddressesUpdated), new(event.EvtLocalReachabilityChanged),
		new(event.EvtPeerIdentificationCompleted),
	})
	if err != nil {
		return err
	}
	if h.presumption, err = h.net.EventBus().Emitter(new(event.EvtLocalReachabilityChanged),
		eventbus.Stateful); err != nil {
		return err
	}
	h.task(func() {
		defer news.Close()
		for {
			select {
			case <-h.quit:
				return
			case e := <-news.Out():
				switch e := e.(type) {
				case event.EvtLocalReachabilityChanged:
					h.mail.post(func() { h.loop.ways.reached(e.Reachability) })
				case event.EvtPeerIdentificationCompleted:
					if h.outside.Sees(e.Conn, e.ObservedAddr) {
						h.mail.post(h.loop.ways.seenElsewhere)
					}
					continue
				}
				h.mail.post(h.loop.ways.moved)
			}
		}
	})
	h.net.Network().Notify(&network.NotifyBundle{
		ConnectedF: func(_ network.Network, c network.Conn) {
			if h.outside.Connected(c) {
				h.mail.post(h.loop.ways.moved)
			}
			h.mail.post(func() { h.loop.ways.connectedBy(c) })
		},
		DisconnectedF: func(_ network.Network, c network.Conn) {
			h.outside.Disconnected(c)
			h.mail.post(func() { h.loop.disconnected(c) })
		}})
	h.presume()
	h.watchPorts()
	h.loop.ways.moved()
	return h.discover()
}

// presume makes libp2p count the host as public if it listens at a public IPv4 address of this machine's own, until
// AutoNAT knows better. In a network of homes and one such host, no other node could find out. An IPv6 address says
// nothing: homes have them too, behind firewalls.
func (h *Host) presume() {
	open := h.openListening(h.net.Network().ListenAddresses())
	if slices.ContainsFunc(open, func(a ma.Multiaddr) bool { return nat.AddrOf(a).Is4() }) {
		h.maybePresume(network.ReachabilityPublic)
	}
}

// maybePresume sets in libp2p how the host is reached if it has not found out yet.
func (h *Host) maybePresume(r network.Reachability) {
	b, ok := h.net.(interface{ Reachability() network.Reachability })
	if ok && b.Reachability() == network.ReachabilityUnknown {
		h.presumed(r)
	}
}

// presumed sets in libp2p how the host is reached, until AutoNAT finds out otherwise.
func (h *Host) presumed(r network.Reachability) {
	if h.isForced {
		return
	}
	if err := h.presumption.Emit(event.EvtLocalReachabilityChanged{Reachability: r}); err != nil {
		h.log.Debug("setting libp2p's reachability of the host", "err", err)
	}
}

// announced returns which of this host's places are announced to others.
func (h *Host) announced(places []ma.Multiaddr) []ma.Multiaddr {
	return forOthers(places, h.outside.Is() || h.Reachability() == Public && slices.ContainsFunc(places, nat.IsOpen))
}
