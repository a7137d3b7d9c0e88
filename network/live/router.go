package live

import (
	"context"
	"slices"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/network"
	bhost "github.com/libp2p/go-libp2p/p2p/host/basic"
	ma "github.com/multiformats/go-multiaddr"
)

// Router is what a host has seen of the router before it.
type Router struct {
	Mapping  Mapping
	Forwards bool // the ports, because the host has asked it to
	NoUDP    bool // all links are over TCP, though peers speak QUIC too
	Relays   int  // at which the host has a place
}

// Router returns that; the zero one if the host does not run.
func (h *Host) Router() Router {
	if !h.isReady() {
		return Router{}
	}
	r := Router{Mapping: h.outside.mapping(), Forwards: h.forwarded()}
	relays := make(map[string]bool)
	if c, err := parseContact(h.Self().Address); err == nil {
		for _, place := range c.places {
			if id, err := place.ValueForProtocol(ma.P_P2P); err == nil && transportOf(place) == overRelay {
				relays[id] = true
			}
		}
	}
	r.Relays = len(relays)
	_ = h.Do(context.Background(), func() { r.NoUDP = h.loop.lacksUDP() })
	return r
}

// mapPorts has libp2p ask the router to forward the ports at which the host listens.
func (h *Host) mapPorts() libp2p.Option {
	return libp2p.NATManager(func(n network.Network) bhost.NATManager {
		h.ports = bhost.NewNATManager(n)
		return h.ports
	})
}

// forwarded reports whether the router forwards a port at which the host listens.
func (h *Host) forwarded() bool {
	return h.ports != nil && slices.ContainsFunc(h.net.Network().ListenAddresses(), func(a ma.Multiaddr) bool {
		mapped := h.ports.GetMapping(a)
		return mapped != nil && isOpen(mapped)
	})
}

// lacksUDP reports whether QUIC comes through nowhere: all links with peers outside that speak it are over TCP.
func (p *loop) lacksUDP() bool {
	lacks := false
	for _, l := range p.links {
		if !l.connected || l.stream == nil || !isOpen(l.stream.Conn().RemoteMultiaddr()) {
			continue
		}
		c, err := parseContact(l.peer.Address)
		if err != nil || !slices.ContainsFunc(c.places, func(a ma.Multiaddr) bool { return transportOf(a) == overQUIC }) {
			continue
		}
		if transportOf(l.stream.Conn().RemoteMultiaddr()) == overQUIC {
			return false
		}
		lacks = true
	}
	return lacks && p.h.config.NetworkKey == nil
}
