package roster

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// How own subscriptions are sent.
const (
	announcePause     = 100 * time.Millisecond // between two goes, so that messages fill
	announceRetry     = 4 * time.Second        // until it is sent again, the first time; then doubled
	announceSlow      = 10 * time.Minute       // the most
	maxDisowned       = 1 << 20                // own subscriptions, beyond which none of others is taken back
	triesUntilSuspect = 5                      // after two minutes
	triesByPrimary    = 2                      // then a subscription bypasses the primary; see AlternateKey
)

// announce has the owners told of a subscription that has changed.
func (n *subscriptions) announce(s *subscription) {
	n.settled(s)
	s.stamp, s.tries, s.acked = n.stamp(), 0, false
	n.sendAt(s, n.Env.Now())
}

// stamp returns a stamp above all that this node has given. It follows the calendar so that it grows through restarts; where the calendar was put back, the
// owners tell (Acknowledged.Stamp).
func (n *subscriptions) stamp() uint64 {
	n.clock = max(n.clock+1, uint64(max(n.Env.Wall().UnixMilli(), 0)))
	return n.clock
}

// forgetClock has stamps follow the calendar again: the owners take none that are as far ahead as this node's, which it was told by somebody who has lied, or
// when its calendar was wrong. If the owners do hold a higher one they say so.
func (n *subscriptions) forgetClock() bool {
	now := n.Env.Now()
	if n.forgot > 0 && now < n.forgot+announceSlow {
		return false
	}
	n.clock, n.forgot = 0, now
	return true
}

// sendAt has a subscription sent that is not under way.
func (n *subscriptions) sendAt(s *subscription, at time.Duration) {
	s.at = at
	n.agenda.Put(s)
	n.wakeAnnounce(at)
}

func (n *subscriptions) wakeAnnounce(at time.Duration) {
	n.alarm.Soon(n.Env, max(at, n.Env.Now()+announcePause), n.announceDue)
}

// settled takes a subscription off those under way.
func (n *subscriptions) settled(s *subscription) {
	if s.sent {
		s.sent = false
		n.flights.Remove(s)
	}
}

// announceDue sends the subscriptions that are due, as many as may be under way.
func (n *subscriptions) announceDue() {
	now := n.Env.Now()
	if !n.Ring.Active() {
		n.wakeAnnounce(now + time.Second)
		return
	}
	for s, ok := n.flights.Next(); ok && s.at <= now; s, ok = n.flights.Next() {
		n.unanswered(s)
	}
	var out announcements
	for s, ok := n.agenda.Next(); ok && s.at <= now && n.flights.Len() < n.config.MaxUnacked; s, ok = n.agenda.Next() {
		n.sendNow(s, &out)
	}
	out.send(n)
	n.wakeForNext()
}

// unanswered has a subscription sent again later, as no answer came. Meanwhile it is not one of those under way: others have its place, whose owners may
// answer.
func (n *subscriptions) unanswered(s *subscription) {
	n.settled(s)
	s.home = engine.Peer{}
	more := min(announceRetry<<min(s.tries-1, 10), announceSlow) - announceRetry
	n.sendAt(s, s.at+more+n.Chance(more/4+1))
}

// wakeForNext has announceDue called when there is something for it to do.
func (n *subscriptions) wakeForNext() {
	if s, ok := n.flights.Next(); ok {
		n.wakeAnnounce(s.at)
	}
	if n.flights.Len() >= n.config.MaxUnacked {
		return // an answer, or the end of the wait for one, makes room
	}
	if s, ok := n.agenda.Next(); ok {
		n.wakeAnnounce(s.at)
	}
}

// sendNow sends a subscription, and again if nobody acknowledges it.
func (n *subscriptions) sendNow(s *subscription, out *announcements) {
	if s.tries == 0 && s.acked { // a renewal
		s.stamp = n.stamp()
	}
	if s.tries < 100 {
		s.tries++
	}
	if s.tries == triesUntilSuspect {
		n.host.Silent(s.channel.ID, true)
	}
	n.agenda.Remove(s)
	s.sent, s.at = true, n.Env.Now()+announceRetry+n.Ring.Patience()+n.Chance(announceRetry/4)
	n.flights.Put(s)
	out.add(n, s)
}

// subscribed takes acknowledgements.
func (n *subscriptions) subscribed(from engine.Peer, m *Subscribed) {
	for _, a := range m.Entries {
		n.acknowledged(from, a)
	}
	n.wakeForNext()
}

func (n *subscriptions) acknowledged(from engine.Peer, a Acknowledged) {
	s := n.wanted(a.Channel, a.Outside)
	switch {
	case a.Stamp > maxStamp/2:
		return
	case s == nil:
		if a.Count > 0 && !a.Refused {
			n.Disown(a.Channel, a.Outside, a.Stamp)
		}
		return
	case a.Stamp > s.stamp: // given before this node lost count, or by somebody else in its name
		n.clock = max(n.clock, a.Stamp)
		n.announce(s)
		return
	case a.Stamp < s.stamp:
		return // of what has changed since
	case a.Refused && a.Stamp > n.latestStamp() && n.forgetClock():
		n.announce(s)
		return
	}
	n.settled(s)
	told := Acknowledgement{a.Channel, a.Outside, int(s.count), a.Refused, a.Version}
	n.Env.Trace(told)
	if s.count == 0 {
		n.end(s)
		n.host.Acknowledged(from, told, false)
		return
	}
	if s.tries >= triesUntilSuspect {
		n.host.Silent(a.Channel, false)
	}
	s.tries, s.acked = 0, !a.Refused
	n.host.Acknowledged(from, told, a.Routed)
	s.home = from
	n.host.Homed(a.Channel)
	n.sendAt(s, n.renewal(from.ID))
}

// Disown tells the owners of a channel that this node has no subscription that they hold, with this stamp or less: somebody has made it in this node's name,
// or the node has forgotten it.
func (n *subscriptions) Disown(channel engine.ID, outside string, stamp uint64) {
	if n.agenda.Len()+n.flights.Len() >= maxDisowned {
		n.LimitHit("maxDisowned", maxDisowned)
		return
	}
	n.clock = max(n.clock, stamp)
	n.announce(n.begin(machine.Channel{ID: channel}, outside))
}
