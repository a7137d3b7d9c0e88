package roster

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// How own subscriptions are sent.
const (
	announcePause     = 100 * time.Millisecond // between two batches, so that messages fill
	announceRetry     = 4 * time.Second        // until it is sent again, the first time; then doubled
	announceSlow      = 10 * time.Minute       // the longest wait
	maxDisowned       = 1 << 20                // own subscriptions beyond which no forged one is revoked
	triesUntilSuspect = 5                      // after two minutes
	triesByPrimary    = 2                      // then a subscription bypasses the primary; see AlternateKey
)

// announce sends a changed subscription to the owners.
func (n *subscriptions) announce(s *subscription) {
	n.settled(s)
	s.stamp, s.tries, s.acked = n.stamp(), 0, false
	n.sendAt(s, n.Env.Now())
}

// stamp returns a stamp above all earlier ones of this node. It follows the calendar so that it grows through restarts.
// If the calendar was set back, the owners report their stamp (Acknowledged.Stamp).
func (n *subscriptions) stamp() uint64 {
	n.clock = max(n.clock+1, uint64(max(n.Env.Wall().UnixMilli(), 0)))
	return n.clock
}

// forgetClock makes stamps follow the calendar again. Owners refuse stamps as far ahead as this node's, which come from
// a liar, or from a time when its calendar was wrong. If the owners do hold a higher one they report it.
func (n *subscriptions) forgetClock() bool {
	now := n.Env.Now()
	if n.forgot > 0 && now < n.forgot+announceSlow {
		return false
	}
	n.clock, n.forgot = 0, now
	return true
}

// sendAt schedules a subscription that is not under way.
func (n *subscriptions) sendAt(s *subscription, at time.Duration) {
	s.at = at
	n.agenda.Put(s)
	n.wakeAnnounce(at)
}

func (n *subscriptions) wakeAnnounce(at time.Duration) {
	n.alarm.Soon(n.Env, max(at, n.Env.Now()+announcePause), n.announceDue)
}

// settled removes a subscription from those under way.
func (n *subscriptions) settled(s *subscription) {
	if s.sent {
		s.sent = false
		n.flights.Remove(s)
	}
}

// announceDue sends the due subscriptions, as many as may be under way.
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

// unanswered schedules a subscription again, as no answer came. Meanwhile it is not under way: others use its place,
// whose owners may answer.
func (n *subscriptions) unanswered(s *subscription) {
	n.settled(s)
	s.home = engine.Peer{}
	more := min(announceRetry<<min(s.tries-1, 10), announceSlow) - announceRetry
	n.sendAt(s, s.at+more+n.Chance(more/4+1))
}

// wakeForNext schedules announceDue.
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

// sendNow sends a subscription, and schedules its repetition.
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

// subscribed handles acknowledgements.
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
	case a.Stamp > s.stamp: // of this node before it lost count, or forged
		n.clock = max(n.clock, a.Stamp)
		n.announce(s)
		return
	case a.Stamp < s.stamp:
		return // of an earlier state
	case a.Refused && a.Stamp > latestStamp(n.Env.Wall()) && n.forgetClock():
		n.announce(s)
		return
	}
	n.settled(s)
	event := Acknowledgement{a.Channel, a.Outside, int(s.count), a.Refused, a.Version}
	n.Env.Trace(event)
	if s.count == 0 {
		n.end(s)
		n.host.Acknowledged(from, event, false)
		return
	}
	if s.tries >= triesUntilSuspect {
		n.host.Silent(a.Channel, false)
	}
	s.tries, s.acked = 0, !a.Refused
	n.host.Acknowledged(from, event, a.Routed)
	s.home = from
	n.host.Homed(a.Channel)
	n.sendAt(s, n.renewal(from.ID))
}

// Disown revokes subscriptions with this stamp or less at the owners of a channel: they were forged, or this node has
// lost them.
func (n *subscriptions) Disown(channel engine.ID, outside string, stamp uint64) {
	if n.agenda.Len()+n.flights.Len() >= maxDisowned {
		n.LimitHit("maxDisowned", maxDisowned)
		return
	}
	n.clock = max(n.clock, stamp)
	n.announce(n.begin(machine.Channel{ID: channel}, outside))
}
