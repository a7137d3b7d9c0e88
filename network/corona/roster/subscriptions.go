package roster

import (
	"cmp"
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/table"
)

// subscriptions are this node's own, for itself and for addresses outside.
type subscriptions struct {
	machine.Base
	host    Host
	config  *Config
	index   table.Index[*followed]
	agenda  table.Agenda[*subscription] // to be sent
	flights table.Agenda[*subscription] // all others: awaiting an answer
	alarm   engine.Alarm
	clock   uint64        // the highest stamp so far
	forgot  time.Duration // when the clock was last set back to the calendar
	moves   engine.Bucket // renewals because another node claims to be the primary
}

// followed is a channel of own subscriptions.
type followed struct {
	id engine.ID
	of []*subscription // by address outside: the node's own is the first; never empty
}

func (f *followed) ID() engine.ID { return f.id }

func (f *followed) find(outside string) (int, bool) {
	return slices.BinarySearchFunc(f.of, outside,
		func(s *subscription, outside string) int { return cmp.Compare(s.outside, outside) })
}

// subscription is one of this node's own. When it has ended it stays until the owners have acknowledged that.
type subscription struct {
	channel machine.Channel
	outside string
	at      time.Duration // when it is sent next, or no longer awaits its answer

	stamp uint64
	count uint32
	acked bool        // the owners have it, or had it before a renewal
	sent  bool        // and awaits an answer
	tries uint8       // in a row that were not answered
	home  engine.Peer // the node that acknowledged it; zero: none, or none that still answers
	slot  int32       // in the agenda, or among the flights
}

func (s *subscription) AgendaSlot() *int32 { return &s.slot }

// Before orders those that are due together by the ring, so that neighbours go in one message.
func (s *subscription) Before(t *subscription) bool {
	if s.at != t.at {
		return s.at < t.at
	}
	if c := s.channel.ID.Compare(t.channel.ID); c != 0 {
		return c < 0
	}
	return s.outside < t.outside
}

func newSubscriptions(base machine.Base, host Host, config *Config) *subscriptions {
	n := &subscriptions{Base: base, host: host, config: config, moves: engine.NewBucket(moveRate, moveBurst)}
	n.index.Seed = base.Seed
	return n
}

// Subscribe counts this node among a channel's subscribers, with so many readers, for its updates. With an address
// outside it speaks for that. It can be called again to change count; a count below one ends the subscription. The
// caller bounds the number of subscriptions.
func (n *subscriptions) Subscribe(c machine.Channel, outside string, count int) {
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
	s.channel, s.count = c, uint32(min(count, 1<<31)) // the URL of a disowned one is unknown
	n.announce(s)
}

// Unsubscribe ends a subscription.
func (n *subscriptions) Unsubscribe(channel engine.ID, outside string) {
	s := n.wanted(channel, outside)
	if s == nil || s.count == 0 {
		return
	}
	s.count = 0
	n.announce(s)
	if !n.Subscribed(channel) {
		n.host.Unsubscribed(channel)
	}
}

// Subscribed reports whether this node has a subscription to a channel.
func (n *subscriptions) Subscribed(channel engine.ID) bool {
	return n.Readers(channel) > 0
}

// Readers returns for how many readers this node subscribes to a channel.
func (n *subscriptions) Readers(channel engine.ID) (readers int) {
	for _, s := range n.of(channel) {
		readers += int(s.count)
	}
	return readers
}

// Wanted returns a channel that this node subscribes to, or has unsubscribed from while the owners may still hold that.
// It returns false if there is none.
func (n *subscriptions) Wanted(channel engine.ID) (machine.Channel, bool) {
	if f := n.index.Get(channel); f != nil {
		return f.of[0].channel, true
	}
	return machine.Channel{}, false
}

// Home returns the primary that has acknowledged a subscription of this node to a channel; false if none has, or none
// that still answers.
func (n *subscriptions) Home(channel engine.ID) (engine.Peer, bool) {
	for _, s := range n.of(channel) {
		if !s.home.IsZero() {
			return s.home, true
		}
	}
	return engine.Peer{}, false
}

// Unacknowledged returns how many own subscriptions the owners are not known to have.
func (n *subscriptions) Unacknowledged() (count int) {
	for _, list := range [][]*subscription{n.agenda.All(), n.flights.All()} {
		for _, s := range list {
			if !s.acked {
				count++
			}
		}
	}
	return count
}

// of returns all subscriptions to a channel.
func (n *subscriptions) of(channel engine.ID) []*subscription {
	if f := n.index.Get(channel); f != nil {
		return f.of
	}
	return nil
}

// wanted returns a subscription, or nil.
func (n *subscriptions) wanted(channel engine.ID, outside string) *subscription {
	if f := n.index.Get(channel); f != nil {
		if i, ok := f.find(outside); ok {
			return f.of[i]
		}
	}
	return nil
}

// begin makes a subscription.
func (n *subscriptions) begin(c machine.Channel, outside string) *subscription {
	f := n.index.Get(c.ID)
	if f == nil {
		f = &followed{id: c.ID}
		n.index.Set(c.ID, f)
	}
	s := &subscription{channel: c, outside: outside}
	i, _ := f.find(outside)
	f.of = slices.Insert(f.of, i, s)
	return s
}

// end drops a subscription that has ended.
func (n *subscriptions) end(s *subscription) {
	n.settled(s)
	n.agenda.Remove(s)
	f := n.index.Get(s.channel.ID)
	i, _ := f.find(s.outside)
	if f.of = slices.Delete(f.of, i, i+1); len(f.of) == 0 {
		n.index.Remove(f.id)
	}
}
