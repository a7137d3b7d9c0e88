package pastry

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// probe is a question under way: does this peer live at this address?
type probe struct {
	peer      engine.Peer
	leaf      bool            // it is, or may become, a neighbour; see Probe.Leaf
	doubt     bool            // it is under suspicion
	down      bool            // the network cannot reach it, as it says
	again     time.Duration   // how long after it did not answer; 0: it was not asked before
	duplicate bool            // another node has its ID: does it live still?
	told      bool            // it was begun by another's claim that the peer is dead
	claimants []engine.Peer   // nodes that have found it dead meanwhile; at most MaxLeafSet
	left      uint64          // the digest of what the latest try left out, as the peer should keep it; 0: nothing
	nonce     uint32          // of the first try; each further one adds one
	sent      []time.Duration // when each try was
	timer     engine.Timer
}

func (q *probe) tries() int { return len(q.sent) }

// sentAt returns when the try that a nonce is of was sent.
func (q *probe) sentAt(nonce uint32) (at time.Duration, ok bool) {
	if i := nonce - q.nonce; uint64(i) < uint64(len(q.sent)) {
		return q.sent[i], true
	}
	return 0, false
}

// ask probes a peer, unless that is under way. Those that are known, or were, can be probed at
// any time, and there are only so many of them; those known by hearsay only while there is
// room, so that liars cost little.
func (n *Node) ask(p engine.Peer, leaf bool) *probe {
	if under := n.probing(p); under != nil {
		if leaf && !under.leaf {
			under.leaf = true
			n.settling++
		}
		return under
	}
	if len(n.probes) >= n.config.MaxProbes && !n.met(p) {
		n.limitHit("MaxProbes", n.config.MaxProbes)
		return nil
	}
	q := &probe{peer: p, leaf: leaf, nonce: n.env.Rand().Uint32()}
	n.probes = append(n.probes, q)
	if leaf {
		n.settling++
	}
	n.sendProbe(q)
	return q
}

func (n *Node) sendProbe(q *probe) {
	c := n.known.find(q.peer.ID)
	m := &Probe{Nonce: q.nonce + uint32(q.tries()), Active: n.state == active, Knows: c != nil, Leaf: q.leaf, Incarnation: n.incarnation}
	if q.leaf {
		m.Dead = n.deadNearby()
		m.Near = n.near(q.peer.ID, m.Dead)
		m.Digest, m.Keeps = n.known.digestFor(c, m.Near), c.keeps()
		if q.left = 0; m.Digest != 0 && m.Digest == c.holds {
			q.left, m.Near = m.Digest, nil
		}
	}
	q.sent = append(q.sent, n.env.Now())
	n.env.Send(q.peer, m)
	wait := n.config.ProbeTimeout
	if !q.down { // who cannot be reached is not busy
		wait += n.Patience()
	}
	q.timer = n.env.After(wait, func() { n.probeTimedOut(q) })
}

func (n *Node) probeTimedOut(q *probe) {
	if q.tries() < n.maxTries(q) {
		n.sendProbe(q)
		return
	}
	n.endProbe(q)
	n.late.add(q)
	n.unanswered(q, q.tries() >= n.config.ProbeTries)
	n.maybeSettled()
}

// maxTries returns how often a peer is asked before it counts as dead: those whose life decides
// anything as often as it takes to be sure, or half as often if the network says that they are down. Others are of use, and will be told of again.
func (n *Node) maxTries(q *probe) int {
	if q.down {
		return (n.config.ProbeTries + 1) / 2
	}
	if c := n.known.find(q.peer.ID); q.leaf || q.duplicate || c != nil && c.peer == q.peer {
		return n.config.ProbeTries
	}
	return min(2, n.config.ProbeTries)
}

func (n *Node) endProbe(q *probe) {
	q.timer.Stop()
	if q.leaf {
		n.settling--
	}
	last := len(n.probes) - 1
	n.probes[slices.Index(n.probes, q)] = n.probes[last]
	n.probes[last] = nil
	n.probes = n.probes[:last]
}

// probing returns the probe that is out to a peer, nil if there is none.
func (n *Node) probing(p engine.Peer) *probe {
	for _, q := range n.probes {
		if q.peer == p {
			return q
		}
	}
	return nil
}

// answeredBy returns the probe that an answer ends; nil: there is none. The nonce says which, wherever the peer was asked and is now. An answer to an earlier
// probe serves as well, but not where the question is whether the peer lives at an address still: it may have been there then.
func answeredBy(probes []*probe, from engine.Peer, nonce uint32) (earlier *probe) {
	for _, q := range probes {
		if _, ok := q.sentAt(nonce); ok && q.peer.ID == from.ID {
			return q
		}
		if q.peer == from && !q.duplicate {
			earlier = q
		}
	}
	return earlier
}

// late are the latest probes that were not answered in time.
type late struct {
	probes [maxLate]*probe
	next   int
}

const maxLate = 32

