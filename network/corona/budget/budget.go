// Package budget keeps hosts from more requests in an interval than their readers would send, and than Config.HostCeiling, whatever channels they have. A host is a
// registered domain or an address: see HostOf. It needs nodes that sign; where they do not, or HostCeiling is zero, there is no bound.
//
//  1. The primary of a channel claims polls from the host's owners, the Config.HostOwners nodes closest to its key, with a sample of signed subscriptions as proof
//     of readers (claims.go).
//  2. Each owner divides the host's requests among its channels (divide.go), and signs what it grants.
//  3. Grants by two thirds of the owners make a certificate (certificate.go): the largest polling set, or how often the primary may poll alone. It goes down with
//     the assignments, and holds for four maintenance intervals. Whoever polls needs it (polled.go); without it nobody does.
//  4. Whoever is assigned a channel has its primary prove the readers to it too, and polls only as far as these pay for so many nodes (proofs.go).
//
// A channel of which this node is primary:
//
//	claimed ──▶ proof is asked for ──▶ granted by a quorum ──▶ certified ──half of its time──▶ certified anew
//	   ▲ asked again, by other ways                                │
//	   └────────────────────── its time is over ◀──────────────────┘
//
// A primary that starts again knows nothing of this. Its claim comes to the owners by way of one of them, and those that have it proved grant what it was for.
//
// Verifications, the polls that reports cause, are counted: to the ceiling as many as there can be, to the readers as many as nearly all intervals take, as far as the
// channel's changes are known, but for one, which a host has to spare. A channel that suddenly changes more often can get some more requests than it has readers. A set costs the pollers counted in it, and no fewer than there are on average.
// Who is granted more waits until those that are to have less have heard of it.
//
// What an attacker needs, where a tenth of all nodes are his (measured with nine owners in TestHostsHeldByMaliciousNodes):
//
//   - f of nine owners get (9-f)/(6-f) times what each owner grants certified: 1.5 with none, 2 with three. Owners grant two fifths of the ceiling, so it holds
//     with up to three; he has more at 0.8 % of all hosts.
//   - Six within some 16 nodes of a host's key, where verifiers expect its owners, can grant anything: he has them at 0.6 % of all hosts, or wherever he has made
//     keys next to a host's. With three owners two do: he has those at 2.9 %, and can forge at 9 %. A false grant does not bring more pollers than there are
//     readers who have signed, and an eighth, with 6, 9 or 20 made keys (TestKeysMadeBesideAHost), as pollers see the readers proved. It undoes the ceiling
//     itself, which owners alone hold: readers that are made up, Config.MaxCount for each made node, bring as many polls for each channel that is made up.
//     It takes a made node for every 64 requests, and a channel of which he is primary; two nodes count in one part of the network. Of a host of readers more
//     than there are nodes, pollers give away what these have left, to channels of one reader. Witnesses of changes (package version) see no proof: they poll
//     some times in an interval for each channel that is certified, which a made-up one with a made primary is: no more often than by half of those it lets poll, and once.
//   - To refuse grants, so that channels are polled less or not at all, he has enough owners at 1.2 % of all hosts.
//   - A subscriber counts for Config.MaxHostReaders readers of a host at most. At the ceiling each node has one voice, which it divides among its channels: a channel
//     keeps the share of the nodes that want it.
//   - A primary can understate a set, and exceed the readers' bound by some; the ceiling is charged for a large one. Two that lie about Retry-After can halve the
//     polls of a host (patience.go).
//   - Owners that restart forget what they granted, and may grant it again. All of a set can be made to poll at one moment, and half an interval later: slots are not proved.
//
// The ceiling is never used up: a host of one channel gets a seventh at most, one of many channels three tenths. What readers would send is, to a few percent.
package budget

import (
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// Budget is one node's part in bounding the load of hosts: as primary of channels, as owner of hosts, and as one who polls.
type Budget struct {
	*core
	*claims
	*hosts
	*polled
	*proofs
	*gaps
}

// core is what all parts of a Budget share.
type core struct {
	machine.Base
	host   Host
	config Config
}

// Who can be what.
const (
	MaxOwners = 9 // of a host
	// ownersReach is how far from a host's key an owner may be, in mean numbers of nodes for each owner that there is: as much as leaves room for chance.
	ownersReach = 16. / MaxOwners
)

// New returns a node's part, which works as soon as base.Ring is active. It calls around only later.
func New(base machine.Base, around Host, config Config) *Budget {
	c := &core{base, around, config}
	p := &polled{core: c, certificates: make(map[engine.ID]*certificate)}
	b := &Budget{
		c, &claims{core: c, polled: p, index: make(map[engine.ID]*claiming), permits: make(map[engine.ID]*permit)},
		&hosts{core: c, index: make(map[engine.ID]*host)}, p,
		&proofs{core: c, index: make(map[engine.ID]*proving), hosts: make(map[engine.ID]*payers)}, &gaps{core: c, until: make(map[engine.ID]time.Duration)},
	}
	b.hosts.begin()
	return b
}

// Receive takes a message from a peer.
func (b *Budget) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Claims:
		b.takeClaims(from, m)
	case *AskProof:
		b.answerAskProof(from, m)
	case *Proof:
		if m.Host == (engine.ID{}) {
			b.proofs.take(m)
		} else {
			b.takeProof(from, m)
		}
	case *Grants:
		b.takeGrants(from, m)
	}
}

// Deliver takes a message that was routed to a host's key or to a channel, which this node is closest to. Who sent it is hearsay.
func (b *Budget) Deliver(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *Claims:
		b.handClaims(m)
	case *AskProof:
		b.answerAskProof(from, m)
	}
}

// Ended says that a channel is neither polled here any more nor assigned to others.
func (b *Budget) Ended(channel engine.ID) {
	delete(b.certificates, channel)
	b.proofs.end(channel)
}

// Reconfigure goes on with another configuration.
func (b *Budget) Reconfigure(c Config) {
	b.core.config = c
	b.hosts.begin()
}

// Hosted reports whether the load of hosts is bounded.
func (c *core) Hosted() bool { return c.Keys != nil && c.config.HostCeiling > 0 }

// owners returns how many owners a host has, and quorum how many have to grant something: two thirds.
func (c *core) owners() int { return max(1, min(c.config.HostOwners, c.Ring.Nodes())) }
func (c *core) quorum() int { return max(1, c.owners()*2/3) }

// isAmong reports whether a node is one of so many closest to a key, as far as can be told from how many nodes the ring has.
func (c *core) isAmong(id, key engine.ID, of float64) bool {
	return id.Distance(key).Position()*2*c.nodes() <= of
}

func (c *core) nodes() float64 { return float64(c.host.Nodes()) }

// mayOwn reports whether a node can be an owner of a host.
func (c *core) mayOwn(id, host engine.ID) bool {
	return c.Admits(id) && c.isAmong(id, host, ownersReach*float64(c.config.HostOwners))
}

// MayLead reports whether a node can be a channel's primary, or can have been one a moment ago.
func (c *core) MayLead(id, channel engine.ID) bool {
	return c.Base.MayLead(id, channel, c.host.Nodes())
}
