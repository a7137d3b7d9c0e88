package member

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/live"
	"tidings/view"
)

// Network returns how the node stands among the others.
func (m *Member) Network(ctx context.Context) (view.Network, error) {
	now, err := m.snapshot(ctx)
	if err != nil {
		return view.Network{}, err
	}
	self := m.connections.Self()
	network := view.Network{
		ID: self.ID.String(), Position: self.ID.Position(), Addresses: m.connections.Addresses(),
		Nodes: now.nodes, Neighbours: neighbours(now.peers(), self.ID.Position()),
		Joins: m.bootstrap.shown(), Traffic: m.traffic(),
		Reachable: view.Reach(m.connections.Reachability()), Router: routerOf(m.connections.Router()),
		Clock: now.clock(),
	}
	m.duplicates.addTo(&network, time.Now())
	return network, nil
}

// Peers lists every live node that this one knows, neighbours first, then by ID.
func (m *Member) Peers(ctx context.Context) ([]view.Peer, error) {
	now, err := m.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return now.peers(), nil
}

func (m *Member) traffic() []view.Traffic {
	traffic := []view.Traffic{}
	for _, t := range m.connections.Traffic() {
		traffic = append(traffic, view.Traffic{
			Kind: t.Name, Sent: t.Sent, SentBytes: t.SentBytes,
			Received: t.Received, ReceivedBytes: t.ReceivedBytes, Dropped: t.Dropped, Refused: t.Refused,
		})
	}
	return traffic
}

// snapshot is the nodes that the node knows at one moment.
type snapshot struct {
	nodes     int // that the ring seems to have
	contacts  []contact
	connected []live.PeerInfo
}

// contact is a node in the ring's tables.
type contact struct {
	engine.Peer
	rtt       time.Duration // 0: not measured
	neighbour bool
	forwarded bool // others forward to it, for want of a connection
}

// snapshot makes one.
func (m *Member) snapshot(ctx context.Context) (*snapshot, error) {
	s := &snapshot{connected: m.connections.Peers()}
	if err := m.connections.Do(ctx, func() {
		s.nodes = m.ring.Nodes()
		neighbours := slices.Concat(m.ring.LeafSet())
		for _, p := range m.ring.Known() {
			rtt, _ := m.ring.RTT(p.ID)
			by := m.forward.Introducer(p.ID)
			forwarded := !by.IsZero() && by.ID != m.connections.Self().ID
			s.contacts = append(s.contacts, contact{p, rtt, slices.Contains(neighbours, p), forwarded})
		}
	}); err != nil {
		return nil, fmt.Errorf("asking the network: %w", err)
	}
	return s, nil
}

// peers lists the ring's contacts and the other connected nodes. The connection knows the round trip better than the
// ring.
func (s *snapshot) peers() []view.Peer {
	connected := make(map[engine.ID]live.PeerInfo, len(s.connected))
	for _, c := range s.connected {
		connected[c.Peer.ID] = c
	}
	list := make([]view.Peer, 0, len(s.contacts)+len(s.connected))
	for _, c := range s.contacts {
		link, open := connected[c.ID]
		delete(connected, c.ID)
		list = append(list, peerOf(c.Peer, cmp.Or(link.RTT, c.rtt), c.neighbour, wayOf(link, open, c.forwarded)))
	}
	for _, c := range connected {
		list = append(list, peerOf(c.Peer, c.RTT, false, wayOf(c, true, false)))
	}
	slices.SortFunc(list, func(a, b view.Peer) int {
		if a.Neighbour != b.Neighbour {
			if a.Neighbour {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return list
}

// wayOf returns how a peer is reached: by a connection, if it is open, or by others.
func wayOf(c live.PeerInfo, open, forwarded bool) view.Way {
	switch {
	case !open && forwarded:
		return view.WayForwarded
	case !open:
		return ""
	case c.Relayed:
		return view.WayRelayed
	case c.Punched:
		return view.WayPunched
	}
	return view.WayDirect
}

func routerOf(r live.Router) view.Router {
	return view.Router{Ports: view.RouterPorts(r.Mapping), Forwards: r.Forwards, NoUDP: r.NoUDP, Relays: r.Relays}
}

func peerOf(p engine.Peer, rtt time.Duration, neighbour bool, way view.Way) view.Peer {
	return view.Peer{
		ID: p.ID.String(), Address: live.FormatAddress(p), Position: p.ID.Position(),
		RTT: float64(rtt) / float64(time.Millisecond), Neighbour: neighbour, Connected: way != "" &&
			way != view.WayForwarded, Way: way,
	}
}

// clock compares this machine's clock with those of the connected peers.
func (s *snapshot) clock() view.Clock {
	var ahead []time.Duration
	for _, c := range s.connected {
		if c.Clock != nil {
			ahead = append(ahead, *c.Clock)
		}
	}
	return view.ClockOf(ahead)
}

// neighbours returns those of peers that are neighbours, in the ring's order around a position: from the farthest below
// to the farthest above.
func neighbours(peers []view.Peer, around float64) []view.Peer {
	near := []view.Peer{}
	for _, p := range peers {
		if p.Neighbour {
			near = append(near, p)
		}
	}
	// The place of the one that is farthest away is halfway round the ring.
	turned := func(p view.Peer) float64 {
		d := p.Position - around
		if d < -0.5 {
			d++
		} else if d >= 0.5 {
			d--
		}
		return d
	}
	slices.SortFunc(near, func(a, b view.Peer) int { return cmp.Compare(turned(a), turned(b)) })
	return near
}
