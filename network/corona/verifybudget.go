package corona

import (
	"encoding/binary"

	"tidings/network/engine"
)

// gapShare is the part of a host's ceiling that is left for nodes that lack a version which nobody can give them: these need not have a permit to poll. So each
// node looks for that once an interval, and in a network of more nodes than there are polls only some nodes do, which ones is drawn anew for each host.
const gapShare = 0.2

// maxGapPolls is how many hosts a node asks for what it lacks in an interval.
const maxGapPolls = 1 << 14

// takeGapPoll reports whether this node may poll the host of a channel once for a version that it lacks, and counts that.
func (n *budgeter) takeGapPoll(c Channel) bool {
	host := hostKey(c.URL)
	if !n.pollsForGapsAt(host) {
		return false
	}
	now := n.Env.Now()
	if until, ok := n.gapPolls[host]; ok && now < until {
		return n.LimitHit("gapPolls", 1)
	}
	if len(n.gapPolls) >= maxGapPolls {
		for h, until := range n.gapPolls {
			if now >= until {
				delete(n.gapPolls, h)
			}
		}
		if len(n.gapPolls) >= maxGapPolls {
			return n.LimitHit("gapPolls", maxGapPolls)
		}
	}
	n.gapPolls[host] = now + n.config.Interval
	return true
}

// pollsForGapsAt reports whether this node is one of those that ask a host for what is missing.
func (n *budgeter) pollsForGapsAt(host engine.ID) bool {
	self := n.Env.Self().ID
	drawn := engine.Mix(binary.BigEndian.Uint64(host[:]) ^ engine.Mix(binary.BigEndian.Uint64(self[:])))
	share := gapShare * float64(n.config.HostCeiling) / float64(max(1, n.Ring.Nodes()))
	return float64(drawn>>11)/(1<<53) < share
}
