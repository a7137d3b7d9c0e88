package version

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// equivocator is a node that is proved to have assigned one number to two contents. For equivocatorAge nothing is
// accepted from it as an owner.
type equivocator struct {
	proof Equivocation
	at    time.Duration
}

const (
	maxEquivocators = 256
	equivocatorAge  = falseReportAge
)

// isEquivocator reports whether a node is known to equivocate.
func (n *seals) isEquivocator(node engine.ID) bool { return n.proofAgainst(node) != nil }

// proofAgainst returns the proof that a node equivocates, or nil.
func (n *seals) proofAgainst(node engine.ID) *Equivocation {
	for i := range n.equivocators {
		if e := &n.equivocators[i]; e.proof.First.Giver.ID == node && n.Env.Now()-e.at < equivocatorAge {
			return &e.proof
		}
	}
	return nil
}

// compareHeaders is called with every well signed header: its giver may have signed another content for
// that number.
func (n *seals) compareHeaders(h *Header) {
	s := n.latest.of[h.Channel]
	if s != nil && s.header.Version == h.Version && s.header.Hash != h.Hash && s.header.Giver.ID == h.Giver.ID {
		n.record(&Equivocation{s.header, *h}, engine.Peer{})
	}
}

// isProof reports whether an equivocation is proved: one node has signed both headers.
func (n *seals) isProof(e *Equivocation) bool {
	a, b := &e.First, &e.Second
	return a.Giver.ID == b.Giver.ID && a.Channel == b.Channel && a.Version == b.Version && a.Hash != b.Hash &&
		n.isSigned(a) && n.isSigned(b)
}

// receiveEquivocation accepts a proof from another node. One against a known equivocator costs nothing.
func (n *seals) receiveEquivocation(from engine.Peer, m *Equivocation) {
	now := n.Env.Now()
	switch {
	case n.Keys == nil, n.isEquivocator(m.First.Giver.ID), n.forgers.known(from.ID, now):
	case n.isProof(m):
		n.record(m, from)
	default:
		n.forgers.add(from.ID, now)
		n.Env.Trace(Refused{m.First.Channel, m.First.Version, from.ID, Forged})
	}
}

// record excludes a node as an owner, and sends the proof to the channel's owners and contacts. The next owner makes a
// version above the doubled one.
func (n *seals) record(e *Equivocation, from engine.Peer) {
	channel, node := e.First.Channel, e.First.Giver.ID
	n.equivocators = slices.DeleteFunc(n.equivocators,
		func(c equivocator) bool { return c.proof.First.Giver.ID == node })
	if len(n.equivocators) >= maxEquivocators {
		n.equivocators = slices.Delete(n.equivocators, 0, 1)
	}
	n.equivocators = append(n.equivocators, equivocator{*e, n.Env.Now()})
	n.Env.Trace(Equivocated{channel, e.First.Version, node})
	n.raiseFloor(channel, e.First.Version)
	n.Roster.Shun(node, channel, n.Env.Now()+equivocatorAge)
	n.spread(e, from) // if this node leads the polling set now, to all of it
	if o := n.find(channel); o != nil && o.Primary() {
		n.numbering.reunite(o)
	}
}

// spread passes a proof on, once: to the owners, and up and down the polling set.
func (n *seals) spread(e *Equivocation, from engine.Peer) {
	channel := e.First.Channel
	to := n.Plan.Below(channel)
	if p, ok := n.Plan.Above(channel); ok {
		to = append(to, p)
	}
	if owners, sure := n.Roster.Owners(channel, n.config.Owners); sure {
		to = append(to, owners...)
	} else {
		n.Ring.Route(n.AlternateKey(channel), e)
	}
	notified := []engine.ID{from.ID, e.First.Giver.ID, n.Env.Self().ID}
	for _, p := range to {
		if !slices.Contains(notified, p.ID) {
			notified = append(notified, p.ID)
			n.Env.Send(p, e)
		}
	}
}
