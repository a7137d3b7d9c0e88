package corona

import (
	"encoding/binary"
	"time"

	"tidings/network/engine"
)

// How own subscriptions are sent.
const (
	announcePause     = 100 * time.Millisecond // between two goes, so that messages fill
	announceRetry     = 4 * time.Second        // until it is sent again, the first time; then doubled
	announceSlow      = 10 * time.Minute       // the most
	maxDisowned       = 1 << 20                // own subscriptions, beyond which none of others is taken back
	maxWanted         = 64                     // in a message
	triesUntilSuspect = 5                      // after two minutes
	triesByPrimary    = 2                      // then a subscription bypasses the primary; see bypass.go
	arc               = 8                      // nodes that a routed message visits at most, about
)

// announce has the owners told of a subscription that has changed.
func (n *roster) announce(s *subscription) {
	n.settled(s)
	s.stamp, s.tries, s.acked = n.stamp(), 0, false
	n.sendAt(s, n.Env.Now())
}

// stamp returns a stamp above all that this node has given. It follows the calendar so that it
// grows through restarts; where the calendar was put back, the owners tell (Acknowledged.Stamp).
func (n *roster) stamp() uint64 {
	s := &n.subscriptions
	s.clock = max(s.clock+1, uint64(max(n.Env.Wall().UnixMilli(), 0)))
	return s.clock
}

// forgetClock has stamps follow the calendar again: the owners take none that are as far ahead as
// this node's, which it was told by somebody who has lied, or when its calendar was wrong. If the
// owners do hold a higher one they say so.
func (n *roster) forgetClock() bool {
	s, now := &n.subscriptions, n.Env.Now()
	if s.forgot > 0 && now < s.forgot+announceSlow {
		return false
	}
	s.clock, s.forgot = 0, now
	return true
}

// sendAt has a subscription sent that is not under way.
func (n *roster) sendAt(s *subscription, at time.Duration) {
	s.at = at
	n.subscriptions.agenda.Put(s)
	n.wakeAnnounce(at)
}

func (n *roster) wakeAnnounce(at time.Duration) {
	n.subscriptions.alarm.Soon(n.Env, max(at, n.Env.Now()+announcePause), n.announceDue)
}

// settled takes a subscription off those under way.
func (n *roster) settled(s *subscription) {
	if s.sent {
		s.sent = false
		n.subscriptions.flights.Remove(s)
	}
}

// announceDue sends the subscriptions that are due, as many as may be under way.
func (n *roster) announceDue() {
	a, flights, now := &n.subscriptions.agenda, &n.subscriptions.flights, n.Env.Now()
	if !n.Ring.Active() {
		n.wakeAnnounce(now + time.Second)
		return
	}
	for s, ok := flights.Next(); ok && s.at <= now; s, ok = flights.Next() {
		n.unanswered(s)
	}
	var out announcements
	for s, ok := a.Next(); ok && s.at <= now && len(flights.All()) < n.config.MaxUnacked; s, ok = a.Next() {
		n.sendNow(s, &out)
	}
	out.send(n)
	n.wakeForNext()
}

// unanswered has a subscription sent again later, as no answer came. Meanwhile it is not one of those under way: others
// have its place, whose owners may answer.
func (n *roster) unanswered(s *subscription) {
	n.settled(s)
	n.setHome(s, nil)
	more := min(announceRetry<<min(s.tries-1, 10), announceSlow) - announceRetry
	n.sendAt(s, s.at+more+n.Chance(more/4+1))
}

// wakeForNext has announceDue called when there is something for it to do.
func (n *roster) wakeForNext() {
	if s, ok := n.subscriptions.flights.Next(); ok {
		n.wakeAnnounce(s.at)
	}
	if len(n.subscriptions.flights.All()) >= n.config.MaxUnacked {
		return // an answer, or the end of the wait for one, makes room
	}
	if s, ok := n.subscriptions.agenda.Next(); ok {
		n.wakeAnnounce(s.at)
	}
}

// sendNow sends a subscription, and again if nobody acknowledges it.
func (n *roster) sendNow(s *subscription, out *announcements) {
	if s.tries == 0 && s.acked { // a renewal
		s.stamp = n.stamp()
	}
	if s.tries < 100 {
		s.tries++
	}
	if s.tries == triesUntilSuspect {
		n.node.version.Suspect(s.channel.ID, Silent)
	}
	n.subscriptions.agenda.Remove(s)
	s.sent, s.at = true, n.Env.Now()+announceRetry+n.Ring.Patience()+n.Chance(announceRetry/4)
	n.subscriptions.flights.Put(s)
	out.add(n, s)
}

