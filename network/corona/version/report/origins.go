package report

import (
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/table"
)

// origins makes polls out of turn that other nodes cause, and records what origins ask for.
type origins struct {
	around
	records table.Index[*record] // of the channels that are owned here
	asked   table.Newest[wish]   // what origins have asked of this node
}

// wish is the time that an origin wants between polls, and when this node learned it.
type wish struct{ interval, at time.Duration }

// find returns the record of a channel, or nil if it is not owned here.
func (n *origins) find(channel engine.ID) *record { return n.records.Get(channel) }

// pollers returns how many nodes poll a channel that this node leads.
func (n *origins) pollers(o *record) int {
	pollers, _ := n.Plan.Pollers(o.ID())
	return int(pollers)
}

// WantsFew reports whether an origin has asked this node for a least time between polls. This node may make versions in
// the primary's place of a channel without readers here. Then the word of the other owners suffices: a poll to check it
// would be one too many.
func (n *origins) WantsFew(channel engine.ID) bool {
	if asked, _ := n.asked.Get(channel); asked.interval > 0 {
		return true
	}
	o := n.find(channel)
	return o != nil && o.limit.Interval > 0 && n.Readers(channel) == 0
}

// WantsFewer reports whether a poll by this node would be too soon for an origin.
func (n *origins) WantsFewer(channel engine.ID) bool {
	a, ok := n.asked.Get(channel)
	return ok && n.Env.Now() < a.at+a.interval
}

// Bounds of how long Retry-After can keep an origin from being polled.
const (
	MinWait = time.Minute
	MaxWait = 24 * time.Hour
)

// VerifiesPerSet is how many polls out of turn the primary of a channel makes in an interval, if the load of hosts is
// bounded. In some intervals it makes twice as many. If more nodes poll, it is their number: each may find a change in
// its turn. Turns are skipped for such polls (Plan.Rest).
const VerifiesPerSet = FreeChecks

// verify polls the origin once, to check a report. It returns false if there were enough such polls in this interval. A
// node that acts for the primary, and does not poll the channel, uses the polls for missing versions.
func (n *origins) verify(o *record) bool {
	n.Host.Relay(o.ID())
	if n.Ceilings.Hosted() {
		if !n.Ceilings.MayCheck(o.ID()) {
			return !o.Primary() && n.PollForGap(o.Channel())
		}
		most := max(VerifiesPerSet, n.pollers(o))
		if n.pollsAlone(o) || !o.remember().verifies.Spend(n.Env.Now(), n.config.Interval, most) {
			return n.LimitHit("polls", most)
		}
	}
	n.Host.Poll(o.Channel())
	return true
}

// PollForGap polls the origin for a missing version. It returns false if that would be too much for the host.
func (n *origins) PollForGap(c update.Channel) bool {
	if n.Ceilings.Hosted() && !n.Ceilings.ReserveGapPoll(c) {
		return false
	}
	n.Host.Poll(c)
	return true
}

// pollsAlone reports whether this node is a primary, and its host lets no other node poll. Its poll has to suffice, and
// there is at most one version an interval.
func (n *origins) pollsAlone(o *record) bool {
	return n.Ceilings.Hosted() && o.Primary() && n.Ceilings.PollsAlone(o.ID())
}

// Learn handles what an origin has asked of this node. ok: the request was answered.
func (n *origins) Learn(channel engine.ID, wait, interval time.Duration, ok bool) {
	switch {
	case interval > 0:
		n.asked.Put(channel, wish{min(interval, MaxWait), n.Env.Now()})
	case ok:
		n.asked.Drop(channel)
	}
	if o := n.find(channel); o != nil && o.Primary() {
		if wait > 0 {
			wait = max(wait, MinWait)
		}
		if w := o.contents; w != nil && w.checking > 0 {
			if ok && wait == 0 && interval == o.limit.Interval {
				w.inVain = w.checking // another report would most likely be as false
			}
			w.checking = 0
		}
		if ok {
			n.set(o, wait, min(max(interval, 0), MaxWait))
		} else {
			n.tighten(o, wait, interval)
		}
		return
	}
	if _, polled := n.Plan.Polled(channel); polled &&
		(wait > 0 || interval > 0 && n.Plan.Limits(channel).Interval != min(interval, MaxWait)) {
		n.Ring.Route(channel, &Limit{Channel: channel, Wait: inSeconds(wait), Interval: inSeconds(interval)})
	}
}

// limitPatience is how long a poll that checks a limit may be under way. After that another report begins another.
const limitPatience = time.Minute

// ReceiveLimit handles what an origin has asked of another node, by that node's report. All nodes wait, for at most a
// polling interval, and then poll in their turn before another report is believed. For longer this node asks the origin
// itself, or lying nodes could keep all away.
func (n *origins) ReceiveLimit(key engine.ID, m *Limit) {
	o := n.find(key)
	if o == nil || !o.Primary() || m.Channel != key || n.pollsAlone(o) {
		return
	}
	wait, interval := time.Duration(m.Wait)*time.Second, time.Duration(m.Interval)*time.Second
	now := n.Env.Now()
	asks := wait > n.config.Interval && now+wait > o.limit.NotBefore+MinWait || interval != o.limit.Interval
	if wait > 0 && o.remember().waits.Spend(now, 2*n.config.Interval, 1) {
		n.tighten(o, min(max(wait, MinWait), n.config.Interval), 0)
	}
	w := o.remember()
	underWay := w.checking > 0 && now < w.checking+limitPatience // its outcome shows this, too
	if asks && !underWay && (w.inVain == 0 || now >= w.inVain+n.config.Interval) &&
		w.limitChecks.Spend(now, n.config.Interval, FreeChecks) && n.verify(o) {
		w.checking = now
	}
}

// tighten applies limits, the stricter of these and the known ones.
func (n *origins) tighten(o *record, wait, interval time.Duration) {
	n.set(o, wait, max(o.limit.Interval, min(interval, MaxWait)))
}

// set applies a least interval, and a wait if that ends later than the known one.
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

// inSeconds returns a duration in whole seconds, rounded up and bounded by what a message can hold.
func inSeconds(d time.Duration) uint32 {
	return uint32(min(max(0, (d+time.Second-1)/time.Second), 1<<31))
}

// makes reports whether this node makes versions of a channel.
func (n *origins) makes(o *record) bool { return !o.Gone() && n.Host.Makes(o.ID()) }
