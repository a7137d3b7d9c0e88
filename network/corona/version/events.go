package version

import (
	"time"

	"tidings/network"
	"tidings/network/engine"
)

// Owned reports that this node begins to own a channel, Forgotten that the roster no longer knows it.
func (m *Machine) Owned(o Owned) { m.records.Set(o.Channel().ID, &record{Owned: o}) }
func (m *Machine) Forgotten(channel engine.ID) {
	m.records.Remove(channel)
	m.believe.Forget(channel)
}

// with calls do with the record of a channel, if it is owned here.
func (m *Machine) with(channel engine.ID, do func(*record)) {
	if o := m.find(channel); o != nil {
		do(o)
	}
}

// Changed reports that a channel's primary, its state, or whether it has readers has changed, or that it is about to be
// forgotten.
func (m *Machine) Changed(channel engine.ID) {
	m.with(channel, m.numbering.maybeResend)
	m.with(channel, m.distribution.ownedChanged)
}

// Informed reports that the other owners have sent what they know, or had time to.
func (m *Machine) Informed(channel engine.ID) { m.with(channel, m.verifier.considerNext) }

// Merge adopts another owner's state of a channel if it is newer. Compare compares the version alone.
func (m *Machine) Merge(channel engine.ID, from engine.Peer, s *State) {
	m.with(channel, func(o *record) { m.numbering.merge(o, from, s) })
}

func (m *Machine) Compare(channel engine.ID, version uint64) {
	m.with(channel, func(o *record) { m.numbering.compareVersion(o, version) })
}

// SubscriberReported reports that another owner has named a subscriber.
func (m *Machine) SubscriberReported(channel engine.ID, p engine.Peer) {
	m.with(channel, func(o *record) { m.distribution.subscriberReported(o, p) })
}

// Routed reports whether a subscriber that is about to be acknowledged is to join the channel's tree.
func (m *Machine) Routed(channel engine.ID) bool {
	o := m.find(channel)
	return o != nil && m.distribution.routed(o)
}

// Joined reports that an owner has acknowledged this node's subscription, and whether a tree carries versions. Left
// reports that the node no longer subscribes.
func (m *Machine) Joined(channel engine.ID, routed bool) { m.distribution.join(channel, routed) }
func (m *Machine) Left(channel engine.ID)                { m.distribution.leave(channel) }

// CarriedBy returns the router that carries a channel's versions to this node, as far as its primary has announced it.
func (m *Machine) CarriedBy(channel engine.ID) network.RouterName {
	return m.distribution.carriedBy(channel)
}

// MaybeBehind reports that a peer knows a version of a channel, MaybeAhead that an owner knows it as the latest.
func (m *Machine) MaybeBehind(from engine.Peer, channel engine.ID, version uint64) {
	m.gaps.maybeBehind(from, channel, version)
}
func (m *Machine) MaybeAhead(owner engine.Peer, channel engine.ID, version uint64) {
	m.believe.MaybeAhead(owner, channel, version)
}

// Suspect reports that the owners of a channel do not serve this node, Trust that they do.
func (m *Machine) Suspect(channel engine.ID, why Suspicion) { m.trust.suspect(channel, why) }
func (m *Machine) Trust(channel engine.ID)                  { m.trust.end(channel) }

// IsEquivocator reports whether a node is proved to have assigned one number to two contents.
func (m *Machine) IsEquivocator(node engine.ID) bool { return m.believe.IsEquivocator(node) }

// Limits returns what the origin of a channel owned here asks for.
func (m *Machine) Limits(channel engine.ID) (l Limits) {
	m.with(channel, func(o *record) { l = o.limit })
	return l
}

// Factors returns the size in bytes of a channel's document, 0 if unknown, and the estimated time between its changes.
// The channel is owned here.
func (m *Machine) Factors(channel engine.ID) (size uint32, update time.Duration) {
	o := m.find(channel)
	if o == nil {
		o = &record{}
	}
	return o.size, o.estimate.interval(m.Env.Now(), m.config.Interval)
}

// VerifiesWanted returns how many polls out of turn a primary claims for a channel, in an interval.
func (m *Machine) VerifiesWanted(channel engine.ID) (polls uint8) {
	m.with(channel, func(o *record) { polls = m.origins.verifiesWanted(o) })
	return polls
}
