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
	made map[engine.ID]unproved // by host; at most maxGaps
}

// unproved is how often this node has polled a host so in an interval.
type unproved struct {
	until time.Duration // the end of the interval
	polls int
}

const (
	// gapShare is the part of a host's ceiling for polls for missing versions. Each node makes one in an interval. In a
	// network of more nodes than such polls only some nodes do, drawn anew for each host.
	gapShare = 0.2
	maxGaps  = 1 << 14
	// unprovedLooks is how often a node polls a host in an interval as a witness without a proof.
	unprovedLooks = 4
)

// ReserveGapPoll reports whether this node may poll the host of a channel once, for a version that no node sends it. It
// counts that poll.
func (b *Budget) ReserveGapPoll(c machine.Channel) bool {
	if !b.Hosted() {
		return true
	}
	host := HostKey(c.URL)
	return b.isDrawn(host) && b.reserve(host, 1)
}

// reserve reports whether this node has polled a host fewer than most times in this interval without a proof, and
// counts another poll.
func (b *Budget) reserve(host engine.ID, most int) bool {
	now, made := b.Env.Now(), b.gaps.made
	u, known := made[host]
	if now >= u.until {
		u = unproved{until: now + b.config.Interval}
	}
	switch {
	case u.polls >= most:
		return b.LimitHit("gapPolls", most)
	case !known && len(made) >= maxGaps:
		maps.DeleteFunc(made, func(_ engine.ID, u unproved) bool { return now >= u.until })
		if len(made) >= maxGaps {
			return b.LimitHit("gapPolls", maxGaps)
		}
	}
	u.polls++
	made[host] = u
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
