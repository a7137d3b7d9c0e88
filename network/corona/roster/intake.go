package roster

import (
	"slices"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// intake handles subscriptions at a primary: it stores them, copies them to the other owners, and then acknowledges
// them.
type intake struct {
	machine.Base
	owners     *machine.Ownership
	host       Host
	config     *Config
	tables     *tables
	dispatcher *dispatcher

	waiting int                   // receipts
	copies  batches[copied]       // to be sent
	flush   engine.Alarm          // sends them
	answers batches[Acknowledged] // about to be sent
}

// receiveSubscribe accepts subscriptions of channels that this node is the primary of, and passes the others on.
func (n *intake) receiveSubscribe(m *Subscribe) {
	if !n.Ring.Active() {
		return
	}
	var rest []Wanted
	var own []named
	for _, w := range m.Wanted {
		if p, _ := n.owners.Primary(w.Channel); n.IsSelf(p) || m.Hops >= maxPassed && n.owners.Owns(w.Channel) {
			own = append(own, w.of(m.Node))
		} else {
			rest = append(rest, w)
		}
	}
	n.tables.check(own, func(valid []named) {
		for _, s := range valid {
			n.accept(s)
		}
		n.sendAcknowledgements()
	})
	n.handOn(m, rest)
}

// accept stores a subscription as the primary.
func (n *intake) accept(s named) {
	if n.waiting >= maxReceipts {
		n.LimitHit("maxReceipts", maxReceipts)
		return // the node will repeat it
	}
	r := &receipt{to: s.Node, answer: Acknowledged{Channel: s.channel.ID, Outside: s.Outside, Stamp: s.Stamp,
		Count: s.Count}}
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
		n.copyToOwners(o, *s.Subscription, r, s.renewed && known && before.count == s.Count && before.stamp < s.Stamp)
	}
}

// maxPassed is how often a Subscribe may be passed on: nodes that differ about the ring could pass it to and fro. One
// that bypasses the primary starts with this count; any owner accepts it.
const maxPassed = 32

// handOn passes subscriptions on to the primaries of their channels: to neighbours directly, else by the ring. They
// come sorted by channel, so that those of one primary are together.
func (n *intake) handOn(m *Subscribe, rest []Wanted) {
	if m.Hops >= maxPassed {
		if n.Keys != nil && m.Hops == maxPassed && len(rest) > 0 {
			n.owners.SendToOwner(rest[0].Channel, &Subscribe{Node: m.Node, Wanted: rest, Hops: m.Hops + 1})
		}
		return
	}
	for len(rest) > 0 {
		to, sure := n.owners.Primary(rest[0].Channel)
		next := &Subscribe{Node: m.Node, Wanted: rest, Hops: m.Hops + 1}
		if !sure || n.IsSelf(to) {
			n.Ring.Route(rest[0].Channel, next)
			return
		}
		same := slices.IndexFunc(rest, func(w Wanted) bool {
			p, _ := n.owners.Primary(w.Channel)
			return p.ID != to.ID
		})
		if same < 0 {
			same = len(rest)
		}
		next.Wanted, rest = rest[:same], rest[same:]
		n.Env.Send(to, next)
	}
}

// maxAnswers is how many acknowledgements fit into a message.
const maxAnswers = 256

// acknowledge queues the answer to a subscription's node, for sendAcknowledgements.
func (n *intake) acknowledge(r *receipt) {
	if o := n.tables.Find(r.answer.Channel); o != nil {
		r.answer.Version, r.answer.Routed = o.version, n.host.Routed(o)
	}
	n.answers.add(r.to, r.answer, maxAnswers)
}

// sendAcknowledgements sends the queued answers.
func (n *intake) sendAcknowledgements() {
	for _, a := range n.answers {
		n.Env.Send(a.to, &Subscribed{a.list})
	}
	n.answers = nil
}
