// Package budget bounds the requests that a host gets in an interval, whatever channels it has. The bounds are the
// requests that its readers would send, and Config.HostCeiling. A host is a registered domain or an address: see
// HostOf. The bounds need nodes that sign. Without signatures, or if HostCeiling is zero, there is no bound.
//
//  1. The primary of a channel claims polls from the host's owners, the Config.HostOwners nodes closest to its key. A
//     sample of signed subscriptions proves its readers (claims.go).
//  2. Each owner divides the host's requests among its channels (divide.go), and signs its grants.
//  3. Grants by two thirds of the owners make a certificate (certificate.go): the largest polling set, or how often
//     the primary may poll alone. It goes down with the assignments, and holds for four maintenance intervals. A
//     poller needs it (polled.go); without it no node polls.
//  4. A node that is assigned a channel requires proof of the readers from the primary too. It polls only if the
//     readers pay for so many nodes (proofs.go).
//
// A channel of which this node is primary:
//
//	claimed ──▶ proof is asked for ──▶ granted by a quorum ──▶ certified ──half of its time──▶ certified anew
//	   ▲ asked again, by other ways                                │
//	   └────────────────────── its time is over ◀──────────────────┘
//
// A primary that restarts has lost all this. Its claim reaches the owners through one of them. Owners that hold a proof
// grant the proved claim again.
//
// Verifications, the polls that reports cause, are counted. The ceiling is charged for as many as are possible. The
// readers are charged for as many as nearly all intervals need, judged by the channel's known changes. One more is
// free: a host has it to spare. So a channel that suddenly changes more often can get a few more requests than it has
// readers. A set costs the pollers counted in it, and at least the average number. Larger grants wait until the
// channels that lose have been notified.
//
// If an attacker has a tenth of all nodes, it can do this (measured with nine owners in TestHostsHeldByMaliciousNodes):
//
//   - With f of nine owners it gets (9-f)/(6-f) times each owner's grant certified: 1.5 with none, 2 with three. Owners
//     grant two fifths of the ceiling, so it holds with up to three. The attacker has more at 0.8 % of all hosts.
//   - Six nodes within some 16 nodes of a host's key, where verifiers expect its owners, can grant anything. The
//     attacker has them at 0.6 % of all hosts, or wherever it has made keys next to a host's. With three owners two
//     nodes suffice: it has those at 2.9 %, and can forge at 9 %.
//   - A false grant brings at most an eighth more pollers than readers have signed, with 6, 9 or 20 made keys
//     (TestKeysMadeBesideAHost), as pollers require the readers' proof. It undoes the ceiling itself, which only owners
//     enforce. Invented readers, Config.MaxCount for each made node, bring as many polls for each invented channel.
//     That needs a made node for every 64 requests, and a channel of which the attacker is primary. Two nodes count in
//     one part of the network.
//   - If a host has more readers than there are nodes, pollers pass on what these have left, to channels of one reader.
//   - Witnesses of changes (package version) see no proof. They poll for each certified channel, which an invented one
//     with a made primary is. Each polls once in an interval for every node that can be in the set, and once more.
//   - It can refuse grants, so that channels are polled less or not at all, at 1.2 % of all hosts.
//   - A subscriber counts for at most Config.MaxHostReaders readers of a host. At the ceiling each node has one voice,
//     which it divides among its channels: a channel keeps the share of the nodes that want it.
//   - A primary can understate a set, and slightly exceed the readers' bound; the ceiling is charged for a large set.
//     Two that lie about Retry-After can halve the polls of a host (patience.go).
//   - Owners that restart lose the record of their grants, and may grant them again. All of a set can be made to poll
//     at one moment, and half an interval later: slots are not proved.
//
// The ceiling is never used up: a host of one channel gets a seventh at most, one of many channels three tenths. The
// readers' bound is used up to a few percent.
package budget

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// Budget is one node's part in bounding the load of hosts: as primary of channels, as owner of hosts, and as poller.
type Budget struct {
	*core
	*claims
	*hosts
	*polled
	*proofs
	*gaps
}

// core is shared by all parts of a Budget.
type core struct {
	machine.Base
	host   Host
	config Config
}

// Bounds of which node can be what.
const (
	MaxOwners = 9 // of a host
	// ownersReach is how far from a host's key an owner may be, in mean numbers of nodes for each owner. It is enough
	// to allow for chance.
	ownersReach = 16. / MaxOwners
)

// New returns a node's part, which works as soon as base.Ring is active. It does not call around before it returns.
func New(base machine.Base, around Host, config Config) *Budget {
	c := &core{base, around, config}
	p := &polled{core: c, certificates: make(map[engine.ID]*certificate)}
	b := &Budget{
		c, &claims{core: c, polled: p, index: make(map[engine.ID]*claiming), permits: make(map[engine.ID]*permit)},
		&hosts{core: c, index: make(map[engine.ID]*host)}, p,
		&proofs{core: c, index: make(map[engine.ID]*proving), hosts: make(map[engine.ID]*payers)},
		&gaps{core: c, until: make(map[engine.ID]time.Duration)},
	}
	b.hosts.begin()
	return b
}

// Receive handles a message from a peer.
func (b *Budget) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Claims:
		b.receiveClaims(from, m)
	case *AskProof:
		b.answerAskProof(from, m)
	case *Proof:
		if m.Host == (engine.ID{}) {
			b.proofs.receive(m)
		} else {
			b.receiveProof(from, m)
		}
	case *Grants:
		b.receiveGrants(from, m)
	}
}

// Deliver handles a message that was routed to a host's key or to a channel, which this node is closest to. Its sender
// is not authenticated.
func (b *Budget) Deliver(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Claims:
		b.handClaims(m)
	case *AskProof:
		b.answerAskProof(from, m)
	}
}

// Ended reports that a channel is no longer polled here or assigned to others.
func (b *Budget) Ended(channel engine.ID) {
	delete(b.certificates, channel)
	b.proofs.end(channel)
}

// Reconfigure applies another configuration.
func (b *Budget) Reconfigure(c Config) {
	b.core.config = c
	b.hosts.begin()
}

// Hosted reports whether the load of hosts is bounded.
func (c *core) Hosted() bool { return c.Keys != nil && c.config.HostCeiling > 0 }

// owners returns how many owners a host has, and quorum how many of them must grant: two thirds.
func (c *core) owners() int { return max(1, min(c.config.HostOwners, c.Ring.Nodes())) }
func (c *core) quorum() int { return max(1, c.owners()*2/3) }

// isAmong reports whether a node is one of the of closest to a key, estimated from the size of the ring.
func (c *core) isAmong(id, key engine.ID, of float64) bool {
	return id.Distance(key).Position()*2*c.nodes() <= of
}

func (c *core) nodes() float64 { return float64(c.host.Nodes()) }

// mayOwn reports whether a node can be an owner of a host.
func (c *core) mayOwn(id, host engine.ID) bool {
	return c.Admits(id) && c.isAmong(id, host, ownersReach*float64(c.config.HostOwners))
}

// MayLead reports whether a node can be, or just have been, a channel's primary.
func (c *core) MayLead(id, channel engine.ID) bool {
	return c.Base.MayLead(id, channel, c.host.Nodes())
}
