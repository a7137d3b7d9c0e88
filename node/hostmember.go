package node

import (
	"context"

	"tidings/delivery/api"
	"tidings/node/descriptors"
	"tidings/node/member"
	"tidings/node/routing"
	"tidings/node/trust"
	"tidings/node/zones"
	"tidings/view"
)

// joinNetwork starts the node's part among other nodes and returns when it listens.
func (n *Node) joinNetwork(ctx context.Context) (err error) {
	c := n.config
	config := member.Config{
		Key: n.key, IDWork: c.idWork(), Codec: Codec(), Agent: "tidings " + Version,
		Join: c.Join, Listen: c.Listen, Port: c.Port, MDNS: !c.NoMDNS, Relay: c.Relay, NoRelay: c.NoRelay,
		MapPorts:    !c.NoPortMapping && !c.LabOrigins,
		Descriptors: descriptors.Of(c.Polls).Network, Delay: c.Delay, Observe: n.tracer(), OnRTT: n.metrics.Measured,
		Changed: n.changed, Settings: n.store.DB, Log: n.log,
	}
	if c.NetworkKeyFile != "" {
		if config.NetworkKey, err = member.ReadNetworkKey(c.NetworkKeyFile); err != nil {
			return err
		}
	}
	m, err := member.New(ctx, memberHost{n}, config)
	if err != nil {
		return err
	}
	n.routing = routing.New(routingHost{n}, m.Met())
	if err := m.Start(ctx); err != nil {
		return err
	}
	n.member = m
	return nil
}

// memberHost is the node as package member sees it.
type memberHost struct{ *Node }

// Stopped has the node poll by itself.
func (h memberHost) Stopped() { h.coop.Stopped() }

// Friends returns those of the router rappel.
func (h memberHost) Friends() []string { return h.routing.Remembered() }

// others is the node's part among other nodes, as interfaces are given it.
type others struct {
	*member.Member
	*zones.Zones
	*routing.Routing
	trust *trust.Trust
}

// others returns that; nil if the node works alone.
func (n *Node) others() api.Network {
	if n.member == nil {
		return nil
	}
	return others{n.member, n.zones, n.routing, n.trust}
}

// Network returns how the node stands among the others, with its zone and what people here think of its neighbours.
func (o others) Network(ctx context.Context) (view.Network, error) {
	network, err := o.Member.Network(ctx)
	if err != nil {
		return network, err
	}
	o.trust.Mark(network.Neighbours)
	network.Zones, err = o.Membership(ctx)
	return network, err
}

// Peers lists every live node that this one knows, neighbours first, with what people here think of it.
func (o others) Peers(ctx context.Context) ([]view.Peer, error) {
	peers, err := o.Member.Peers(ctx)
	o.trust.Mark(peers)
	return peers, err
}
