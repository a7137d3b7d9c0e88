package testnet

import (
	"time"

	"tidings/network/astrolabe"
	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/settled"
	"tidings/network/sim"
)

// ZoneMembers is about how many members a leaf zone has in a network at rest. Gossip and splits make it between half of
// 64 and 64.
const ZoneMembers = 32

// ZonesAtRest returns the network that the first nodes of a world form at rest, each with a row of its own. epoch is
// the wall clock's time when the world begins.
func ZonesAtRest(w *sim.World, epoch time.Time, zones astrolabe.Config, nodes int,
	own func(node int) attr.Row) *settled.Network {
	paths, members := settled.Zones(nodes, ZoneMembers, zones.Full), make([]settled.Member, nodes)
	for i := range members {
		n := sim.Node(i)
		members[i] = settled.Member{Peer: w.Peer(n), Keys: w.Keys(n), Zone: paths[i], Own: own(i)}
	}
	return settled.New(zones, members, epoch)
}