func (l *late) add(q *probe) {
	l.probes[l.next] = q
	l.next = (l.next + 1) % maxLate
}

// take returns the probe that somebody answers, nil if there is none, and forgets it.
func (l *late) take(from engine.ID, nonce uint32) *probe {
	for i, q := range l.probes {
		if q != nil && q.peer.ID == from {
			if _, ok := q.sentAt(nonce); ok {
				l.probes[i] = nil
				return q
			}
		}
	}
	return nil
}

// suspect probes a peer that has given a reason to, and routes around it meanwhile.
func (n *Node) suspect(p engine.Peer) {
	c := n.known.find(p.ID)
	if c == nil || c.peer != p {
		return
	}
	n.ask(p, n.known.inLeafSet(p.ID)).doubt = true
}

func (n *Node) suspected(p engine.Peer) bool {
	q := n.probing(p)
	return q != nil && (q.doubt || q.tries() > 1)
}

// onProbe answers, after a look at who else the prober knows and whom it found dead.
func (n *Node) onProbe(from engine.Peer, m *Probe) {
	near := n.known.take(from, m.Digest, m.Near)
	c := n.known.find(from.ID)
	a := &Answer{Nonce: m.Nonce, Active: n.state == active, Knows: c != nil, Incarnation: n.incarnation, Keeps: c.keeps()}
	if m.Leaf {
		if c != nil {
			c.holds = m.Keeps
		}
		a.Near = n.near(from.ID, m.Dead)
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

// onAnswer ends a probe. An answer that comes too late tells as much: who is busy is not dead.
func (n *Node) onAnswer(from engine.Peer, m *Answer) {
	s := sign{active: m.Active, knows: m.Knows, incarnation: m.Incarnation}
	if q := n.late.take(from.ID, m.Nonce); q != nil {
		at, _ := q.sentAt(m.Nonce)
		n.answeredAfter(from.ID, n.env.Now()-at)
		s.answered, s.elder = true, q.duplicate && q.peer == from
		q.contradictAll(n, from)
	}
	if q := answeredBy(n.probes, from, m.Nonce); q != nil {
		s.answered, s.near, s.elder = true, q.leaf, s.elder || q.duplicate && q.peer == from
		if at, ok := q.sentAt(m.Nonce); ok {
			s.rtt = max(n.env.Now()-at, 1)
			n.answeredAfter(from.ID, s.rtt)
		}
		n.confirmed = n.confirmed || q.leaf && m.Active
		defer n.maybeSettled()
		n.endProbe(q)
		q.contradictAll(n, from)
		defer q.maybeTellAgain(n, m)
	}
	n.meet(from, s)
	n.learn(n.known.take(from, m.Digest, m.Near))
}

// maybeTellAgain notes what a neighbour keeps of what this node tells, and asks it once more if something was left out that it does not keep.
func (q *probe) maybeTellAgain(n *Node, m *Answer) {
	if c := n.known.find(q.peer.ID); c != nil {
		if c.holds = m.Keeps; q.left != 0 && m.Keeps != q.left {
			n.ask(c.peer, q.leaf)
		}
	}
}

// near returns the neighbours of id as far as this node knows.
func (n *Node) near(id engine.ID, skip []engine.ID) []engine.Peer {
	return n.known.around(id, n.env.Self(), skip)
}

// PeerDown looks after a peer that the network cannot reach. One that is known only by
// hearsay is given up at once; another has a few probes before it is believed dead: it may have
// restarted, or the way to it broken for a moment. It is the same wherever it was tried: its address may have changed since it spoke last.
func (n *Node) PeerDown(p engine.Peer) {
	if n.state == idle {
		return
	}
	n.seedDown(p.ID)
	if q := n.probing(p); q != nil && !n.met(p) {
		n.endProbe(q)
		n.unanswered(q, true)
		n.maybeSettled()
		return
	}
	if c := n.known.find(p.ID); c != nil {
		n.suspect(c.peer)
		if q := n.probing(c.peer); !q.down {
			q.down = true
			q.timer.Stop()
			q.timer = n.env.After(n.config.ProbeTimeout, func() { n.probeTimedOut(q) })
		}
	}
}

// maybeAskAgain asks once more, after times that double until lost peers are looked for in any case, for one that is a neighbour if it lives: the way to it may have
// broken, as where a router has another address, and others find one soon. Nobody waits for it meanwhile.
func (q *probe) maybeAskAgain(n *Node) {
	wait := max(2*q.again, n.config.JoinTimeout)
	if wait >= n.config.KeepAlive || !n.known.nearby(q.peer.ID) {
		return
	}
	n.env.After(n.jitter(wait), func() {
		if n.state == idle || n.known.find(q.peer.ID) != nil || !n.known.nearby(q.peer.ID) || n.known.crowded(q.peer) {
			return
		}
		if next := n.ask(q.peer, false); next != nil {
			next.again = wait
		}
	})
}
