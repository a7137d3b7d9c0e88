package version

import (
	"time"

	"tidings/network"
	"tidings/network/corona/machine"
	"tidings/network/corona/version/believe"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// Machine is one node's part in the versions of channels. Use must be called for all routers before it receives
// anything.
type Machine struct{ *core }

// New returns a machine without channels.
func New(base machine.Base, seams Seams, c Config) *Machine {
	n := &core{Base: base, Seams: seams, config: c}
	n.records.Seed = base.Seed
	n.parts = parts{
		believe: believe.New(base, seams.Library, believeHost{n}, c.believe()),
		trust:   &trust{n, make(map[engine.ID]dismissal), make(map[engine.ID]Suspicion)},
		duties:  &duties{n, make(map[engine.ID]time.Duration), make(map[engine.ID]struct{})},
		origins: &origins{core: n},
		intake:  &intake{n, make(map[engine.ID]*arrival)},
		gaps:    &gaps{core: n, of: make(map[engine.ID]*gap)},
		distribution: &distribution{core: n, direct: direct{core: n},
			trees: make(map[network.RouterName]network.Router), member: make(map[engine.ID]*audit)},
		numbering: &numbering{n, make(map[engine.ID]uint64)},
		verifier:  &verifier{core: n},
		reports:   &reports{n, make(map[engine.ID]*sentReport), make(map[engine.ID]time.Duration)},
	}
	return &Machine{n}
}

// Use makes a router available, to carry versions if the network has agreed on it. The router's member is TreeMember.
func (m *Machine) Use(name network.RouterName, r network.Router) { m.distribution.trees[name] = r }

// TreeMember returns the node as routers see it.
func (m *Machine) TreeMember() TreeMember { return TreeMember{m.distribution} }

// Reconfigure replaces the configuration.
func (m *Machine) Reconfigure(c Config) {
	before := m.config
	m.config = c
	m.believe.Reconfigure(c.believe())
	if before.Interval != c.Interval {
		for o := range m.records.All() {
			o.estimate.rescale(m.Env.Now(), before.Interval, c.Interval)
		}
	}
	if before.Router != c.Router {
		m.distribution.rerouted(before.Router)
	}
}

// Receive handles a message from a peer.
func (m *Machine) Receive(from engine.Peer, message engine.Message) {
	switch v := message.(type) {
	case *Detected:
		m.verifier.receiveBypassing(from, v, true)
	case *Ahead:
		m.numbering.receiveAhead(from, v, true)
	case *Equivocation:
		m.excluded(m.believe.ReceiveEquivocation(from, v), from)
	case *Update:
		m.intake.receiveUpdate(from, v)
	case *Missing:
		m.gaps.answer(from, v)
	case *Commit:
		m.numbering.receiveCommit(from, v)
	case *Committed:
		m.numbering.receiveCommitted(from, v)
	case *Shared:
		m.intake.receiveShared(from, v)
	case *Got:
		m.distribution.direct.acknowledged(from, v)
	case *Routed:
		m.distribution.receiveRouted(from, v)
	case *Heard:
		m.receiveHeard(from, v)
	case *Verify:
		if v.Hash != (Hash{}) {
			m.reports.confirm(from, v)
		} else {
			m.pollFor(from, v.Channel)
		}
	case *Verified:
		if len(v.Seen.Signature) > 0 {
			if u := m.believe.Count(v); u != nil {
				m.numbering.attested(u)
			}
		} else {
			m.verifier.receiveVerified(from, v)
		}
	}
}

// receiveHeard handles an owner's answer to a report, or its offer to lend a version: for a gap, or for an audit.
func (m *Machine) receiveHeard(from engine.Peer, h *Heard) {
	switch {
	case h.Hash != (Hash{}):
		m.reports.answered(from, h)
	case !m.Roster.CouldOwn(h.Channel, from.ID): // the ring leads the requester to an owner, or to a node near one
		update.Refuse(&m.Base, h.Channel, h.Version, from, Stranger)
	case !m.gaps.offered(from, h):
		m.distribution.audited(from, h)
	}
}

// Deliver handles a message that was routed to a channel which this node is closest to.
func (m *Machine) Deliver(key engine.ID, from engine.Peer, message engine.Message) {
	switch v := message.(type) {
	case *Detected:
		m.verifier.receiveDetected(key, from, v)
	case *Missing:
		m.gaps.offer(from, v)
	case *Verify:
		m.stand(key, from, v)
	case *Limit:
		m.origins.receiveLimit(key, v)
	case *Equivocation:
		m.excluded(m.believe.ReceiveEquivocation(from, v), from)
	case *Ahead:
		m.numbering.receiveAhead(from, v, false)
	}
}

// Polled handles the outcome of a poll of a channel.
func (m *Machine) Polled(channel engine.ID, r PollResult) {
	m.origins.learn(channel, r.Wait, r.Interval, r.Hash != Hash{})
	if m.Keys != nil && r.Update != nil { // the finder of the held version does not matter here
		own := *r.Update
		own.FoundBy, own.Seal = m.Env.Self().ID, Seal{}
		r.Update = &own
	}
	if o := m.find(channel); o != nil && o.contents != nil && r.Hash != (Hash{}) {
		o.contents.seen = m.Env.Now()
	}
	// A witness owes its signature whatever this node itself concludes from the poll.
	answered := r.Verified && m.believe.Answer(channel, r.Hash)
	if seen := m.believe.Polled(channel, &r); seen != nil {
		m.intake.bring(&arrival{update: seen.Update, from: seen.From, seen: true})
		return
	}
	if r.Verified {
		if answered && !m.duties.wants(channel) {
			return
		}
		if m.gaps.fillBy(channel, &r) {
			return
		}
		if o := m.find(channel); o != nil && m.duties.makesVersions(o) && m.verifier.polled(o, &r) {
			return
		}
	}
	if o := m.find(channel); o != nil && !r.Verified {
		m.verifier.sees(o, r.Hash)
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
		m.trust.confirmed(channel, r.Hash)
	default:
		m.reports.found(found)
	}
}

// Stored handles the outcome of Library.Store: ok, if the library keeps the update.
func (m *Machine) Stored(channel engine.ID, version uint64, ok bool) {
	m.intake.stored(channel, version, ok, func(a *arrival) {
		u := a.update
		m.believe.Note(u)
		m.believe.Stored(u, a.before)
		if a.news && a.done == nil {
			m.Plan.Rest(channel, m.believe.Polls(u))
		}
		m.reports.end(channel, u.Hash)
		m.trust.confirmed(channel, u.Hash)
		if m.reads(channel) {
			m.Env.Trace(Delivered{channel, u.Version, u.Hash, u.FoundBy, a.news})
		}
		if o := m.find(channel); o != nil {
			m.numbering.sendOn(o, u)
		}
	})
}
