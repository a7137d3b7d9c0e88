package roster

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// Roster is one node's subscriptions, and those that it holds as an owner.
type Roster struct {
	*machine.Ownership
	config *Config
	*tables
	*subscriptions
	*intake
	*comparer
}

// New returns a roster that works as soon as base.Ring is active. It does not call host before it returns.
func New(base machine.Base, host Host, config Config) *Roster {
	owners, c := &machine.Ownership{Base: base, K: config.Owners}, &config
	t := &tables{Base: base, owners: owners, host: host, config: c}
	t.index.Seed, t.subscribers.seed = base.Seed, base.Seed
	d := &dispatcher{env: base.Env, open: make(map[uint32]*dispatch)}
	i := &intake{Base: base, owners: owners, host: host, config: c, tables: t, dispatcher: d}
	t.comparer = &comparer{Base: base, owners: owners, host: host, config: c, tables: t, intake: i, dispatcher: d}
	t.comparer.startRound()
	return &Roster{owners, c, t, newSubscriptions(base, host, c), i, t.comparer}
}

// Receive handles a message from a peer.
func (r *Roster) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Subscribe:
		r.receiveSubscribe(m)
	case *Subscribed:
		r.subscribed(from, m)
	case *Copies:
		r.receiveCopies(from, m)
	case *Stored:
		r.intake.dispatcher.stored(from, m)
	case *Digests:
		r.compareDigests(from, m)
	case *Parts:
		r.receiveParts(from, m)
	case *Want:
		r.receiveWant(from, m)
	case *Entries:
		r.receiveEntries(from, m)
	}
}

// Deliver handles a message that was routed to a channel which this node is closest to.
func (r *Roster) Deliver(_ engine.ID, from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Subscribe:
		r.receiveSubscribe(m)
	case *Digests:
		r.compareDigests(from, m)
	}
}

// PeerDown renews the subscriptions that a lost peer has acknowledged.
func (r *Roster) PeerDown(p engine.Peer) { r.lostHome(p) }

// Reconfigure applies another configuration. If its intervals differ, all subscriptions count as renewed just now.
func (r *Roster) Reconfigure(c Config) {
	before := *r.config
	*r.config, r.K = c, c.Owners
	if before.Maintenance != c.Maintenance || before.Renew != c.Renew {
		r.startRound()
		r.renewAtNewPace()
		r.forgive()
	}
}

// Shun excludes a node as an owner until then.
func (r *Roster) Shun(node engine.ID, until time.Duration) {
	r.Ownership.Shun(node, until)
	r.RecheckOwners()
}
