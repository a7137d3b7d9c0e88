package corona

import (
	"time"

	"tidings/network/honeycomb"
)

// outOfTurn is the Poller, and counts what it is asked for out of turn: a primary polls itself
// before it believes what others have found. That is load, and not little where channels change
// often: as nobody chooses it, it counts as fixed.
type outOfTurn struct {
	Poller
	n        *planner
	verifies int           // since
	since    time.Duration // by Env.Now
	rate     float64       // polls in a polling interval, as of late
}

// Verify implements Poller.
func (l *outOfTurn) Verify(c Channel) {
	l.verifies++
	l.Poller.Verify(c)
}

// seldom is a rate that is as good as none. Else one poll would keep a small network, whose plan may come to just what
// is allowed, from that plan for as long as anything is left of its rate.
const seldom = 0.25

// count brings the rate up to date, once an interval at most. Half of what was stays.
func (l *outOfTurn) count() {
	now, interval := l.n.Env.Now(), l.n.config.Interval
	if now-l.since < interval {
		return
	}
	l.rate = (l.rate + float64(l.verifies)*float64(interval)/float64(now-l.since)) / 2
	if l.rate < seldom {
		l.rate = 0
	}
	l.verifies, l.since = 0, now
}

// cluster returns these polls as load that is there whatever levels are chosen. Sizes are often known
// after the first poll only, so each counts as one at a channel of mean size.
func (l *outOfTurn) cluster() honeycomb.Cluster {
	if l.rate == 0 {
		return honeycomb.Cluster{}
	}
	load := uint64(l.rate * l.n.meanSize())
	return honeycomb.Cluster{Channels: 1, Size: load, Load: load}
}

// meanSize returns what a poll of the channels that this node is primary of costs on average.
func (n *planner) meanSize() float64 {
	sum, count := 0., 0
	for _, o := range n.node.roster.owned.list {
		if o.primary {
			sum += float64(n.cluster(n.factors(o), 1).Size)
			count++
		}
	}
	return sum / float64(max(1, count))
}
