// Package budget bounds the requests that a host gets in an interval, whatever channels it has. A host is a registered
// domain or an address: see HostOf. Every node keeps the bounds by itself. They need nodes that sign: without
// signatures, or if Config.HostCeiling is zero, there is no bound.
//
//   - A channel has at most as many pollers as readers. Its primary proves them to each poller, by signed subscriptions
//     (proofs.go). So no host has more pollers than all its channels have readers.
//   - A subscriber counts for at most Config.MaxHostReaders readers of a host. A poller estimates that by the other
//     channels of the host that it polls (sample.go).
//   - A node takes at most HostCeiling/N turns of a host in an interval, for N nodes, and at least one. If it is the
//     primary of more of the host's channels than that, it polls each less often, and no other node polls them
//     (leading.go).
//   - If an origin asks for patience for two channels of a host, all of it is left in peace (patience.go).
//   - Polls for versions that no node sends are rare, and made by few nodes (gaps.go).
//
// A channel that is assigned to this node:
//
//	        asks its primary                    the set that the readers pay for has this node in it
//	unknown ────────────────▶ asked ──▶ proved ─────────────────────────────────────────────────────▶ polls
//	   ▲                        │         │  └── a larger set, or a day later: asks anew ──▶ asked
//	   └── no answer ───────────┘         └── twice no proof within a day: no reader is left ──▶ unknown
//
// Polls out of turn, which check a report or see it as a witness, are made besides turns. As many turns are skipped
// afterwards, at most half of them (plan.Rest). So a host can get more requests in an interval with changes than it has
// readers: each change costs about five.
//
// # Malicious nodes
//
//   - A channel's primary can be a made node that orders all to poll. Each node requires the proof, with a number that
//     it has invented. So made readers cause as many polls as they could send themselves: Config.MaxCount for a node
//     and channel. Two nodes count in one part of the network. Keys made beside a host's or a channel's gain nothing.
//   - Readers of many made-up channels of one host count little where a node is in the sets of three of them. So each
//     node can be made to poll such a host twice in an interval, besides what MaxHostReaders allows.
//   - A witness without a proof polls a host four times in an interval, for whichever channels ask first.
//   - A primary can let its channel be polled less, or not at all.
//   - Two made channels can make nodes believe that their host asks for patience, for half of the time.
package budget

import (
	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// Budget is one node's part in bounding the load of hosts: as primary of channels, as poller, and as witness.
type Budget struct {
	machine.Base
	host   Host
	config Config
	proofs proofs
	led    leading
	waits  patience
	gaps   gaps
}

// New returns a node's part, which works as soon as base.Ring is active. It does not call around before it returns.
func New(base machine.Base, around Host, config Config) *Budget {
	b := &Budget{Base: base, host: around, config: config}
	b.proofs = proofs{index: make(map[engine.ID]*proving), hosts: make(map[engine.ID]*assigned)}
	b.led = leading{index: make(map[engine.ID]*led), hosts: make(map[engine.ID][]*led)}
	b.waits = patience{hosts: make(map[engine.ID]*longest)}
	b.gaps = gaps{made: make(map[engine.ID]unproved)}
	return b
}

// Receive handles a message from a peer.
func (b *Budget) Receive(from engine.Peer, m engine.Message) {
	switch m := m.(type) {
	case *AskProof:
		b.answerAskProof(from, m)
	case *Proof:
		b.receiveProof(m)
	}
}

// Deliver handles a message that was routed to a channel, which this node is closest to. Its sender is not
// authenticated.
func (b *Budget) Deliver(from engine.Peer, m engine.Message) {
	if m, ok := m.(*AskProof); ok {
		b.answerAskProof(from, m)
	}
}

// Reconfigure applies another configuration.
func (b *Budget) Reconfigure(c Config) { b.config = c }

// Hosted reports whether the load of hosts is bounded.
func (b *Budget) Hosted() bool { return b.Keys != nil && b.config.HostCeiling > 0 }

// MayLead reports whether a node can be, or just have been, a channel's primary.
func (b *Budget) MayLead(id, channel engine.ID) bool {
	return b.Base.MayLead(id, channel, b.host.Nodes())
}

// turns returns how many turns of one host this node may take in an interval.
func (b *Budget) turns() int { return max(1, b.config.HostCeiling/max(1, b.host.Nodes())) }
