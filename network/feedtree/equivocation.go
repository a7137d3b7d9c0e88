package feedtree

import (
	"time"

	"tidings/network/engine"
)

// convictions are proofs that publishers have given a number twice, by topic.
type convictions struct {
	env engine.Env
	of  recent[engine.ID, *conviction]
}

// conviction is what a node knows of a topic's publisher that has given a number twice. The first proof is enough for
// all nodes except those that have forgiven that number. For them, another proof of a later number is kept and
// announced too.
type conviction struct {
	first, latest *Equivocation
	came          time.Duration // when the latest did
}

// proofRest is how long after a proof another one of the same topic costs nothing, and goes no further.
const proofRest = time.Minute

// adds reports whether a proof says something that is not known, at a time.
func (c *conviction) adds(e *Equivocation, now time.Duration) bool {
	return c == nil || e.First.Number > c.latest.First.Number && now >= c.came+proofRest
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

// on returns what is known of a topic; nil: nothing.
func (c *convictions) on(topic engine.ID) *conviction {
	k, _ := c.of.get(topic)
	return k
}

// adds reports whether a proof says something that is not known.
func (c *convictions) adds(e *Equivocation) bool { return c.on(e.Topic).adds(e, c.env.Now()) }

// add keeps a proof that adds something.
func (c *convictions) add(e *Equivocation) {
	k := c.on(e.Topic)
	if k == nil {
		k = &conviction{first: e}
		c.of.put(e.Topic, k)
	}
	k.latest, k.came = e, c.env.Now()
}

// forgive forgets what is known of a topic, and returns the highest number that was given twice; 0: none.
func (c *convictions) forgive(topic engine.ID) (upTo uint64) {
	if k := c.on(topic); k != nil {
		upTo = k.latest.First.Number
		c.of.put(topic, nil)
	}
	return upTo
}

// convict keeps a proof that a topic's publisher has given a number twice, if it is new. Then it reports the proof to
// this node's neighbours in the tree.
func (n *Node) convict(e *Equivocation, from engine.Peer) {
	n.authors.doubled(e)
	if !n.convictions.adds(e) || n.forgives(e) {
		return
	}
	n.convictions.add(e)
	n.env.Trace(Equivocated{*e})
	n.listener.Equivocated(e.Topic)
	for _, p := range beside(n.tree, e.Topic) {
		if p.ID != from.ID {
			n.env.Send(p, e)
		}
	}
	if f := n.followings.index[e.Topic]; f != nil {
		n.doubt(f, e)
	}
}

// beside returns the parent and the children in a topic's tree.
func beside(tree Tree, topic engine.ID) []engine.Peer {
	children := tree.Children(topic)
	if parent, ok := tree.Parent(topic); ok {
		return append([]engine.Peer{parent}, children...)
	}
	return children
}

// receiveEquivocation receives a proof from another node. One that adds nothing costs nothing.
func (n *Node) receiveEquivocation(from engine.Peer, m *Equivocation) {
	known := !n.convictions.adds(m) || n.forgives(m)
	if known || !n.holds(m.Topic) && len(beside(n.tree, m.Topic)) == 0 {
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
		if why := n.record.judge(m.Topic, &s, from); why != Genuine && why != Void {
			return why
		}
	}
	return Genuine
}

// doubt makes a follower accept neither of two items of one number, unless it already has one: no node knows which is
// meant. The conventional feed shows.
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
