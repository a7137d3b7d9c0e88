package roster

import (
	"slices"
	"tidings/network/engine"
)

// intake is what a primary does about subscriptions that come: it stores them, has the other owners store them, and then acknowledges them.
type intake struct {
	*core
	tables     *tables
	dispatcher *dispatcher

	waiting int                   // receipts
	copies  batches[copied]       // that are to be sent
	flush   engine.Alarm          // sends them
	answers batches[Acknowledged] // that are about to be sent
}

// takeSubscribe takes subscriptions of channels that this node is the primary of, and passes the others on.
func (n *intake) takeSubscribe(m *Subscribe) {
	if !n.Ring.Active() {
		return
	}
	var rest []Wanted
	var own []named
	for _, w := range m.Wanted {
		if p, _ := n.primary(w.Channel); n.IsSelf(p) || m.Hops >= maxPassed && n.Owns(w.Channel) {
			own = append(own, w.of(m.Node))
		} else {
			rest = append(rest, w)
		}
	}
	n.tables.check(own, func(valid []named) {
		for _, s := range valid {
			n.take(s)
		}
		n.sendAcknowledgements()
	})
	n.handOn(m, rest)
}

// take stores a subscription as the primary.
func (n *intake) take(s named) {
	if n.waiting >= maxReceipts {
		n.LimitHit("maxReceipts", maxReceipts)
		return // it will be asked again
	}
	r := &receipt{to: s.Node, answer: Acknowledged{Channel: s.channel.ID, Outside: s.Outside, Stamp: s.Stamp, Count: s.Count}}
	before, known := n.tables.entryOf(n.tables.Find(s.channel.ID), s.Node.ID, s.Outside)
	o, result := n.tables.store(s.channel, s.Subscription)
	switch result {
	case refused:
		r.answer.Refused = true
		n.acknowledge(r)
	case stale:
		r.answer.Stamp, r.answer.Count = before.stamp, before.count
		n.acknowledge(r)
	case kept:
		n.copyToOwners(o, *s.Subscription, r, known && before.count == s.Count && before.stamp < s.Stamp)
	}
}

// maxPassed is how often a Subscribe is passed on at most: nodes that differ about the ring could hand it to and fro. One that bypasses the primary has come
// so far; any owner takes it.
const maxPassed = 32

// handOn sends subscriptions on to the primaries of their channels: to neighbours directly, else by the ring. They come sorted by channel, so that those of
// one primary stand together.
func (n *intake) handOn(m *Subscribe, rest []Wanted) {
	if m.Hops >= maxPassed {
		if n.Keys != nil && m.Hops == maxPassed && len(rest) > 0 {
			n.SendToOwner(rest[0].Channel, &Subscribe{Node: m.Node, Wanted: rest, Hops: m.Hops + 1})
		}
		return
	}
	for len(rest) > 0 {
		to, sure := n.primary(rest[0].Channel)
		next := &Subscribe{Node: m.Node, Wanted: rest, Hops: m.Hops + 1}
		if !sure || n.IsSelf(to) {
			n.Ring.Route(rest[0].Channel, next)
			return
		}
		same := slices.IndexFunc(rest, func(w Wanted) bool {
			p, _ := n.primary(w.Channel)
			return p.ID != to.ID
		})
		if same < 0 {
			same = len(rest)
		}
		next.Wanted, rest = rest[:same], rest[same:]
		n.Env.Send(to, next)
	}
}

// maxAnswers is how many acknowledgements a message takes.
const maxAnswers = 256

// acknowledge notes that a subscription's node is to be answered: by sendAcknowledgements.
func (n *intake) acknowledge(r *receipt) {
	if o := n.tables.Find(r.answer.Channel); o != nil {
		r.answer.Version, r.answer.Routed = o.version, n.host.Routed(o)
	}
	n.answers.add(r.to, r.answer, maxAnswers)
}

// sendAcknowledgements sends what acknowledge has noted.
func (n *intake) sendAcknowledgements() {
	for _, a := range n.answers {
		n.Env.Send(a.to, &Subscribed{a.list})
	}
	n.answers = nil
}
