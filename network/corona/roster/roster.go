package roster

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// Roster is one node's subscriptions, and those that it holds as an owner.
type Roster struct {
	*core
	*tables
	*subscriptions
	*intake
	*comparer
}

// core is what all parts of a roster share.
type core struct {
	machine.Base
	host    Host
	config  Config
	shunned []shunned // the latest last
}

// New returns a roster that works as soon as base.Ring is active. It calls host only later.
func New(base machine.Base, host Host, config Config) *Roster {
	c := &core{Base: base, host: host, config: config}
	t := &tables{core: c}
	t.index.Seed, t.subscribers.seed = c.Seed, c.Seed
	d := &dispatcher{core: c, open: make(map[uint32]*dispatch)}
	i := &intake{core: c, tables: t, dispatcher: d}
	t.comparer = &comparer{core: c, tables: t, intake: i, dispatcher: d}
	t.comparer.startRound()
	return &Roster{c, t, newSubscriptions(c), i, t.comparer}
}

// Receive takes a message from a peer.
func (r *Roster) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Subscribe:
		r.takeSubscribe(m)
	case *Subscribed:
		r.subscribed(from, m)
	case *Copies:
		r.takeCopies(from, m)
	case *Stored:
		r.intake.dispatcher.stored(from, m)
	case *Digests:
		r.compareDigests(from, m)
	case *Parts:
		r.takeParts(from, m)
	case *Want:
		r.takeWant(from, m)
	case *Entries:
		r.takeEntries(from, m)
	}
}

// Deliver takes a message that was routed to a channel which this node is closest to.
func (r *Roster) Deliver(_ engine.ID, from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Subscribe:
		r.takeSubscribe(m)
	case *Digests:
		r.compareDigests(from, m)
	}
}

// PeerDown has the subscriptions renewed that a lost peer has acknowledged.
func (r *Roster) PeerDown(p engine.Peer) { r.lostHome(p) }

// Reconfigure goes on with another configuration. Where its pace is another, all that is held counts as renewed just now.
func (r *Roster) Reconfigure(c Config) {
	before := r.config
	r.core.config = c
	if before.Maintenance != c.Maintenance || before.Renew != c.Renew {
		r.startRound()
		r.renewAtNewPace()
		r.forgive()
	}
}

// Shun has a node count as an owner of nothing until then.
func (r *Roster) Shun(node engine.ID, until time.Duration) {
	r.shun(node, until)
	r.RecheckOwners()
}
