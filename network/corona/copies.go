package corona

import (
	"time"

	"tidings/network/engine"
)

// receipt is a subscription whose node waits to hear that all owners have it.
type receipt struct {
	to      engine.Peer
	answer  Acknowledged
	missing int // owners that have not stored it yet
}

// maxReceipts bounds the receipts that wait; subscriptions beyond are not taken.
const maxReceipts = 1 << 16

// outbox is what is about to be copied to one other owner.
type outbox struct {
	to       engine.Peer
	copies   []Copy
	count    int // of subscriptions in them
	receipts []*receipt
}

func (b *outbox) add(c Channel, s Subscription) {
	b.count++
	if last := len(b.copies) - 1; last >= 0 && b.copies[last].Channel == c.ID {
		b.copies[last].Subscriptions = append(b.copies[last].Subscriptions, s)
		return
	}
	b.copies = append(b.copies, Copy{c.ID, c.URL, []Subscription{s}})
}

// Copies wait for more, those of mere renewals long: these are acknowledged at once, as nothing
// depends on them but the time at which a subscription is forgotten.
const (
	flushEvery    = 100 * time.Millisecond
	flushRenewals = time.Minute
)

// maxCopies is how many subscriptions a message takes, at most as long as 200 KB.
const maxCopies = 64

// copyToOwners gives a subscription to the other owners, and then acknowledges it.
func (n *roster) copyToOwners(o *owned, s Subscription, renewed bool) {
	r := &receipt{to: s.Node, answer: Acknowledged{Channel: o.channel.ID, Outside: s.Outside, Stamp: s.Stamp, Count: s.Count}, missing: len(o.others)}
	wait := flushEvery
	if renewed {
		wait = flushRenewals
	}
	if renewed || r.missing == 0 {
		n.acknowledge(r)
		r.missing = 0
	} else {
		n.owned.waiting++
	}
	for _, p := range o.others {
		b := n.outboxTo(p)
		b.add(o.channel, s)
		if r.missing > 0 {
			b.receipts = append(b.receipts, r)
		}
		if b.count == maxCopies {
			n.send(b)
		}
	}
	n.owned.flush.Soon(n.Env, n.Env.Now()+wait, n.flushCopies)
}

func (n *roster) outboxTo(p engine.Peer) *outbox {
	for _, b := range n.owned.outboxes {
		if b.to == p {
			return b
		}
	}
	b := &outbox{to: p}
	n.owned.outboxes = append(n.owned.outboxes, b)
	return b
}

func (n *roster) flushCopies() {
	all := n.owned.outboxes
	n.owned.outboxes = nil
	for _, b := range all {
		n.send(b)
	}
}

// send empties an outbox.
func (n *roster) send(b *outbox) {
	if len(b.copies) == 0 {
		return
	}
	receipts := b.receipts
	m := &Copies{n.number(), b.copies}
	b.copies, b.count, b.receipts = nil, 0, nil
	n.dispatch(b.to, m.Number, m, func(stored bool) { n.copied(b.to, receipts, stored) })
}

// copied takes note that an owner has copies, or does not answer. Then they are acknowledged all
// the same: the owner is gone, most likely, and whoever takes its place gets all that there is.
func (n *roster) copied(to engine.Peer, receipts []*receipt, stored bool) {
	if !stored {
		n.Env.Trace(Unstored{to, len(receipts)})
	}
	for _, r := range receipts {
		if r.missing--; r.missing == 0 {
			n.owned.waiting--
			n.acknowledge(r)
		}
	}
	n.sendAcknowledgements()
}

// takeCopies stores what another owner has been told.
func (n *roster) takeCopies(from engine.Peer, m *Copies) {
	var list []named
	var channels []Channel
	for i := range m.Copies {
		c := &m.Copies[i]
		for j := range c.Subscriptions {
			list = append(list, named{c.Channel, &c.Subscriptions[j]})
			channels = append(channels, Channel{ID: c.Channel, URL: c.URL})
		}
	}
	n.checkSubscriptions(list, func(valid func(int) bool) {
		for i, c := range channels {
			if valid(i) {
				if o, result := n.store(c, list[i].Subscription); result == kept {
					n.node.version.dissemination.untold(o, list[i].Subscription)
				}
			}
		}
		n.Env.Send(from, &Stored{m.Number})
	})
}
