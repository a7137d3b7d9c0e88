package corona

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// equivocators lists the nodes that are proved to have given one number to two contents, the latest last. For
// equivocatorAge such a node counts as an owner of nothing, and no version that it gives is accepted.
type equivocators struct{ list []equivocator }

type equivocator struct {
	proof Equivocation
	at    time.Duration
}

func (c *equivocator) node() engine.ID { return c.proof.First.Giver.ID }

const (
	maxEquivocators = 256
	equivocatorAge  = falseReportAge
)

// isEquivocator reports whether a node is known to equivocate.
func (n *versioner) IsEquivocator(node engine.ID) bool { return n.proofAgainst(node) != nil }

// proofAgainst returns what proves that a node equivocates; nil if nothing does.
func (n *versioner) proofAgainst(node engine.ID) *Equivocation {
	list := n.versions.equivocators.list
	i := slices.IndexFunc(list, func(c equivocator) bool { return c.node() == node })
	if i < 0 || n.Env.Now()-list[i].at >= equivocatorAge {
		return nil
	}
	return &list[i].proof
}

// compareHeaders is called with every header whose signature is good: the same node may have
// signed another content for that number.
func (n *versioner) compareHeaders(h *Header) {
	s := n.versions.seals.of[h.Channel]
	if s == nil || s.header.Version != h.Version || s.header.Hash == h.Hash || s.header.Giver.ID != h.Giver.ID {
		return
	}
	n.recordEquivocation(&Equivocation{s.header, *h}, engine.Peer{})
}

// isProof reports whether an equivocation is one: both headers are signed, by one node.
func (n *versioner) isProof(e *Equivocation) bool {
	a, b := &e.First, &e.Second
	return a.Giver.ID == b.Giver.ID && a.Channel == b.Channel && a.Version == b.Version && a.Hash != b.Hash &&
		n.isSigned(a) && n.isSigned(b)
}

// takeEquivocation accepts a proof that another node has sent. One of a node that is known
// already costs nothing.
func (n *versioner) takeEquivocation(from engine.Peer, m *Equivocation) {
	now := n.Env.Now()
	switch {
	case n.Keys == nil, n.IsEquivocator(m.First.Giver.ID), n.versions.forgers.known(from.ID, now):
	case n.isProof(m):
		n.recordEquivocation(m, from)
	default:
		n.versions.forgers.add(from.ID, now)
		n.Env.Trace(Refused{m.First.Channel, m.First.Version, from.ID, Forged})
	}
}

// recordEquivocation counts a node as an owner no longer, and tells those who matter to the channel.
// The next owner takes its place, and makes a version above the doubled one.
func (n *versioner) recordEquivocation(e *Equivocation, from engine.Peer) {
	l := &n.versions.equivocators.list
	*l = slices.DeleteFunc(*l, func(c equivocator) bool { return c.node() == e.First.Giver.ID })
	if len(*l) >= maxEquivocators {
		*l = slices.Delete(*l, 0, 1)
	}
	*l = append(*l, equivocator{*e, n.Env.Now()})
	n.node.roster.Shun(e.First.Giver.ID, n.Env.Now()+equivocatorAge)
	channel := e.First.Channel
	n.Env.Trace(Equivocated{channel, e.First.Version, e.First.Giver.ID})
	n.raiseFloor(channel, e.First.Version)
	o := n.node.roster.Find(channel)
	if o != nil {
		n.node.roster.Reassess(o.Owned)
	}
	n.spreadProof(e, from) // if this node leads the wedge now, to all of it
	if o != nil && o.Primary() {
		n.reunite(o)
	}
}

// spreadProof passes a proof on, once: to the owners, and up and down the wedge.
func (n *versioner) spreadProof(e *Equivocation, from engine.Peer) {
	channel := e.First.Channel
	to := n.node.plan.Below(channel)
	if above, ok := n.node.plan.Above(channel); ok {
		to = append(to, above)
	}
	owners, sure := n.node.roster.Owners(channel, n.config.Owners)
	if sure {
		to = append(to, owners...)
	} else {
		n.Ring.Route(n.AlternateKey(channel), e)
	}
	var told []engine.ID
	for _, p := range to {
		if p.ID != from.ID && p.ID != e.First.Giver.ID && !n.IsSelf(p) && !slices.Contains(told, p.ID) {
			told = append(told, p.ID)
			n.Env.Send(p, e)
		}
	}
}
