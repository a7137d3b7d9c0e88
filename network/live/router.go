package live

import (
	"context"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/network"
	bhost "github.com/libp2p/go-libp2p/p2p/host/basic"
	ma "github.com/multiformats/go-multiaddr"

	"tidings/network/live/nat"
)

// Router is what a host has seen of the router before it.
type Router struct {
	Mapping  nat.Mapping
	Forwards bool // the ports, because the host has asked it to
	NoUDP    bool // all links are over TCP, though peers speak QUIC too
	Relays   int  // at which the host has a place
}

// Router returns that; the zero one if the host does not run.
func (h *Host) Router() Router {
	if !h.isReady() {
		return Router{}
	}
	r := Router{Mapping: h.outside.Mapping(), Forwards: h.forwards.Load()}
	relays := make(map[string]bool)
	if c, err := parseContact(h.Self().Address); err == nil {
		for _, place := range c.places {
			if id, err := place.ValueForProtocol(ma.P_P2P); err == nil && transportOf(place) == overRelay {
				relays[id] = true
			}
		}
	}
	r.Relays = len(relays)
	_ = h.Do(context.Background(), func() { r.NoUDP = h.loop.ways.lacksUDP() })
	return r
}

// mapPorts has libp2p ask the router to forward the ports at which the host listens.
func (h *Host) mapPorts() libp2p.Option {
	return libp2p.NATManager(func(n network.Network) bhost.NATManager {
		h.ports = bhost.NewNATManager(n)
		return h.ports
	})
}

// checkPorts is how often it is seen whether the router forwards.
const checkPorts = 2 * time.Second

// watchPorts follows whether the router forwards the ports at which the host listens. If it does, at the very address
// at which others see the host, that is public. AutoNAT, which finds out by trying, may have tried before that and
// rests for minutes.
func (h *Host) watchPorts() {
	if h.ports == nil {
		return
	}
	h.task(func() {
		ticker := time.NewTicker(checkPorts)
		defer ticker.Stop()
		for {
			select {
			case <-h.quit:
				return
			case <-ticker.C:
			}
			if now := h.isForwarded(); now != h.forwards.Swap(now) {
				h.mail.post(func() { h.loop.ways.forwards(now) })
			}
		}
	})
}

// isForwarded reports whether the router forwards a port at which the host listens, from the address at which others
// see the host. It may wait for the router.
func (h *Host) isForwarded() bool {
	seen := h.outside.IPs()
	return slices.ContainsFunc(h.net.Network().ListenAddresses(), func(a ma.Multiaddr) bool {
		mapped := h.ports.GetMapping(a)
		return mapped != nil && slices.Contains(seen, nat.AddrOf(mapped))
	})
}
