package live

import (
	"net/netip"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/protocol"
	rcmgr "github.com/libp2p/go-libp2p/p2p/host/resource-manager"
	"github.com/libp2p/go-libp2p/x/rate"
)

// streamsOfOurs is how many streams of ours a peer may have opened: one, and its successor while a link changes
// connections.
const streamsOfOurs = 4

// manager makes libp2p's resource manager of the limits. Limits not named here are libp2p's for a machine with this
// memory: its own services (identify, AutoNAT, relay, hole punching) each have their share.
func (l Limits) manager() (network.ResourceManager, error) {
	r := l.Resources
	scaling := rcmgr.DefaultLimits
	libp2p.SetDefaultServiceLimits(&scaling)
	limit := func(n int) rcmgr.LimitVal {
		if n == 0 {
			return rcmgr.BlockAllLimit
		}
		return rcmgr.LimitVal(n)
	}
	ours := rcmgr.ResourceLimits{
		Streams: 2 * streamsOfOurs, StreamsInbound: streamsOfOurs, StreamsOutbound: streamsOfOurs,
	}
	partial := rcmgr.PartialLimitConfig{
		System: rcmgr.ResourceLimits{
			Conns: limit(r.Connections), ConnsInbound: limit(r.ConnectionsInbound), ConnsOutbound: limit(r.Connections),
			Streams: limit(r.Streams), StreamsInbound: limit(r.Streams), StreamsOutbound: limit(r.Streams),
			Memory: rcmgr.LimitVal64(r.Memory), FD: limit(r.FileDescriptors),
		},
		Transient: rcmgr.ResourceLimits{
			Conns: limit(2 * r.Handshakes), ConnsInbound: limit(r.Handshakes), ConnsOutbound: limit(r.Handshakes),
			Streams: limit(4 * r.Handshakes), StreamsInbound: limit(2 * r.Handshakes),
			StreamsOutbound: limit(2 * r.Handshakes),
			Memory:          rcmgr.LimitVal64(r.Memory / 4), FD: limit(2 * r.Handshakes),
		},
		PeerDefault: rcmgr.ResourceLimits{
			Conns: limit(r.ConnectionsPerPeer), ConnsInbound: limit(r.ConnectionsPerPeer),
			ConnsOutbound: limit(r.ConnectionsPerPeer),
			Streams:       limit(2 * r.StreamsPerPeer), StreamsInbound: limit(r.StreamsPerPeer),
			StreamsOutbound: limit(r.StreamsPerPeer),
			Memory:          rcmgr.LimitVal64(r.Memory / 4), FD: limit(r.ConnectionsPerPeer),
		},
		Protocol: map[protocol.ID]rcmgr.ResourceLimits{protocolID: {
			Streams: limit(2 * streamsOfOurs * l.Links), StreamsInbound: limit(streamsOfOurs * l.Links),
			StreamsOutbound: limit(streamsOfOurs * l.Links),
			Memory:          rcmgr.LimitVal64(r.Memory),
		}},
		ProtocolPeer: map[protocol.ID]rcmgr.ResourceLimits{protocolID: ours},
	}
	return rcmgr.NewResourceManager(
		rcmgr.NewFixedLimiter(partial.Build(scaling.Scale(r.Memory, r.FileDescriptors))),
		rcmgr.WithMetricsDisabled(),
		rcmgr.WithLimitPerSubnet(
			[]rcmgr.ConnLimitPerSubnet{{PrefixLength: 32, ConnCount: r.PerIP4},
				{PrefixLength: 24, ConnCount: r.PerIP4Net}},
			[]rcmgr.ConnLimitPerSubnet{{PrefixLength: 56, ConnCount: r.PerIP6Home},
				{PrefixLength: 48, ConnCount: r.PerIP6Site}},
		),
		rcmgr.WithConnRateLimiters(r.handshakeRates()),
	)
}

// handshakeBurst is how many connections an address may begin at once.
const handshakeBurst = 16

func (r Resources) handshakeRates() *rate.Limiter {
	return &rate.Limiter{
		NetworkPrefixLimits: []rate.PrefixLimit{
			{Prefix: netip.MustParsePrefix("127.0.0.0/8")},
			{Prefix: netip.MustParsePrefix("::1/128")},
		},
		SubnetRateLimiter: rate.SubnetLimiter{
			IPv4SubnetLimits: []rate.SubnetLimit{{PrefixLength: 32,
				Limit: rate.Limit{RPS: r.HandshakesPerIP4, Burst: handshakeBurst}}},
			IPv6SubnetLimits: []rate.SubnetLimit{{PrefixLength: 56,
				Limit: rate.Limit{RPS: r.HandshakesPerIP6Home, Burst: handshakeBurst}}},
		},
	}
}
