package believe

import (
	"slices"
	"time"

	"tidings/network/corona/version/update"
	"tidings/network/engine"
	"tidings/network/table"
)

// equivocator is a node that is proved to have assigned one number to two contents. For EquivocatorAge nothing is
// accepted from it as an owner.
type equivocator struct {
	proof Equivocation
	at    time.Duration
}

const (
	maxEquivocators = 256
	EquivocatorAge  = table.OffenceAge
)

// IsEquivocator reports whether a node is known to equivocate.
func (n *seals) IsEquivocator(node engine.ID) bool { return n.ProofAgainst(node) != nil }

// ProofAgainst returns the proof that a node equivocates, or nil.
func (n *seals) ProofAgainst(node engine.ID) *Equivocation {
	for i := range n.equivocators {
		if e := &n.equivocators[i]; e.proof.First.Giver.ID == node && n.Env.Now()-e.at < EquivocatorAge {
			return &e.proof
		}
	}
	return nil
}

// Compare compares a well signed header with the one that is known: its giver may have signed another content for that
// number. It returns the proof, if that is new.
func (n *seals) Compare(h *update.Header) *Equivocation {
	s, _ := n.latest.Get(h.Channel)
	if s == nil || s.header.Version != h.Version || s.header.Hash == h.Hash || s.header.Giver.ID != h.Giver.ID {
		return nil
	}
	return n.exclude(&Equivocation{s.header, *h})
}

// isProof reports whether an equivocation is proved: one node has signed both headers.
func (n *seals) isProof(e *Equivocation) bool {
	a, b := &e.First, &e.Second
	return a.Giver.ID == b.Giver.ID && a.Channel == b.Channel && a.Version == b.Version && a.Hash != b.Hash &&
		update.IsSigned(n.Keys, a) && update.IsSigned(n.Keys, b)
}

// ReceiveEquivocation accepts a proof from another node, and returns it if it is new. One against a known equivocator
// costs nothing.
func (n *seals) ReceiveEquivocation(from engine.Peer, m *Equivocation) *Equivocation {
	now := n.Env.Now()
	switch {
	case n.Keys == nil, n.IsEquivocator(m.First.Giver.ID), n.forgers.Known(from.ID, now):
	case n.isProof(m):
		return n.exclude(m)
	default:
		n.forgers.Add(from.ID, now)
		update.Refuse(&n.Base, m.First.Channel, m.First.Version, from, update.Forged)
	}
	return nil
}

// exclude excludes a node as an owner, and returns the proof.
func (n *seals) exclude(e *Equivocation) *Equivocation {
	node := e.First.Giver.ID
	n.equivocators = slices.DeleteFunc(n.equivocators,
		func(c equivocator) bool { return c.proof.First.Giver.ID == node })
	if len(n.equivocators) >= maxEquivocators {
		n.equivocators = slices.Delete(n.equivocators, 0, 1)
	}
	n.equivocators = append(n.equivocators, equivocator{*e, n.Env.Now()})
	n.Env.Trace(Equivocated{e.First.Channel, e.First.Version, node})
	return e
}
