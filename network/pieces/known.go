package pieces

import (
	"slices"
	"time"

	"tidings/network/engine"
)

const (
	// maxLenders is how many lenders of one content an owner knows.
	maxLenders = 64
	// maxNamed is how many of them it names at a time.
	maxNamed = 8
)

// known is which nodes lend what, as they have said to this node as an owner.
type known struct {
	lenders map[Ref][]lender
	perNode map[engine.ID]int // of lenders
	count   int
	ends    []ending // in the order of time; more than one for a lender that has announced again
}

// lender is a node that has said that it has some of a content.
type lender struct {
	peer  engine.Peer
	until time.Duration
}

// ending is when a lender that has not announced again is forgotten.
type ending struct {
	ref Ref
	id  engine.ID
	at  time.Duration
}

func newKnown() known {
	return known{lenders: make(map[Ref][]lender), perNode: make(map[engine.ID]int)}
}

// Known returns how many lenders this node knows as an owner, of all contents.
func (n *Node) Known() int { return n.known.count }

// lenderSays answers a node that lends a content, or looks for it.
func (n *Node) lenderSays(from engine.Peer, m *Announce) {
	if n.ring == nil {
		return
	}
	n.forgetLenders()
	if m.Lends {
		n.know(m.Ref, from)
	}
	n.env.Send(from, &Providers{Ref: m.Ref, Peers: n.knownOf(m.Ref, from)})
}

// know notes a lender.
func (n *Node) know(ref Ref, p engine.Peer) {
	k, now := &n.known, n.env.Now()
	until := now + 3*n.config.Announce
	list := k.lenders[ref]
	at := slices.IndexFunc(list, func(l lender) bool { return l.peer.ID == p.ID })
	switch {
	case at >= 0:
		list[at].peer = p
		if until < list[at].until+n.config.Announce/2 {
			return // it has announced just now: ends would grow
		}
		list[at].until = until
	case len(list) >= maxLenders:
		return // there are enough
	case k.count >= n.config.MaxKnown:
		n.limitHit("MaxKnown", n.config.MaxKnown)
		return
	case k.perNode[p.ID] >= n.config.MaxOfOne:
		n.limitHit("MaxOfOne", n.config.MaxOfOne)
		return
	default:
		k.lenders[ref] = append(list, lender{p, until})
		k.perNode[p.ID]++
		k.count++
	}
	k.ends = append(k.ends, ending{ref, p.ID, until})
}

// forgetLenders drops lenders that have not announced for long.
func (n *Node) forgetLenders() {
	k, now := &n.known, n.env.Now()
	for len(k.ends) > 0 && k.ends[0].at <= now {
		e := k.ends[0]
		k.ends = k.ends[1:]
		list := k.lenders[e.ref]
		at := slices.IndexFunc(list, func(l lender) bool { return l.peer.ID == e.id && l.until <= now })
		if at < 0 {
			continue // it has announced again
		}
		if list = slices.Delete(list, at, at+1); len(list) == 0 {
			delete(k.lenders, e.ref)
		} else {
			k.lenders[e.ref] = list
		}
		k.count--
		if k.perNode[e.id]--; k.perNode[e.id] == 0 {
			delete(k.perNode, e.id)
		}
	}
}

// knownOf returns some lenders of a content, this node among them if it is one, but not the one that asks.
func (n *Node) knownOf(ref Ref, asker engine.Peer) (some []engine.Peer) {
	if n.lending.index[ref] != nil && asker.ID != n.env.Self().ID {
		some = append(some, n.env.Self())
	}
	list := n.known.lenders[ref]
	if len(list) == 0 {
		return some
	}
	start := n.env.Rand().IntN(len(list))
	for i := range list {
		if l := list[(start+i)%len(list)]; l.peer.ID != asker.ID && len(some) < maxNamed {
			some = append(some, l.peer)
		}
	}
	return some
}

// Routed is the application of the messages about pieces on the ring.
type Routed struct{ n *Node }

// Routed returns the node that receives what was routed to a content's key.
func (n *Node) Routed() Routed { return Routed{n} }

// Forward lets a Seek pass.
func (Routed) Forward(engine.ID, engine.Message, engine.Peer) (goOn bool) { return true }

// Deliver answers a Seek, at the node closest to its key.
func (r Routed) Deliver(key engine.ID, _ engine.Peer, m engine.Message, _ int) {
	seek, ok := m.(*Seek)
	if !ok || r.n.ring == nil || KeyOf(seek.Ref) != key {
		return
	}
	owners, _ := r.n.ring.Owners(key, r.n.config.Owners)
	if seek.Asker.ID == r.n.env.Self().ID {
		r.n.askThem(seek.Ref, owners)
		return
	}
	r.n.env.Send(seek.Asker, &Owners{Ref: seek.Ref, Peers: owners[:min(len(owners), maxOwners)]})
}
