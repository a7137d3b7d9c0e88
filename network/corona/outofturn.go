package corona

import (
	"time"

	"tidings/network/honeycomb"
)

// outOfTurn is the Poller, and counts what it is asked for out of turn: a primary looks itself
// before it believes what others have found. That is load, and not little where channels change
// often: as nobody chooses it, it counts as fixed.
type outOfTurn struct {
	Poller
	n     *Node
	load  uint64        // since
	since time.Duration // by Env.Now
	rate  uint64        // load in a polling interval, as of late
}

// Check implements Poller.
func (l *outOfTurn) Check(c Channel) {
	var f honeycomb.Factors
	if o := l.n.find(c.ID); o != nil {
		f.Size = o.size
	}
	l.load += l.n.cluster(f, 1).Size
	l.Poller.Check(c)
}

// count brings the rate up to date, once an interval at most. Half of what was stays.
func (l *outOfTurn) count() {
	now, interval := l.n.env.Now(), l.n.config.Interval
	if now-l.since < interval {
		return
	}
	l.rate = (l.rate + uint64(float64(l.load)*float64(interval)/float64(now-l.since))) / 2
	l.load, l.since = 0, now
}

// cluster returns the looks as load that is there whatever levels are chosen.
func (l *outOfTurn) cluster() honeycomb.Cluster {
	if l.rate == 0 {
		return honeycomb.Cluster{}
	}
	return honeycomb.Cluster{Channels: 1, Size: l.rate, Load: l.rate}
}
