package budget

import (
	"encoding/binary"
	"maps"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// gaps bounds the polls by nodes that lack a version which nobody can give them: these need not have a permit.
type gaps struct {
	*core
	until map[engine.ID]time.Duration // by host: when it may be polled next for that; at most maxGaps
}

const (
	// gapShare is the part of a host's ceiling that is left for them. Each node looks for what it lacks once an interval, and in a network of more nodes than there
	// are polls only some nodes do, which ones is drawn anew for each host.
	gapShare = 0.2
	maxGaps  = 1 << 14
)

// TakeGapPoll reports whether this node may poll the host of a channel once for a version that nobody gives it, and counts that poll.
func (g *gaps) TakeGapPoll(c machine.Channel) bool {
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

// LetsReaders reports whether this node may poll the host of a channel for its own readers, when they have reason to.
func (g *gaps) LetsReaders(c machine.Channel) bool { return !g.Hosted() || g.isDrawn(HostKey(c.URL)) }

// isDrawn reports whether this node is one of those that ask a host for what is missing.
func (g *gaps) isDrawn(host engine.ID) bool {
	return drawnFor(host, g.Env.Self().ID) < gapShare*float64(g.config.HostCeiling)/float64(max(1, g.Ring.Nodes()))
}

// drawnFor returns a number below 1 that is drawn anew for each node and each key.
func drawnFor(key, node engine.ID) float64 {
	return float64(engine.Mix(binary.BigEndian.Uint64(key[:])^engine.Mix(binary.BigEndian.Uint64(node[:])))>>11) / (1 << 53)
}