// subscribed takes acknowledgements.
func (n *roster) subscribed(from engine.Peer, m *Subscribed) {
	for _, a := range m.Entries {
		n.acknowledged(from, a)
	}
	n.wakeForNext()
}

func (n *roster) acknowledged(from engine.Peer, a Acknowledged) {
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
		n.subscriptions.clock = max(n.subscriptions.clock, a.Stamp)
		n.announce(s)
		return
	case a.Stamp < s.stamp:
		return // of what has changed since
	}
	if a.Refused && a.Stamp > n.latestStamp() && n.forgetClock() {
		n.announce(s)
		return
	}
	emit(n.core, n.listener.Acknowledged, Acknowledgement{a.Channel, a.Outside, int(s.count), a.Refused, a.Version})
	n.settled(s)
	if s.count == 0 {
		n.end(s)
		return
	}
	if s.tries >= triesUntilSuspect {
		n.node.version.Trust(a.Channel)
	}
	s.tries, s.acked = 0, !a.Refused
	n.node.version.dissemination.join(a.Channel, a.Routed)
	n.node.version.MaybeBehind(from, a.Channel, a.Version)
	if held, _ := n.library.Held(a.Channel); a.Version < held {
		n.node.version.MaybeAhead(from, a.Channel, a.Version)
	}
	n.setHome(s, &from)
	n.sendAt(s, n.renewal(from.ID))
}

// disown tells the owners of a channel that this node has no subscription that they hold, with
// this stamp or less: somebody has made it in this node's name, or the node has forgotten it.
func (n *roster) Disown(channel engine.ID, outside string, stamp uint64) {
	if len(n.subscriptions.agenda.All())+len(n.subscriptions.flights.All()) >= maxDisowned {
		n.LimitHit("maxDisowned", maxDisowned)
		return
	}
	n.subscriptions.clock = max(n.subscriptions.clock, stamp)
	n.announce(n.begin(Channel{ID: channel}, outside))
}

// renewal returns when subscriptions at an owner are to be renewed: all at the same time, in one
// message, and those at different owners and of different nodes at different times.
func (n *roster) renewal(owner engine.ID) time.Duration {
	self, every := n.Env.Self().ID, n.config.Renew
	hash := engine.Mix(binary.BigEndian.Uint64(self[:]) ^ engine.Mix(binary.BigEndian.Uint64(owner[:])))
	phase := time.Duration(hash % uint64(every))
	now := n.Env.Now()
	wait := ((phase-now)%every + every) % every
	if wait < every/8 {
		wait += every
	}
	return now + wait
}

// announcements are subscriptions on their way: to owners that are known, and over the ring.
type announcements struct {
	direct []*toHome
	routed []*Subscribe
}

type toHome struct {
	home *home
	m    *Subscribe
}

// add puts a subscription into a message. They come in the order of the ring.
func (out *announcements) add(n *roster, s *subscription) {
	w := Wanted{Channel: s.channel.ID, URL: s.channel.URL, Outside: s.outside, Count: s.count, Stamp: s.stamp}
	w.Signature = n.Sign(w.words())
	if s.home != nil {
		out.addDirect(n, s.home, w)
		return
	}
	if last := len(out.routed) - 1; last >= 0 {
		m := out.routed[last]
		if len(m.Wanted) < maxWanted && n.within(m.Wanted[0].Channel, w.Channel) {
			m.Wanted = append(m.Wanted, w)
			return
		}
	}
	out.routed = append(out.routed, &Subscribe{Node: n.Env.Self(), Wanted: []Wanted{w}})
}

func (out *announcements) addDirect(n *roster, h *home, w Wanted) {
	for i := len(out.direct) - 1; i >= 0; i-- {
		if d := out.direct[i]; d.home == h && len(d.m.Wanted) < maxWanted {
			d.m.Wanted = append(d.m.Wanted, w)
			return
		}
	}
	out.direct = append(out.direct, &toHome{h, &Subscribe{Node: n.Env.Self(), Wanted: []Wanted{w}}})
}

// within reports whether two channels lie on one short arc of the ring.
func (n *roster) within(a, b engine.ID) bool {
	return a.Distance(b).Position()*float64(n.Ring.Nodes()) < arc
}

func (out *announcements) send(n *roster) {
	for _, d := range out.direct {
		n.Env.Send(d.home.peer, d.m)
	}
	for _, m := range out.routed {
		to := m.Wanted[0].Channel
		if s := n.wanted(to, m.Wanted[0].Outside); n.Keys != nil && s != nil && s.tries > triesByPrimary {
			to, m.Hops = n.node.version.AlternateKey(to), maxPassed
		}
		n.Ring.Route(to, m)
	}
}
