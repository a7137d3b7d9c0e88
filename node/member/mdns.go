package member

import (
	"context"
	"strings"
	"time"

	"tidings/network/engine"
	"tidings/network/live"
)

const (
	tryAgain    = 10 * time.Minute // between attempts to join by one node that was seen on the local network
	tryWithin   = 5 * time.Second  // such an attempt; others wait for it
	maxAttempts = 256              // nodes of which it is known when they were tried
)

// runMDNS joins by the nodes that are seen on the local network, until ctx ends. They are connected to first, one after
// the other. Any machine there can name any number of nodes that do not exist, and the ring asks a bounded number of
// seeds.
func (m *Member) runMDNS(ctx context.Context) {
	tried := make(attempts)
	for {
		select {
		case <-ctx.Done():
			return
		case peer := <-m.connections.Found():
			if tried.isDue(peer.ID, time.Now()) {
				m.try(ctx, peer)
			}
		}
	}
}

// try joins by a node that was seen, if it is there.
func (m *Member) try(ctx context.Context, peer engine.Peer) {
	bounded, cancel := context.WithTimeout(ctx, tryWithin)
	defer cancel()
	if err := m.connect(bounded, strings.Join(live.FormatAddresses(peer), ",")); err != nil && ctx.Err() == nil {
		m.log.Debug("a node that was seen on the local network cannot be reached", "node", peer.ID.Short(), "error",
			err)
	}
}

// attempts are when nodes were last tried. When there are too many, all are forgotten.
type attempts map[engine.ID]time.Time

// isDue reports whether a node was not tried lately, and notes that it is tried now.
func (a attempts) isDue(id engine.ID, now time.Time) bool {
	if now.Sub(a[id]) < tryAgain {
		return false
	}
	if len(a) >= maxAttempts {
		clear(a)
	}
	a[id] = now
	return true
}
