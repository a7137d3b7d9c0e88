package budget

import (
	"encoding/binary"
	"maps"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// gaps bounds the polls of nodes that lack a version which no node can send. They need no permit.
type gaps struct {
	*core
	until map[engine.ID]time.Duration // by host: when its next such poll may be; at most maxGaps
}

const (
	// gapShare is the part of a host's ceiling for such polls. Each node polls for missing versions once an interval.
	// In a network of more nodes than such polls only some nodes do, drawn anew for each host.
	gapShare = 0.2
	maxGaps  = 1 << 14
)

// ReserveGapPoll reports whether this node may poll the host of a channel once, for a version that no node sends it. It
// counts that poll.
func (g *gaps) ReserveGapPoll(c machine.Channel) bool {
	if !g.Hosted() {
		return true
	}
	host, now := HostKey(c.URL), g.Env.Now()
	switch {
	case !g.isDrawn(host):
		return false
	case now < g.until[host]:
		return g.LimitHit("gapPolls", 1)
	case len(g.until) >= maxGaps:
		maps.DeleteFunc(g.until, func(_ engine.ID, until time.Duration) bool { return now >= until })
	}
	if len(g.until) >= maxGaps {
		return g.LimitHit("gapPolls", maxGaps)
	}
	g.until[host] = now + g.config.Interval
	return true
}

// LetsReaders reports whether this node may poll the host of a channel for its own readers, if it has reason to.
func (g *gaps) LetsReaders(c machine.Channel) bool { return !g.Hosted() || g.isDrawn(HostKey(c.URL)) }

// isDrawn reports whether this node is one of those that poll a host for missing versions.
func (g *gaps) isDrawn(host engine.ID) bool {
	return drawnFor(host, g.Env.Self().ID) < gapShare*float64(g.config.HostCeiling)/float64(max(1, g.Ring.Nodes()))
}

// drawnFor returns a number below 1 that is drawn for each pair of key and node.
func drawnFor(key, node engine.ID) float64 {
	mixed := engine.Mix(binary.BigEndian.Uint64(key[:]) ^ engine.Mix(binary.BigEndian.Uint64(node[:])))
	return float64(mixed>>11) / (1 << 53)
}
