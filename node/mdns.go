package node

import (
	"context"
	"strings"
	"time"

	"tidings/network/engine"
	"tidings/network/live"
)

const (
	metAgain   = 10 * time.Minute // between attempts to join by one node that was seen on the local network
	meetWithin = 5 * time.Second  // such an attempt; others wait for it
	maxMet     = 256              // nodes of which it is known when they were tried
)

// meet joins by the nodes that are seen on the local network, until ctx ends. They are
// connected to first, one after the other: anybody there can name any number of nodes that do
// not exist, and the ring asks a few seeds at most.
func (n *network) meet(ctx context.Context) {
	met := make(meetings)
	for {
		select {
		case <-ctx.Done():
			return
		case peer := <-n.host.Found():
			if met.isDue(peer.ID, time.Now()) {
				n.try(ctx, peer)
			}
		}
	}
}

// try joins by a node that was seen, if it is there.
func (n *network) try(ctx context.Context, peer engine.Peer) {
	bounded, cancel := context.WithTimeout(ctx, meetWithin)
	defer cancel()
	if err := n.connect(bounded, strings.Join(live.FormatAddresses(peer), ",")); err != nil && ctx.Err() == nil {
		n.log.Debug("a node that was seen on the local network cannot be reached", "node", peer.ID.Short(), "error", err)
	}
}

// meetings are when nodes were last tried. When there are too many, all are forgotten.
type meetings map[engine.ID]time.Time

// isDue tells whether a node was not tried lately, and takes it as tried.
func (m meetings) isDue(id engine.ID, now time.Time) bool {
	if now.Sub(m[id]) < metAgain {
		return false
	}
	if len(m) >= maxMet {
		clear(m)
	}
	m[id] = now
	return true
}
