package live

import (
	"context"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"tidings/network/engine"
)

// PeerInfo is how a connected peer stands.
type PeerInfo struct {
	Peer    engine.Peer
	Program string        // what it says it runs
	RTT     time.Duration // smoothed; 0: not measured
	Inbound bool          // the peer dialled
	Since   time.Duration // how long it has been connected
	Relayed bool          // through a relay, with its limits
	Punched bool          // directly, after a relay brought the two together
	Over    string        // the multiaddr at which it is connected

	// Clock is how far this machine's calendar clock is ahead of the peer's, as the peer says; nil: it has not said
	// yet.
	Clock *time.Duration

	// What waits to be sent to it.
	QueuedMessages, QueuedBytes int
}

// Peers returns the connected peers by ID; none if the host does not run.
func (h *Host) Peers() []PeerInfo {
	var all []PeerInfo
	_ = h.Do(context.Background(), func() {
		for _, l := range h.loop.links {
			if l.connected && l.in != nil && l.state == open {
				all = append(all, h.loop.info(l))
			}
		}
	})
	slices.SortFunc(all, func(a, b PeerInfo) int { return a.Peer.ID.Compare(b.Peer.ID) })
	return all
}

func (p *loop) info(l *link) PeerInfo {
	messages, bytes := l.out.waiting()
	c := l.stream.Conn()
	return PeerInfo{
		Peer: l.peer, Program: l.in.hello.Program, RTT: time.Duration(l.pulse.rtt.Load()),
		Inbound: c.Stat().Direction == network.DirInbound, Since: p.clock.now() - l.began,
		Relayed: c.Stat().Limited, Punched: l.punched && !c.Stat().Limited && !p.ways.opensTo(l),
		Over:  c.RemoteMultiaddr().String(),
		Clock: l.pulse.clock.Load(), QueuedMessages: messages, QueuedBytes: bytes,
	}
}
