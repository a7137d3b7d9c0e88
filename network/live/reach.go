package live

import (
	"context"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/event"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/host/autorelay"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/proto"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/relay"
	ma "github.com/multiformats/go-multiaddr"
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
func (h *Host) reachOptions() []libp2p.Option {
	options := []libp2p.Option{
		libp2p.AddrsFactory(h.told), // what libp2p's identify tells of this host
		libp2p.EnableNATService(),
		libp2p.AutoNATServiceRateLimit(h.limits.AutoNATPerMinute, h.limits.AutoNATPeerMinute, time.Minute),
		libp2p.EnableRelay(),
		libp2p.EnableHolePunching(),
		libp2p.EnableAutoRelayWithPeerSource(h.relays,
			autorelay.WithMinCandidates(1), autorelay.WithNumRelays(2), autorelay.WithBootDelay(30*time.Second),
			autorelay.WithBackoff(5*time.Minute)),
	}
	if h.config.Relay {
		options = append(options, libp2p.EnableRelayService(relay.WithResources(h.limits.Relay.resources())))
	}
	return options
}

// resources returns the bounds as libp2p wants them.
func (r Relaying) resources() relay.Resources {
	all := relay.DefaultResources()
	all.MaxReservations, all.MaxReservationsPerIP, all.MaxCircuits = r.Places, r.PlacesPerIP, r.Circuits
	all.Limit = &relay.RelayLimit{Duration: r.Lasts, Data: r.Bytes}
	return all
}

// relays offers connected peers that serve as relays to libp2p.
func (h *Host) relays(ctx context.Context, most int) <-chan peer.AddrInfo {
	offered := make(chan peer.AddrInfo, most)
	defer close(offered)
	if !h.isReady() {
		return offered
	}
	for _, id := range h.net.Network().Peers() {
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

// watch follows what libp2p learns of this host and its connections, and looks for peers on
// the local network.
func (h *Host) watch() error {
	news, err := h.net.EventBus().Subscribe([]any{
		new(event.EvtLocalAddressesUpdated), new(event.EvtLocalReachabilityChanged),
	})
	if err != nil {
		return err
	}
	h.task(func() {
		defer news.Close()
		for {
			select {
			case <-h.quit:
				return
			case e := <-news.Out():
				if r, ok := e.(event.EvtLocalReachabilityChanged); ok {
					h.mail.post(func() { h.loop.reached(r.Reachability) })
				}
				h.mail.post(h.loop.moved)
			}
		}
	})
	h.net.Network().Notify(&network.NotifyBundle{DisconnectedF: func(_ network.Network, c network.Conn) {
		h.mail.post(func() { h.loop.disconnected(c) })
	}})
	h.loop.moved()
	return h.discover()
}

// told returns which of this host's places others are told of.
func (h *Host) told(places []ma.Multiaddr) []ma.Multiaddr {
	return forOthers(places, h.Reachability() == Public)
}

func (p *loop) reached(r network.Reachability) {
	if p.h.reach.Swap(int32(r)) != int32(r) {
		p.observe(Reached{p.h.Reachability()})
		p.h.config.OnPeers()
	}
}

// moved finds out the host's own addresses and tells the peers if they changed.
func (p *loop) moved() {
	self, err := peerOf(peer.AddrInfo{ID: p.h.pid, Addrs: p.h.told(p.h.net.Addrs())})
	if err != nil || self == *p.h.self.Load() {
		return
	}
	p.h.self.Store(&self)
	p.observe(Moved{self})
	p.h.config.OnPeers()
	for _, l := range p.links {
		if l.state == open {
			p.say(l, &Place{Address: self.Address})
		}
	}
}
