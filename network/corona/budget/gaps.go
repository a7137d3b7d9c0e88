package budget

import (
	"encoding/binary"
	"maps"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// gaps bounds the polls of nodes that lack a version which no node can send, and of witnesses without a proof.
type gaps struct {
	until map[engine.ID]time.Duration // by host: when its next such poll may be; at most maxGaps
}

const (
	// gapShare is the part of a host's ceiling for polls for missing versions. Each node makes one in an interval. In a
	// network of more nodes than such polls only some nodes do, drawn anew for each host.
	gapShare = 0.2
	maxGaps  = 1 << 14
)

// ReserveGapPoll reports whether this node may poll the host of a channel once, for a version that no node sends it. It
// counts that poll.
func (b *Budget) ReserveGapPoll(c machine.Channel) bool {
	if !b.Hosted() {
		return true
	}
	host := HostKey(c.URL)
	return b.isDrawn(host) && b.reserve(host)
}

// reserve reports whether this node may poll a host once out of turn without a proof, and counts that poll.
func (b *Budget) reserve(host engine.ID) bool {
	now := b.Env.Now()
	switch {
	case now < b.gaps.until[host]:
		return b.LimitHit("gapPolls", 1)
	case len(b.gaps.until) >= maxGaps:
		maps.DeleteFunc(b.gaps.until, func(_ engine.ID, until time.Duration) bool { return now >= until })
	}
	if len(b.gaps.until) >= maxGaps {
		return b.LimitHit("gapPolls", maxGaps)
	}
	b.gaps.until[host] = now + b.config.Interval
	return true
}

// LetsReaders reports whether this node may poll the host of a channel for its own readers, if it has reason to.
func (b *Budget) LetsReaders(c machine.Channel) bool { return !b.Hosted() || b.isDrawn(HostKey(c.URL)) }

// isDrawn reports whether this node is one of those that poll a host for missing versions.
func (b *Budget) isDrawn(host engine.ID) bool {
	return drawnFor(host, b.Env.Self().ID) < gapShare*float64(b.config.HostCeiling)/float64(max(1, b.Ring.Nodes()))
}

// drawnFor returns a number below 1 that is drawn for each pair of key and node.
func drawnFor(key, node engine.ID) float64 {
	mixed := engine.Mix(binary.BigEndian.Uint64(key[:]) ^ engine.Mix(binary.BigEndian.Uint64(node[:])))
	return float64(mixed>>11) / (1 << 53)
}
