package pastry

import "tidings/network/engine"

// suspect probes a peer that has given a reason to, and routes around it meanwhile.
func (n *Node) suspect(p engine.Peer) {
	c := n.known.find(p.ID)
	if c == nil || c.peer != p {
		return
	}
	n.prober.doubt(p, n.known.inLeafSet(p.ID))
}

// probeFor returns what to ask a peer, and the digest of what was left out.
func (n *Node) probeFor(p engine.Peer, leaf bool) (m *Probe, left uint64) {
	n.introduce(p)
	c := n.known.find(p.ID)
	m = &Probe{Active: n.Active(), Knows: c != nil, Leaf: leaf, Incarnation: n.incarnation}
	if leaf {
		m.Dead = n.lost.lately(n.env.Now()-2*n.config.KeepAlive, n.known.nearby) // found dead where the leaf set is
		m.Near = n.known.near(p.ID, m.Dead)
		m.Digest, m.Keeps = n.known.digestFor(c, m.Near), c.keeps()
		if m.Digest != 0 && m.Digest == c.holds {
			left, m.Near = m.Digest, nil
		}
	}
	return m, left
}

// introduce names to the Env those by which it can reach a neighbour to which it has no way: the nodes next to that one
// in the leaf set. Neighbours farther apart exchange nothing for hours, and connections and routes between them end.
// Nodes next to each other keep theirs by keep-alives. Without them the Env asks the last nodes that have named the
// neighbour, which may have lost it too. Then a node behind a router would be found dead, though it lives.
func (n *Node) introduce(p engine.Peer) {
	if !engine.IntroducerOf(n.env, p.ID).IsZero() {
		return
	}
	for _, by := range n.known.beside(p.ID) {
		engine.Introduce(n.env, p.ID, by)
	}
}

// keeps reports whether a peer is known, at this address.
func (n *Node) keeps(p engine.Peer) bool {
	c := n.known.find(p.ID)
	return c != nil && c.peer == p
}

// onProbe answers, after a look at the nodes that the prober knows and those that it found dead.
func (n *Node) onProbe(from engine.Peer, m *Probe) {
	near := n.known.receiveNear(from, m.Digest, m.Near)
	c := n.known.find(from.ID)
	a := &Answer{Nonce: m.Nonce, Active: n.Active(), Knows: c != nil, Incarnation: n.incarnation, Keeps: c.keeps()}
	if m.Leaf {
		if c != nil {
			c.holds = m.Keeps
		}
		a.Near = n.known.near(from.ID, m.Dead)
		if a.Digest = n.known.digestFor(c, a.Near); a.Digest != 0 && a.Digest == m.Keeps {
			a.Near = nil
		}
	}
	n.env.Send(from, a)
	n.meet(from, sign{active: m.Active, knows: m.Knows, near: m.Leaf, incarnation: m.Incarnation})
	for _, id := range m.Dead {
		n.onDead(id, from)
	}
	n.learn(near)
}

// onAnswer ends a probe. An answer that comes too late says as much: a busy node is not dead.
func (n *Node) onAnswer(from engine.Peer, m *Answer) {
	s := sign{active: m.Active, knows: m.Knows, incarnation: m.Incarnation}
	if late := n.prober.answerLate(from.ID, m.Nonce); late != nil {
		at, _ := late.sentAt(m.Nonce)
		n.answeredAfter(from.ID, n.env.Now()-at)
		s.answered, s.elder = true, late.duplicate && late.peer == from
		n.contradict(from, late.claimants...)
	}
	q := n.prober.answer(from, m.Nonce)
	if q != nil {
		s.answered, s.near, s.elder = true, q.leaf, s.elder || q.duplicate && q.peer == from
		if at, ok := q.sentAt(m.Nonce); ok {
			s.rtt = max(n.env.Now()-at, 1)
			n.answeredAfter(from.ID, s.rtt)
		}
		n.membership.confirmed = n.membership.confirmed || q.leaf && m.Active
		n.contradict(from, q.claimants...)
	}
	n.meet(from, s)
	n.learn(n.known.receiveNear(from, m.Digest, m.Near))
	if q == nil {
		return
	}
	if c := n.known.find(q.peer.ID); c != nil {
		if c.holds = m.Keeps; q.left != 0 && m.Keeps != q.left { // it does not keep what was left out
			n.prober.ask(c.peer, q.leaf)
		}
	}
	n.maybeSettled()
}

// PeerDown looks after a peer that the network cannot reach. A peer known only by hearsay is given up at once. Another
// gets several probes before it is believed dead: it may have restarted, or the way to it was broken for a moment. It
// is the same wherever it was tried: its address may have changed since it spoke last.
func (n *Node) PeerDown(p engine.Peer) {
	if n.membership.state == idle {
		return
	}
	n.joiner.down(p.ID)
	if !n.met(p) {
		if q := n.prober.cancel(p); q != nil {
			n.unanswered(q, true)
			return
		}
	}
	if c := n.known.find(p.ID); c != nil {
		n.prober.down(c.peer, n.known.inLeafSet(p.ID))
	}
}

// maybeAskAgain asks a peer once more that would be a neighbour if it lives. The waits double until lost peers are
// looked for in any case. The way to it may have broken, as when a router has another address, and others soon find
// one. Nothing waits for it meanwhile.
func (n *Node) maybeAskAgain(q *probe) {
	wait := max(2*q.again, n.config.JoinTimeout)
	if wait >= n.config.KeepAlive || !n.known.nearby(q.peer.ID) {
		return
	}
	n.env.After(jitter(n.env, wait), func() {
		if n.membership.state == idle || n.known.find(q.peer.ID) != nil || !n.known.nearby(q.peer.ID) ||
			n.known.crowded(q.peer) {
			return
		}
		n.prober.askAgain(q.peer, wait)
	})
}
