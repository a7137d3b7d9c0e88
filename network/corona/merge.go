package corona

import (
	"time"

	"tidings/network/engine"
)

// outcome is what became of a subscription that came.
type outcome uint8

const (
	kept    outcome = iota // it is in the table, perhaps it was before
	stale                  // the table has a newer one
	refused                // a bound was reached
)

// maxStamp is the highest stamp that is taken: there is always a higher one for the next.
const maxStamp = 1<<63 - 1

// latestStamp is the highest stamp that is taken today. Stamps follow the subscribers' calendars: one
// that is far ahead would keep its subscriber from changing its mind until that day. Who has given
// it, as its calendar is wrong by more than a day, is refused and polls for itself meanwhile.
func (n *roster) latestStamp() uint64 {
	now := n.Env.Wall().Add(maxAhead)
	if now.Unix() < clockUnset {
		return maxStamp
	}
	return uint64(now.UnixMilli())
}

// merge puts a subscription into a channel's table.
func (n *roster) merge(o *owned, s *Subscription) outcome {
	if s.Stamp > n.latestStamp() || time.Duration(s.Age) > n.config.Forget/time.Second {
		return refused
	}
	subscribers := &n.owned.subscribers
	who, known := subscribers.find(subscriberKey{s.Node.ID, s.Outside})
	var i int
	if known {
		i, known = o.readers.find(who)
	}
	switch {
	case known && o.readers.entries[i].stamp > s.Stamp:
		return stale
	case !known && !n.hasRoom(o, s.Node.ID):
		return refused
	}
	age := min(time.Duration(s.Age)*time.Second, n.Env.Now())
	who = subscribers.of(s)
	e := entry{stamp: s.Stamp, who: who, count: s.Count, heard: seconds(n.Env.Now() - age)}
	before := o.readers.live
	if o.readers.put(subscribers, e, n.config.MaxCount) {
		o.readers.keepProof(who, s.Signature)
		o.touched = n.Env.Now()
		if !known {
			n.owned.entries++
		}
	}
	if (before == 0) != (o.readers.live == 0) {
		n.TellChange(o)
	}
	return kept
}

// store merges a subscription of a channel that may be new here.
func (n *roster) store(c Channel, s *Subscription) (*owned, outcome) {
	o := n.own(c)
	if o == nil {
		return nil, refused
	}
	result := n.merge(o, s)
	n.maybeForget(o)
	return o, result
}

// maybeForget forgets a channel of which nothing is known.
func (n *roster) maybeForget(o *owned) {
	if len(o.readers.entries) == 0 && o.version == 0 && o.stamp == 0 {
		n.forget(o)
	}
}

// hasRoom reports whether a channel's table takes one more entry of a node.
func (n *roster) hasRoom(o *owned, node engine.ID) bool {
	c := &n.config
	switch {
	case len(o.readers.entries) >= c.MaxSubscriptions:
		return n.LimitHit("MaxSubscriptions", c.MaxSubscriptions)
	case n.owned.entries >= c.MaxEntries:
		return n.LimitHit("MaxEntries", c.MaxEntries)
	}
	home, known := n.owned.subscribers.find(subscriberKey{node: node})
	if known && int(n.owned.subscribers.list[home].entries) >= c.MaxPerNode {
		return n.LimitHit("MaxPerNode", c.MaxPerNode)
	}
	return true
}

// removeEntry takes an entry out of a channel's table.
func (n *roster) removeEntry(o *owned, i int) {
	o.readers.remove(&n.owned.subscribers, i, n.config.MaxCount)
	n.owned.entries--
}

// subscription returns an entry as it travels.
func (n *roster) Subscription(o *owned, i int) Subscription {
	e := o.readers.entries[i]
	return Subscription{
		Node: n.owned.subscribers.peer(e.who), Outside: n.owned.subscribers.list[e.who].outside,
		Count: e.count, Stamp: e.stamp, Age: seconds(n.Env.Now()) - e.heard, Signature: o.readers.proof(i),
	}
}

