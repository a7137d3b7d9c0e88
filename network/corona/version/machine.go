package version

import (
	"time"

	"tidings/network"
	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// Machine is one node's part in the versions of channels. Nothing is to be delivered to it before Use has been called for all routers.
type Machine struct{ *core }

// New returns a machine that knows of no channels.
func New(base machine.Base, seams Seams, c Config) *Machine {
	n := &core{Base: base, Seams: seams, config: c}
	n.records.Seed = base.Seed
	n.parts = parts{
		seals:   &seals{core: n, floors: make(map[engine.ID]uint64), told: make(map[engine.ID]time.Duration)},
		trust:   &trust{n, make(map[engine.ID]dismissal), make(map[engine.ID]Suspicion)},
		duties:  &duties{n, make(map[engine.ID]time.Duration), make(map[engine.ID]struct{})},
		origins: &origins{core: n},
		attests: &attests{n},
		unseen:  &unseen{core: n, of: make(map[engine.ID]*sight)},
		intake:  &intake{n, make(map[engine.ID]*arrival)},
		gaps:    &gaps{core: n, of: make(map[engine.ID]*gap)},
		carrier: &carrier{core: n, direct: direct{core: n}, trees: make(map[network.RouterName]network.Router), member: make(map[engine.ID]*audit)},
		giver:   &giver{n},
		judge:   &judge{core: n},
		reports: &reports{n, make(map[engine.ID]*sentReport), make(map[engine.ID]time.Duration)},
		witness: &witnesses{n, make(map[engine.ID]*pendingVerify)},
	}
	return &Machine{n}
}

// Use has versions carried by a router where the network has agreed on that. The router's member is TreeMember.
func (m *Machine) Use(name network.RouterName, r network.Router) { m.carrier.trees[name] = r }

// TreeMember returns the node as routers see it.
func (m *Machine) TreeMember() TreeMember { return TreeMember{m.carrier} }

// Reconfigure has the machine use another configuration.
func (m *Machine) Reconfigure(c Config) {
	before := m.config
	m.config = c
	if before.Interval != c.Interval {
		for o := range m.records.All() {
			o.estimate.rescale(m.Env.Now(), before.Interval, c.Interval)
		}
	}
	if before.Router != c.Router {
		m.carrier.rerouted(before.Router)
	}
}

// Receive takes a message from a peer.
func (m *Machine) Receive(from engine.Peer, message engine.Message) {
	switch v := message.(type) {
	case *Detected:
		m.judge.takeBypassing(from, v, true)
	case *Ahead:
		m.giver.takeAhead(from, v, true)
	case *Equivocation:
		m.seals.takeEquivocation(from, v)
	case *Update:
		m.intake.takeUpdate(from, v)
	case *Missing:
		m.gaps.answer(from, v)
	case *Commit:
		m.giver.takeCommit(from, v)
	case *Committed:
		m.giver.takeCommitted(from, v)
	case *Shared:
		m.intake.takeShared(from, v)
	case *Got:
		m.carrier.direct.got(from, v)
	case *Routed:
		m.carrier.takeRouted(from, v)
	case *Heard:
		m.takeHeard(from, v)
	case *Verify:
		if v.Hash != (Hash{}) {
			m.reports.confirm(from, v)
		} else {
			m.witness.take(from, v.Channel)
		}
	case *Verified:
		if len(v.Seen.Signature) > 0 {
			m.attests.take(v)
		} else {
			m.judge.takeVerified(from, v)
		}
	}
}

// takeHeard takes what an owner says of a report, or its offer to lend a version: to a gap, or to an audit.
func (m *Machine) takeHeard(from engine.Peer, h *Heard) {
	switch {
	case h.Hash != (Hash{}):
		m.reports.answered(from, h)
	case !m.Roster.CouldOwn(h.Channel, from.ID): // the ring leads who asks to an owner, or to a node near them
		m.Env.Trace(Refused{h.Channel, h.Version, from.ID, Stranger})
	case !m.gaps.offered(from, h):
		m.carrier.audited(from, h)
	}
}

// Deliver takes a message that was routed to a channel which this node is closest to.
func (m *Machine) Deliver(key engine.ID, from engine.Peer, message engine.Message) {
	switch v := message.(type) {
	case *Detected:
		m.judge.takeDetected(key, from, v)
	case *Missing:
		m.gaps.offer(from, v)
	case *Verify:
		m.attests.stand(key, from, v)
	case *Limit:
		m.origins.takeLimit(key, v)
	case *Equivocation:
		m.seals.takeEquivocation(from, v)
	case *Ahead:
		m.giver.takeAhead(from, v, false)
	}
}

// Polled tells what a poll of a channel gave.
func (m *Machine) Polled(channel engine.ID, r PollResult) {
	m.origins.learn(channel, r.Wait, r.Interval, r.Hash != Hash{})
	if m.Keys != nil && r.Update != nil { // who has found what is held is no matter here
		own := *r.Update
		own.FoundBy, own.Seal = m.Env.Self().ID, Seal{}
		r.Update = &own
	}
	if o := m.find(channel); o != nil && o.contents != nil && r.Hash != (Hash{}) {
		o.contents.seen = m.Env.Now()
	}
	// A witness owes its signature whatever this node itself makes of the poll.
	answered := r.Verified && m.witness.answer(channel, r.Hash)
	if m.unseen.polled(channel, &r) {
		return
	}
	if r.Verified {
		if answered && !m.duties.wants(channel) {
			return
		}
		if m.gaps.fillBy(channel, &r) {
			return
		}
		if o := m.find(channel); o != nil && m.duties.judges(o) && m.judge.polled(o, &r) {
			return
		}
	}
	if o := m.find(channel); o != nil && !r.Verified {
		m.judge.sees(o, r.Hash)
	}
	var found *Update
	if r.Update != nil {
		u := *r.Update
		u.Channel, u.URL, u.Size = channel, "", max(u.Size, r.Size)
		found = &u
	}
	switch {
	case m.gaps.polledFirst(channel, found):
	case found == nil:
		m.trust.heardOf(channel, r.Hash)
	default:
		m.reports.found(found)
	}
}

// Taken tells what became of an update that Library.Take was given: whether it is kept.
func (m *Machine) Taken(channel engine.ID, version uint64, ok bool) {
	m.intake.taken(channel, version, ok, func(a *arrival) {
		u := a.update
		m.seals.note(u)
		m.unseen.taken(u, a.before)
		if a.news && a.done == nil {
			m.Plan.Rest(channel, outOfTurn(u, m.config.Witnesses))
		}
		m.reports.end(channel, u.Hash)
		m.trust.heardOf(channel, u.Hash)
		if m.reads(channel) {
			m.Env.Trace(Delivered{channel, u.Version, u.Hash, u.FoundBy, a.news})
		}
		if o := m.find(channel); o != nil {
			m.giver.sendOn(o, u)
		}
	})
}
