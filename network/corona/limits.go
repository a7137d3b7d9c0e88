package corona

import (
	"time"

	"tidings/network/engine"
)

// Bounds of how long an origin can keep itself from being polled by Retry-After.
const (
	minWait = time.Minute
	maxWait = 24 * time.Hour
)

// learnLimits deals with what an origin has asked this node for. ok: the request was answered.
func (n *versioner) learnLimits(channel engine.ID, wait, interval time.Duration, ok bool) {
	if o := n.node.roster.Find(channel); o != nil && o.Primary() {
		n.heed(o, wait, interval, ok)
		return
	}
	if n.node.polls(channel) && (wait > 0 || interval > 0 && n.node.plan.Limits(channel).Interval != min(interval, maxWait)) {
		n.Ring.Route(channel, &Limit{Channel: channel, Wait: inSeconds(wait), Interval: inSeconds(interval)})
	}
}

// heed has all pollers of a channel keep to what its origin has asked this node for, its primary.
func (n *versioner) heed(o *owned, wait, interval time.Duration, ok bool) {
	if wait > 0 {
		wait = max(wait, minWait)
	}
	if ok {
		n.setLimits(o, wait, min(max(interval, 0), maxWait))
		return
	}
	n.limit(o, wait, interval)
}

// takeLimit deals with what an origin has asked another node for, as that one says. All wait at
// once, though for no longer than a polling interval, and then this node polls in its turn before
// another is believed: for more than that it asks the origin itself, lest lying nodes keep all away.
func (n *versioner) takeLimit(key engine.ID, m *Limit) {
	o := n.node.roster.Find(key)
	if o == nil || !o.Primary() || m.Channel != key || n.pollsAlone(o) {
		return
	}
	wait, interval := time.Duration(m.Wait)*time.Second, time.Duration(m.Interval)*time.Second
	now := n.Env.Now()
	asks := wait > n.config.Interval && now+wait > o.limit.NotBefore+minWait || interval != o.limit.Interval
	if wait > 0 && o.remember().waits.take(now, 2*n.config.Interval, 1) {
		n.limit(o, min(max(wait, minWait), n.config.Interval), 0)
	}
	if asks && o.remember().limitChecks.take(now, n.config.Interval, freeChecks) {
		n.verify(o)
	}
}

// limit keeps to limits, the stricter of those known.
func (n *versioner) limit(o *owned, wait, interval time.Duration) {
	n.setLimits(o, wait, max(o.limit.Interval, min(interval, maxWait)))
}

// setLimits keeps to a least interval, and to a wait if that ends later than the one known.
func (n *versioner) setLimits(o *owned, wait, interval time.Duration) {
	l := o.limit
	if wait > 0 {
		l.NotBefore = max(l.NotBefore, n.Env.Now()+min(wait, maxWait))
	}
	l.Interval = interval
	if l == o.limit {
		return
	}
	o.limit = l
	n.Env.Trace(Limited{o.ID(), max(0, l.NotBefore-n.Env.Now()), l.Interval})
	n.node.plan.Renew(o.ID(), false)
	if wait > 0 {
		n.node.budget.HostWaits(o.ID())
	}
}
