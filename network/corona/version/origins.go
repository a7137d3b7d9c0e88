package version

import (
	"math"
	"time"

	"tidings/network/engine"
)

// origins is what this node asks of origins out of turn, because others have said something, and what origins ask for.
type origins struct {
	*core
	asked newest[wish] // what origins have asked this node for
}

// wish is how much time an origin wants between polls, and when this node was told so.
type wish struct{ interval, at time.Duration }

// wantsFew reports whether an origin wants a least time between polls. It has asked this node for it. Of a channel that nobody reads here, which this node makes
// versions of in the primary's place, the word of the other owners will do: a poll to make sure would be one too many.
func (n *origins) wantsFew(channel engine.ID) bool {
	if n.asked.of[channel].interval > 0 {
		return true
	}
	o := n.find(channel)
	return o != nil && o.limit.Interval > 0 && !n.reads(channel)
}

// wantsFewer reports whether this node alone would poll an origin too soon.
func (n *origins) wantsFewer(channel engine.ID) bool {
	a, ok := n.asked.of[channel]
	return ok && n.Env.Now() < a.at+a.interval
}

// Bounds of how long an origin can keep itself from being polled by Retry-After.
const (
	MinWait = time.Minute
	MaxWait = 24 * time.Hour
)

// VerifiesPerSet is how many polls out of turn the primary of a channel makes in an interval, where the load of hosts is bounded: twice that in some. Where
// more nodes poll, it is as many as they are: each may find a change in its turn. Turns are skipped for such polls (Plan.Rest).
const VerifiesPerSet = freeChecks

// verify has this node, who judges what is found, poll the origin once; false: there were enough such polls in this interval. Who does the primary's work, and
// does not poll the channel, has the polls of whoever lacks a version.
func (n *origins) verify(o *record) bool {
	n.duties.relay(o)
	if n.Ceilings.Hosted() {
		alone, certified := n.Ceilings.Certified(o.ID())
		if !certified {
			return !o.Primary() && n.pollForGap(o.Channel())
		}
		most := max(VerifiesPerSet, n.pollers(o))
		if alone || !o.remember().verifies.take(n.Env.Now(), n.config.Interval, most) {
			return n.LimitHit("polls", most)
		}
	}
	n.Poller.Verify(o.Channel())
	return true
}

// pollForGap has this node poll the origin for a version that it lacks. It returns false if that would be too much for the host.
func (n *origins) pollForGap(c Channel) bool {
	if n.Ceilings.Hosted() && !n.Ceilings.TakeGapPoll(c) {
		return false
	}
	n.Poller.Verify(c)
	return true
}

// pollsAlone reports whether this node is a primary whose host lets nobody else poll: its poll has to do, and there is one version an interval at most.
func (n *origins) pollsAlone(o *record) bool {
	return n.Ceilings.Hosted() && o.Primary() && n.Ceilings.PollsAlone(o.ID())
}

// verifiesWanted returns how many polls out of turn a primary claims, in an interval, beside one that hosts have to spare: enough for nearly all intervals, if changes
// come at random; where there were several lately, one more than that.
func (n *origins) verifiesWanted(o *record) uint8 {
	now, interval := n.Env.Now(), n.config.Interval
	changes := float64(interval) / float64(o.estimate.interval(now, interval))
	wanted := int(changes + 2*math.Sqrt(changes))
	if o.contents != nil {
		if most := o.contents.verifies.most(now, interval); most > 1 {
			wanted = max(wanted, most+1)
		}
	}
	return uint8(min(wanted, VerifiesPerSet))
}

// learn deals with what an origin has asked this node for. ok: the request was answered.
func (n *origins) learn(channel engine.ID, wait, interval time.Duration, ok bool) {
	switch {
	case interval > 0:
		n.asked.put(channel, wish{min(interval, MaxWait), n.Env.Now()})
	case ok:
		n.asked.drop(channel)
	}
	if o := n.find(channel); o != nil && o.Primary() {
		if wait > 0 {
			wait = max(wait, MinWait)
		}
		if ok {
			n.set(o, wait, min(max(interval, 0), MaxWait))
		} else {
			n.limit(o, wait, interval)
		}
		return
	}
	if _, polled := n.Plan.Polled(channel); polled && (wait > 0 || interval > 0 && n.Plan.Limits(channel).Interval != min(interval, MaxWait)) {
		n.Ring.Route(channel, &Limit{Channel: channel, Wait: inSeconds(wait), Interval: inSeconds(interval)})
	}
}

// takeLimit deals with what an origin has asked another node for, as that one says. All wait, for a polling interval at most, and then poll in their turn before
// another is believed: for more this node asks the origin itself, lest lying nodes keep all away.
func (n *origins) takeLimit(key engine.ID, m *Limit) {
	o := n.find(key)
	if o == nil || !o.Primary() || m.Channel != key || n.pollsAlone(o) {
		return
	}
	wait, interval := time.Duration(m.Wait)*time.Second, time.Duration(m.Interval)*time.Second
	now := n.Env.Now()
	asks := wait > n.config.Interval && now+wait > o.limit.NotBefore+MinWait || interval != o.limit.Interval
	if wait > 0 && o.remember().waits.take(now, 2*n.config.Interval, 1) {
		n.limit(o, min(max(wait, MinWait), n.config.Interval), 0)
	}
	if asks && o.remember().limitChecks.take(now, n.config.Interval, freeChecks) {
		n.verify(o)
	}
}

// limit keeps to limits, the stricter of those known.
func (n *origins) limit(o *record, wait, interval time.Duration) {
	n.set(o, wait, max(o.limit.Interval, min(interval, MaxWait)))
}

// set keeps to a least interval, and to a wait if that ends later than the one known.
func (n *origins) set(o *record, wait, interval time.Duration) {
	l := o.limit
	if wait > 0 {
		l.NotBefore = max(l.NotBefore, n.Env.Now()+min(wait, MaxWait))
	}
	if l.Interval = interval; l == o.limit {
		return
	}
	o.limit = l
	n.Env.Trace(Limited{o.ID(), max(0, l.NotBefore-n.Env.Now()), l.Interval})
	n.Host.Limited(o.ID(), wait > 0)
}
