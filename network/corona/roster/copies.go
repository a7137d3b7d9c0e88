package roster

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// receipt is a subscription that is acknowledged once all owners have it.
type receipt struct {
	to      engine.Peer
	answer  Acknowledged
	missing int // owners that have not stored it yet
}

// copied is a subscription that is about to be copied to another owner.
type copied struct {
	channel machine.Channel
	Subscription
	receipt *receipt
}

const (
	maxReceipts = 1 << 16 // waiting; subscriptions beyond are ignored
	maxCopies   = 64      // subscriptions in a message, which has at most 200 KB

	// Copies wait for more, those of mere renewals longest. Renewals are acknowledged at once: they only postpone the
	// time at which a subscription is dropped.
	flushEvery    = 100 * time.Millisecond
	flushRenewals = time.Minute // at most
)

// copyToOwners copies a subscription to the other owners, and then acknowledges it.
func (n *intake) copyToOwners(o *Owned, s Subscription, r *receipt, renewed bool) {
	wait := min(flushRenewals, n.config.Renew/8)
	if !renewed {
		wait, r.missing = flushEvery, len(o.others)
	}
	if r.missing == 0 {
		n.acknowledge(r)
	} else {
		n.waiting++
	}
	for _, p := range o.others {
		if b := n.copies.add(p, copied{o.channel, s, r}, maxCopies); len(b.list) == maxCopies {
			n.send(b)
		}
	}
	n.flush.Soon(n.Env, n.Env.Now()+wait, n.flushCopies)
}

func (n *intake) flushCopies() {
	all := n.copies
	n.copies = nil
	for i := range all {
		if len(all[i].list) > 0 {
			n.send(&all[i])
		}
	}
}

// send sends the copies for one owner. If the owner does not answer, the subscriptions are acknowledged all the same.
// The owner is most likely gone, and its successor will get everything.
func (n *intake) send(b *batch[copied]) {
	m := &Copies{Number: n.dispatcher.number()}
	var receipts []*receipt
	for _, c := range b.list {
		last := len(m.Copies) - 1
		if last < 0 || m.Copies[last].Channel != c.channel.ID {
			m.Copies = append(m.Copies, Copy{Channel: c.channel.ID, URL: c.channel.URL})
			last++
		}
		m.Copies[last].Subscriptions = append(m.Copies[last].Subscriptions, c.Subscription)
		if c.receipt.missing > 0 {
			receipts = append(receipts, c.receipt)
		}
	}
	to := b.to
	b.list = nil
	n.dispatcher.dispatch(to, m.Number, m, func(stored bool) {
		if !stored {
			n.Env.Trace(Unstored{to, len(receipts)})
		}
		for _, r := range receipts {
			if r.missing--; r.missing == 0 {
				n.waiting--
				n.acknowledge(r)
			}
		}
		n.sendAcknowledgements()
	})
}

// receiveCopies stores another owner's new subscriptions.
func (n *intake) receiveCopies(from engine.Peer, m *Copies) {
	var list []named
	for i := range m.Copies {
		c := &m.Copies[i]
		for j := range c.Subscriptions {
			list = append(list, named{machine.Channel{ID: c.Channel, URL: c.URL}, &c.Subscriptions[j], false})
		}
	}
	n.tables.check(list, func(valid []named) {
		for _, s := range valid {
			if o, result := n.tables.store(s.channel, s.Subscription); result == kept {
				n.host.Reported(o, s.Subscription)
			}
		}
		n.Env.Send(from, &Stored{m.Number})
	})
}
