package member

import (
	"context"
	"time"

	"tidings/network/engine"
)

// joinByAny makes a node without a known peer on the ring join by all nodes connected to it, dialled by either side,
// until ctx ends. The configured nodes may be gone.
func (m *Member) joinByAny(ctx context.Context) {
	for {
		changed := m.NetworkChanged() // before the check
		if m.IsAlone(ctx) {
			m.joinBy(ctx, m.connected())
		}
		select {
		case <-ctx.Done():
			return
		case <-m.ended:
			return
		case <-changed:
		}
		select { // changes come in crowds
		case <-ctx.Done():
			return
		case <-time.After(joinFirst):
		}
	}
}

// connected returns the nodes to which there is a connection.
func (m *Member) connected() []engine.Peer {
	var all []engine.Peer
	for _, p := range m.connections.Peers() {
		all = append(all, p.Peer)
	}
	return all
}

// joinBy joins by the given nodes, if there are any.
func (m *Member) joinBy(ctx context.Context, peers []engine.Peer) {
	if len(peers) > 0 {
		m.do(ctx, func() { m.ring.Join(peers...) })
	}
}