// takeSubscribe takes subscriptions of channels that this node is the primary of, and passes the
// others on.
func (n *roster) takeSubscribe(m *Subscribe) {
	if !n.Ring.Active() {
		return
	}
	var rest []Wanted
	var own []named
	var wanted []*Wanted
	for i := range m.Wanted {
		w := &m.Wanted[i]
		if !n.IsSelf(n.closest(w.Channel)) && !(m.Hops >= maxPassed && n.Owns(w.Channel)) {
			rest = append(rest, *w)
			continue
		}
		s := w.of(m.Node)
		own, wanted = append(own, named{w.Channel, &s}), append(wanted, w)
	}
	n.checkSubscriptions(own, func(valid func(int) bool) {
		for i, w := range wanted {
			if valid(i) {
				n.take(m.Node, w)
			}
		}
		n.sendAcknowledgements()
	})
	n.handOn(m, rest)
}

// of returns the subscription as owners keep it.
func (w *Wanted) of(node engine.Peer) Subscription {
	return Subscription{Node: node, Outside: w.Outside, Count: w.Count, Stamp: w.Stamp, Signature: w.Signature}
}

// take stores a subscription as the primary.
func (n *roster) take(node engine.Peer, w *Wanted) {
	if n.owned.waiting >= maxReceipts {
		n.LimitHit("maxReceipts", maxReceipts)
		return // it will be asked again
	}
	s := w.of(node)
	answer := Acknowledged{Channel: w.Channel, Outside: w.Outside, Stamp: w.Stamp, Count: w.Count}
	var before entry
	var known bool
	if o := n.Find(w.Channel); o != nil {
		before, known = n.entryOf(o, node.ID, w.Outside)
	}
	o, result := n.store(Channel{ID: w.Channel, URL: w.URL}, &s)
	switch result {
	case refused:
		answer.Refused = true
		n.acknowledge(&receipt{to: node, answer: answer})
	case stale:
		e, _ := n.entryOf(o, node.ID, w.Outside)
		answer.Stamp, answer.Count = e.stamp, e.count
		n.acknowledge(&receipt{to: node, answer: answer})
	case kept:
		renewed := known && before.count == s.Count && before.stamp < s.Stamp
		n.copyToOwners(o, s, renewed)
	}
}

// entryOf returns the entry of a subscriber, if a channel has one.
func (n *roster) entryOf(o *owned, node engine.ID, outside string) (entry, bool) {
	if who, ok := n.owned.subscribers.find(subscriberKey{node, outside}); ok {
		if i, ok := o.readers.find(who); ok {
			return o.readers.entries[i], true
		}
	}
	return entry{}, false
}

// maxPassed is how often a Subscribe is passed on at most: nodes that differ about the ring could
// hand it to and fro. One that bypasses the primary has come so far; any owner takes it.
const maxPassed = 32

// handOn sends subscriptions on to the primaries of their channels: to neighbours directly, else
// by the ring. They come sorted by channel, so that those of one primary stand together.
func (n *roster) handOn(m *Subscribe, rest []Wanted) {
	if m.Hops >= maxPassed {
		if n.Keys != nil && m.Hops == maxPassed && len(rest) > 0 {
			n.node.version.SendToOwner(rest[0].Channel, &Subscribe{Node: m.Node, Wanted: rest, Hops: m.Hops + 1})
		}
		return
	}
	for len(rest) > 0 {
		owners, sure := n.Owners(rest[0].Channel, 1)
		next := &Subscribe{Node: m.Node, Wanted: rest, Hops: m.Hops + 1}
		if !sure || n.IsSelf(owners[0]) {
			n.Ring.Route(rest[0].Channel, next)
			return
		}
		same := 1
		for same < len(rest) && n.closest(rest[same].Channel).ID == owners[0].ID {
			same++
		}
		next.Wanted, rest = rest[:same], rest[same:]
		n.Env.Send(owners[0], next)
	}
}
