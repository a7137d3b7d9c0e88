package corona

import (
	"encoding/binary"
	"math"
	"time"

	"tidings/network/engine"
)

// Besides polls there are polls that others cause by what they say: to see whether a report
// is true, what a version was that is missing, whether an origin wants not to be polled. Where the
// load of hosts is bounded they are bounded like polls, and were counted when grants were made (see
// divide.go).
const (
	verifiesPerWedge = freeChecks // by the primary of a wedge, in an interval: twice that in some

	// gapShare is the part of a host's ceiling that is left for nodes that lack a version which
	// nobody can give them: these need not have a permit to poll. So each node looks for that once an
	// interval, and in a network of more nodes than there are polls only some nodes do, which ones
	// is drawn anew for each host.
	gapShare = 0.2
)

// verify has this node, who judges what is found, poll the origin once, out of turn. It returns false
// if there were enough such polls in this interval. Another owner that does the primary's work, and
// does not poll the channel, has the polls of whoever lacks a version.
func (n *versioner) verify(o *owned) bool {
	n.relay(o)
	if !n.node.budget.Hosted() {
		n.node.verifyNow(o.Channel())
		return true
	}
	c := n.node.budget.CertificateOf(o)
	if c == nil {
		c = n.node.budget.polled[o.ID()]
	}
	if c == nil || !n.node.budget.Holds(c.until) {
		return !o.Primary() && n.pollForGap(o.Channel())
	}
	if c.bits == alone || !o.remember().verifies.take(n.Env.Now(), n.config.Interval, verifiesPerWedge) {
		return n.LimitHit("polls", verifiesPerWedge)
	}
	n.node.verifyNow(o.Channel())
	return true
}

// verifiesWanted returns how many polls out of turn a primary claims, in an interval: enough for the changes of nearly
// all intervals, if they come at random. It may make more now and then, verifiesPerWedge at most.
func (n *versioner) VerifiesWanted(o *owned) uint8 {
	changes := float64(n.config.Interval) / float64(o.estimate.interval(n.Env.Now(), n.config.Interval))
	return uint8(min(max(1, math.Ceil(changes+math.Sqrt(changes))), verifiesPerWedge))
}

// pollsAlone reports whether nobody is to poll a channel but the primary in its turn: as often as the host
// lets it. Then that one poll has to do; and there is no more than one version an interval, however
// often the content differs.
func (n *versioner) pollsAlone(o *owned) bool {
	return n.node.budget.Hosted() && o.Primary() && n.node.budget.LeastBits(o) == alone
}

// pollForGap has this node poll the origin for a version that it lacks. It returns false if that would
// be too much for the host.
func (n *versioner) pollForGap(c Channel) bool {
	if n.node.budget.Hosted() {
		host := hostKey(c.URL)
		if !n.pollsForGapsAt(host) {
			return false
		}
		now, v := n.Env.Now(), &n.versions
		if until, ok := v.gapPolls[host]; ok && now < until {
			return n.LimitHit("gapPolls", 1)
		}
		if len(v.gapPolls) >= maxUnderWay {
			for h, until := range v.gapPolls {
				if now >= until {
					delete(v.gapPolls, h)
				}
			}
			if len(v.gapPolls) >= maxUnderWay {
				return n.LimitHit("gapPolls", maxUnderWay)
			}
		}
		v.gapPolls[host] = now + n.config.Interval
	}
	n.node.verifyNow(c)
	return true
}

// pollsForGapsAt reports whether this node is one of those that ask a host for what is missing.
func (n *versioner) pollsForGapsAt(host engine.ID) bool {
	self := n.Env.Self().ID
	drawn := engine.Mix(binary.BigEndian.Uint64(host[:]) ^ engine.Mix(binary.BigEndian.Uint64(self[:])))
	share := gapShare * float64(n.config.HostCeiling) / float64(max(1, n.Ring.Nodes()))
	return float64(drawn>>11)/(1<<53) < share
}

// pendingVerifyEvery is how often a member of a wedge polls because it is asked what it sees.
func (n *versioner) pendingVerifyEvery() time.Duration {
	if n.node.budget.Hosted() {
		return n.config.Interval
	}
	return n.config.Interval / freeChecks
}
