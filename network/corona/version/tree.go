package version

import (
	"crypto/sha256"
	"encoding/binary"

	"tidings/network"
	"tidings/network/corona/version/deliver"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// TreeMember is a node as the network's router sees it: the updates of polled channels are its events.
type TreeMember struct{ m *Machine }

var (
	_ network.Member    = TreeMember{}
	_ network.Recoverer = TreeMember{}
	_ network.Doubter   = TreeMember{}
)

// TreeMember returns the node as routers see it.
func (m *Machine) TreeMember() TreeMember { return TreeMember{m} }

// updateOverhead is about how many bytes an update has besides its payload.
const updateOverhead = 512

// Admit admits updates that an owner of the channel has signed, unless older than one passed on some time ago.
func (t TreeMember) Admit(topic engine.ID, event engine.Message, from engine.Peer) (digest uint64, bytes int, ok bool) {
	u, is := event.(*update.Update)
	if !is || u.Channel != topic || !update.Numbers(u.Hash, u.Version) {
		return 0, 0, false
	}
	if m := t.m; !m.IsSelf(from) {
		switch {
		case !m.believe.Possible(from, u):
			return 0, 0, false
		case m.deliver.Outdated(u):
			if h := u.Header(); t.CouldPublish(topic, u.Seal.Giver.ID) &&
				(m.Keys == nil || update.IsSigned(m.Keys, &h)) {
				return treeDigest(u), 0, false
			}
			return 0, 0, false
		case !m.proven(from, u):
			return 0, 0, false
		}
	}
	t.m.deliver.GoesThrough(u)
	return treeDigest(u), len(u.Payload) + updateOverhead, true
}

// treeDigest identifies an update. It does not cover the giver: all owners vouch for the same version.
func treeDigest(u *update.Update) uint64 {
	h := u.Header()
	sum := sha256.Sum256(h.Words())
	return binary.BigEndian.Uint64(sum[:])
}

// Doubted implements [network.Doubter]: the giver has signed, but cannot be an owner as far as this node knows. Other
// nodes see another part of the ring, above all while it is cut and just after.
func (t TreeMember) Doubted(topic engine.ID, event engine.Message) (digest uint64, is bool) {
	u, ok := event.(*update.Update)
	if !ok || u.Channel != topic || t.CouldPublish(topic, u.Seal.Giver.ID) {
		return 0, false
	}
	h := u.Header()
	return treeDigest(u), update.IsSigned(t.m.Keys, &h)
}

// CouldPublish reports whether a node can be one of a channel's owners, as far as this node knows: only they publish
// its versions.
func (t TreeMember) CouldPublish(channel, node engine.ID) bool {
	return t.m.Keys == nil || t.m.seams.Roster.CouldOwn(channel, node)
}

// Deliver accepts an update from a tree, and passes it on to the pollers below this node.
func (t TreeMember) Deliver(_ engine.ID, event engine.Message, from engine.Peer) {
	u, m := event.(*update.Update), t.m
	m.Env.After(0, func() { // the router must return before it is called again
		if passed, _, in := m.seams.Plan.Passed(u.Channel); in && u.Version > passed && !m.IsSelf(from) {
			m.passOn(&deliver.Shared{Update: *u})
		}
		// the giver is an owner, which can act on a number that is too high
		if m.seams.Roster.Readers(u.Channel) > 0 && m.isNews(u.Seal.Giver, u) {
			m.bring(from, u, false)
		}
	})
}

// Recovers reports whether this node regularly asks owners for the channel's versions.
func (t TreeMember) Recovers(channel engine.ID) bool { return t.m.deliver.Recovers(channel) }
