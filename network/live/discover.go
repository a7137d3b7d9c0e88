package live

import (
	"fmt"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/discovery/mdns"
)

// mdnsService is under which name nodes look for each other on the local network.
const mdnsService = "_tidings._udp"

// discover looks for peers on the local network, if it may. What it finds anybody there may
// have made up, so it is only suggested.
func (h *Host) discover() error {
	if !h.config.MDNS {
		return nil
	}
	service := mdns.NewMdnsService(h.net, mdnsService, finder{h})
	if err := service.Start(); err != nil {
		h.log.Warn("cannot look for nodes on the local network", "err", err)
		return nil
	}
	h.task(func() {
		<-h.quit
		if err := service.Close(); err != nil {
			h.log.Debug("closing local discovery", "err", fmt.Sprint(err))
		}
	})
	return nil
}

// finder receives what mDNS found.
type finder struct{ h *Host }

// HandlePeerFound suggests a peer, unless nobody listens.
func (f finder) HandlePeerFound(info peer.AddrInfo) {
	info.Addrs = bestFirst(info.Addrs)
	p, err := peerOf(info)
	if err != nil || p.ID == f.h.id {
		return
	}
	select {
	case f.h.found <- p:
	default:
	}
}
