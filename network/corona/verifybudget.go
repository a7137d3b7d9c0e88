package corona

import (
	"math"
	"time"
)

// Besides polls there are polls that others cause by what they say: to see whether a report
// is true, what a version was that is missing, whether an origin wants not to be polled. Where the
// load of hosts is bounded they are bounded like polls, and were counted when grants were made (see
// divide.go).
const (
	verifiesPerWedge = freeChecks // by the primary of a wedge, in an interval: twice that in some
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
	alone, ok := n.node.budget.Certified(o.ID())
	if !ok {
		return !o.Primary() && n.pollForGap(o.Channel())
	}
	if alone || !o.remember().verifies.take(n.Env.Now(), n.config.Interval, verifiesPerWedge) {
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
	return o.Primary() && n.node.budget.PollsAlone(o.ID())
}

// pollForGap has this node poll the origin for a version that it lacks. It returns false if that would
// be too much for the host.
func (n *versioner) pollForGap(c Channel) bool {
	if !n.node.budget.TakeGapPoll(c) {
		return false
	}
	n.node.verifyNow(c)
	return true
}

// pendingVerifyEvery is how often a member of a wedge polls because it is asked what it sees.
func (n *versioner) pendingVerifyEvery() time.Duration {
	if n.node.budget.Hosted() {
		return n.config.Interval
	}
	return n.config.Interval / freeChecks
}
