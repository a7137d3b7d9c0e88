package node

import (
	"context"

	"tidings"
	"tidings/delivery/api"
	"tidings/network/engine"
	"tidings/network/live"
	"tidings/network/pastry"
	"tidings/node/member"
	"tidings/node/zones"
)

// joinNetwork starts the node's part among other nodes and returns when it listens.
func (n *Node) joinNetwork(ctx context.Context) (err error) {
	c := n.config
	config := member.Config{
		Key: n.key, Codec: Codec(), Agent: "tidings " + Version,
		Join: c.Join, Listen: c.Listen, Port: c.Port, MDNS: !c.NoMDNS, Relay: c.Relay,
		Descriptors: c.descriptors().network, Delay: c.Delay, Observe: n.observe, OnRTT: n.metrics.Measured,
		Changed: n.changed, Store: n.store, Log: n.log,
	}
	if c.NetworkKeyFile != "" {
		if config.NetworkKey, err = member.ReadNetworkKey(c.NetworkKeyFile); err != nil {
			return err
		}
	}
	n.network = &network{node: n, coop: n.coop, pushes: n.pushes}
	m, err := member.New(ctx, memberHost{n}, config)
	if err != nil {
		return err
	}
	n.network.friends.recall(m.Met())
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
func (h memberHost) Friends() []string { return h.network.friends.texts() }

// Start makes the protocols that run on the ring.
func (h memberHost) Start(env engine.Env, connections *live.Host, ring *pastry.Node, stack *engine.Stack) {
	h.coop.UseLoop(connections)
	h.connections = connections
	h.network.start(env, connections, ring, stack)
}

// others is the node's part among other nodes, as interfaces are given it.
type others struct {
	*member.Member
	*zones.Zones
	*network
}

// others returns that; nil if the node works alone.
func (n *Node) others() api.Network {
	if n.member == nil {
		return nil
	}
	return others{n.member, n.zones, n.network}
}

// Network returns how the node stands among the others, with its zone and what people here think of its neighbours.
func (o others) Network(ctx context.Context) (tidings.Network, error) {
	view, err := o.Member.Network(ctx)
	if err != nil {
		return view, err
	}
	o.node.republishers.mark(view.Neighbours)
	view.Zones, err = o.Membership(ctx)
	return view, err
}

// Peers lists every live node that this one knows, neighbours first, with what people here think of it.
func (o others) Peers(ctx context.Context) ([]tidings.Peer, error) {
	peers, err := o.Member.Peers(ctx)
	o.node.republishers.mark(peers)
	return peers, err
}
