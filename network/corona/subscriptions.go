package corona

import (
	"time"

	"tidings/network/engine"
	"tidings/network/table"
)

// subscriptions are what this node wants of others, for itself and for addresses outside.
type subscriptions struct {
	index   table.Index[*subscription]  // the first of each channel; the others hang on it
	outside map[spokenFor]*subscription // those of addresses outside
	homes   map[engine.ID]*home         // primaries that have acknowledged
	agenda  table.Agenda[*subscription] // those that are to be sent
	flights table.Agenda[*subscription] // all others: an answer is waited for
	alarm   engine.Alarm
	clock   uint64                  // the highest stamp so far
	onHome  func(channel engine.ID) // told who has acknowledged a subscription anew; may be nil
	forgot  time.Duration           // when the clock was put back to the calendar last
}

// spokenFor is an address outside for which this node speaks, and a channel.
type spokenFor struct {
	channel engine.ID
	outside string
}

// subscription is one of this node's own. It stays after it has ended until the owners have
// acknowledged that, and then goes.
type subscription struct {
	channel Channel
	outside string
	at      time.Duration // when it is to be sent next, or its answer is given up

	previous, next *subscription // of the same channel
	stamp          uint64
	count          uint32
	acked          bool  // the owners have it, or had it before a renewal
	sent           bool  // and an answer is waited for
	tries          uint8 // in a row that were not answered
	home           *home // who acknowledged it; nil: nobody, or nobody that still answers
	slot           int32 // in the agenda, or among the flights
}

// home is the primary of some of this node's subscriptions.
type home struct {
	peer          engine.Peer
	subscriptions int
}

func (s *subscription) ID() engine.ID { return s.channel.ID }

func (s *subscription) AgendaSlot() *int32 { return &s.slot }

// before has those of one moment follow the ring, so that neighbours go in one message.
func (s *subscription) Before(t *subscription) bool {
	if s.at != t.at {
		return s.at < t.at
	}
	if c := s.channel.ID.Compare(t.channel.ID); c != 0 {
		return c < 0
	}
	return s.outside < t.outside
}

func (n *roster) startSubscriptions() {
	n.subscriptions.index.Seed = n.Seed
	n.subscriptions.outside = make(map[spokenFor]*subscription)
	n.subscriptions.homes = make(map[engine.ID]*home)
}

// Subscribe has this node counted among a channel's subscribers, for so many readers, and be told
// of its updates. With an address outside it speaks for that. It can be called again to change
// count; a count below one ends the subscription. How many subscriptions there are is the
// caller's to bound.
func (n *roster) Subscribe(c Channel, outside string, count int) {
	if count < 1 {
		n.Unsubscribe(c.ID, outside)
		return
	}
	s := n.wanted(c.ID, outside)
	switch {
	case s == nil:
		s = n.begin(c, outside)
	case int(s.count) == count:
		return
	}
	s.count = uint32(min(count, 1<<31))
	n.announce(s)
}

// Unsubscribe ends a subscription.
func (n *roster) Unsubscribe(channel engine.ID, outside string) {
	s := n.wanted(channel, outside)
	if s == nil || s.count == 0 {
		return
	}
	s.count = 0
	n.announce(s)
	if !n.Subscribed(channel) {
		n.node.version.dissemination.leave(channel)
	}
}

// Subscribed reports whether this node has a subscription to a channel.
func (n *roster) Subscribed(channel engine.ID) bool {
	for s := n.subscriptions.index.Get(channel); s != nil; s = s.next {
		if s.count > 0 {
			return true
		}
	}
	return false
}

// Unacknowledged returns how many own subscriptions the owners are not known to have.
func (n *roster) Unacknowledged() (count int) {
	for _, list := range [][]*subscription{n.subscriptions.agenda.All(), n.subscriptions.flights.All()} {
		for _, s := range list {
			if !s.acked {
				count++
			}
		}
	}
	return count
}

// wanted returns a subscription, nil if there is none.
func (n *roster) wanted(channel engine.ID, outside string) *subscription {
	if outside != "" {
		return n.subscriptions.outside[spokenFor{channel, outside}]
	}
	if s := n.subscriptions.index.Get(channel); s != nil && s.outside == "" {
		return s
	}
	return nil
}

// begin makes a subscription. The node's own is the first of a channel.
func (n *roster) begin(c Channel, outside string) *subscription {
	s := &subscription{channel: c, outside: outside}
	if outside != "" {
		n.subscriptions.outside[spokenFor{c.ID, outside}] = s
	}
	first := n.subscriptions.index.Get(c.ID)
	if first != nil && first.outside == "" {
		s.previous, s.next, first.next = first, first.next, s
	} else {
		s.next = first
		n.subscriptions.index.Set(c.ID, s)
	}
	if s.next != nil {
		s.next.previous = s
	}
	return s
}

// end forgets a subscription that has ended.
func (n *roster) end(s *subscription) {
	n.setHome(s, nil)
	n.settled(s)
	n.subscriptions.agenda.Remove(s)
	if s.next != nil {
		s.next.previous = s.previous
	}
	switch {
	case s.previous != nil:
		s.previous.next = s.next
	case s.next != nil:
		n.subscriptions.index.Set(s.channel.ID, s.next)
	default:
		n.subscriptions.index.Remove(s.channel.ID)
	}
	if s.outside != "" {
		delete(n.subscriptions.outside, spokenFor{s.channel.ID, s.outside})
	}
}

// lostHome renews, soon, the subscriptions that a lost peer has acknowledged: another node may
// have taken its place, and knows of them unless all owners are lost.
func (n *roster) lostHome(p engine.Peer) {
	h := n.subscriptions.homes[p.ID]
	if h == nil || h.peer != p {
		return
	}
	var of []*subscription
	for _, s := range n.subscriptions.agenda.All() {
		if s.home == h && s.acked {
			of = append(of, s)
		}
	}
	at := n.Env.Now() + n.Chance(lostHomeWithin)
	for _, s := range of {
		n.setHome(s, nil)
		n.sendAt(s, at)
	}
}

// lostHomeWithin is how soon lostHome acts. The ring takes as long to mend.
const lostHomeWithin = time.Minute

// setHome notes whom a subscription is sent to.
func (n *roster) setHome(s *subscription, p *engine.Peer) {
	homes := n.subscriptions.homes
	if s.home != nil {
		if s.home.subscriptions--; s.home.subscriptions == 0 {
			delete(homes, s.home.peer.ID)
		}
		s.home = nil
	}
	if p == nil {
		return
	}
	h := homes[p.ID]
	if h == nil {
		h = &home{}
		homes[p.ID] = h
	}
	h.peer = *p
	h.subscriptions++
	s.home = h
	if f := n.subscriptions.onHome; f != nil {
		f(s.channel.ID)
	}
}
