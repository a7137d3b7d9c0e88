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
	own   map[engine.ID]time.Duration // by channel: when this node may poll it next for its own readers; at most maxGaps
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
	host := HostKey(c.URL)
	return g.isDrawn(host) && g.take(g.until, host, "gapPolls")
}

// TakeOwnPoll reports whether this node may poll a channel once for its own readers, as they would by themselves, once an interval.
func (g *gaps) TakeOwnPoll(c machine.Channel) bool {
	return !g.Hosted() || g.isDrawn(HostKey(c.URL)) && g.take(g.own, c.ID, "ownPolls")
}

// take counts a poll; false: there was one in this interval.
func (g *gaps) take(until map[engine.ID]time.Duration, of engine.ID, what string) bool {
	now := g.Env.Now()
	switch {
	case now < until[of]:
		return g.LimitHit(what, 1)
	case len(until) >= maxGaps:
		maps.DeleteFunc(until, func(_ engine.ID, end time.Duration) bool { return now >= end })
	}
	if len(until) >= maxGaps {
		return g.LimitHit(what, maxGaps)
	}
	until[of] = now + g.config.Interval
	return true
}

// isDrawn reports whether this node is one of those that ask a host for what is missing.
func (g *gaps) isDrawn(host engine.ID) bool {
	self := g.Env.Self().ID
	drawn := engine.Mix(binary.BigEndian.Uint64(host[:]) ^ engine.Mix(binary.BigEndian.Uint64(self[:])))
	return float64(drawn>>11)/(1<<53) < gapShare*float64(g.config.HostCeiling)/float64(max(1, g.Ring.Nodes()))
}
