package feedtree

import (
	"time"

	"tidings/network/engine"
)

// place is where an item belongs.
type place struct {
	topic  engine.ID
	number uint64
}

// noteHead remembers an item whose signature is good, and reports whether no other has its number.
func (n *Node) noteHead(topic engine.ID, h *Head) bool {
	at := place{topic, h.Number}
	first, known := n.heads.get(at)
	switch {
	case !known:
		n.heads.put(at, *h)
		return true
	case first.Hash == h.Hash && first.Time == h.Time:
		return true
	}
	n.convict(&Equivocation{Topic: topic, First: first, Second: *h}, engine.Peer{})
	return false
}

// conviction is what a node knows of a topic's publisher that has given a number twice. The first proof is enough for
// everybody but those who have forgiven that number: for their sake another one of a later number is kept and told of as well.
type conviction struct {
	first, latest *Equivocation
	told          time.Duration // when the latest came
}

// proofRest is how long after a proof another one of the same topic costs nothing, and goes no further.
const proofRest = time.Minute

// adds reports whether a proof says something that is not known, at a time.
func (c *conviction) adds(e *Equivocation, now time.Duration) bool {
	return c == nil || e.First.Number > c.latest.First.Number && now >= c.told+proofRest
}

// proofs returns those that are kept, that of the lowest number first.
func (c *conviction) proofs() []*Equivocation {
	switch {
	case c == nil:
		return nil
	case c.first == c.latest:
		return []*Equivocation{c.first}
	}
	return []*Equivocation{c.first, c.latest}
}

// of returns the proof that a number was given twice; nil: there is none.
func (c *conviction) of(number uint64) *Equivocation {
	for _, e := range c.proofs() {
		if e.First.Number == number {
			return e
		}
	}
	return nil
}

func (n *Node) convictionOf(topic engine.ID) *conviction {
	c, _ := n.convictions.get(topic)
	return c
}

// convict keeps a proof that a topic's publisher has given a number twice, if it adds something, and tells those who stand beside
// this node in the tree.
func (n *Node) convict(e *Equivocation, from engine.Peer) {
	if a := n.authored.index[e.Topic]; a != nil {
		a.doubled(n, e)
	}
	c := n.convictionOf(e.Topic)
	if !c.adds(e, n.env.Now()) || n.forgives(e) {
		return
	}
	if c == nil {
		c = &conviction{first: e}
		n.convictions.put(e.Topic, c)
	}
	c.latest, c.told = e, n.env.Now()
	n.env.Trace(Equivocated{*e})
	n.listener.Equivocated(e.Topic)
	for _, p := range n.beside(e.Topic) {
		if p.ID != from.ID {
			n.env.Send(p, e)
		}
	}
	if f := n.followings.index[e.Topic]; f != nil {
		n.doubt(f, e)
	}
}

// beside returns the parent and the children in a topic's tree.
func (n *Node) beside(topic engine.ID) []engine.Peer {
	children := n.tree.Children(topic)
	if parent, ok := n.tree.Parent(topic); ok {
		return append([]engine.Peer{parent}, children...)
	}
	return children
}

// takeEquivocation takes a proof from another node. One that adds nothing costs nothing.
func (n *Node) takeEquivocation(from engine.Peer, m *Equivocation) {
	known := !n.convictionOf(m.Topic).adds(m, n.env.Now()) || n.forgives(m)
	if known || !n.holds(m.Topic) && len(n.beside(m.Topic)) == 0 {
		return
	}
	if why := n.proves(m, from); why != Genuine {
		n.refuse(m.Topic, m.First.Number, from, why)
		return
	}
	n.convict(m, from)
}

// proves returns what is wrong with a proof.
func (n *Node) proves(m *Equivocation, from engine.Peer) Why {
	if m.First.Number != m.Second.Number || m.First.Key != m.Second.Key ||
		m.First.Hash == m.Second.Hash && m.First.Time == m.Second.Time {
		return Malformed
	}
	for _, h := range []*Head{&m.First, &m.Second} {
		s := h.statement(m.Topic)
		if why := n.judge(m.Topic, &s, from); why != Genuine && why != Void {
			return why
		}
	}
	return Genuine
}

// doubt has a follower take neither of two items of one number, unless it has one: nobody knows which is
// meant. The conventional feed tells.
func (n *Node) doubt(f *following, e *Equivocation) {
	number := e.First.Number
	if !f.wants(number) {
		return
	}
	if at, here := f.find(number); here && f.later[at].state != held {
		return
	}
	n.drop(f, number)
	f.insert(later{number: number, time: e.First.Time, topic: e.Topic, state: kept})
	n.exists(f, number)
	n.settle(f)
	n.env.Trace(Fallback{e.Topic, number, number})
	n.listener.Fallback(e.Topic, number)
}
