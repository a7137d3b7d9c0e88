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
	claimed   bool            // it was begun by another's claim that the peer is dead
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

// prober asks peers whether they live, each at one address at a time and as often as is needed. It asks peers that are
// known, or were, at any time: their number is bounded. It asks those known by hearsay only while it asks fewer than
// Config.MaxProbes, so that liars cost little. Each probe ends once: by an answer, by cancel, or by probed.unanswered.
type prober struct {
	env    engine.Env
	config *Config
	node   probed
	probes []*probe
	leaves int // of probes: those to nodes that are, or may become, neighbours
	late   late
}

// probed is what a prober needs of its node.
type probed interface {
	// probeFor returns what to ask a peer, and the digest of what was left out.
	probeFor(p engine.Peer, leaf bool) (m *Probe, left uint64)
	// met reports whether a peer has spoken to this node, from this address, as far as it remembers.
	met(p engine.Peer) bool
	// keeps reports whether a peer is known, at this address.
	keeps(p engine.Peer) bool
	Patience() time.Duration
	// unanswered is called at the end of a probe without an answer. It is sure if the peer was asked as often as is
	// needed.
	unanswered(q *probe, sure bool)
}

// ask probes a peer, unless that is under way. It returns the probe, nil if there is no room.
func (a *prober) ask(p engine.Peer, leaf bool) *probe {
	if under := a.find(p); under != nil {
		if leaf && !under.leaf {
			under.leaf = true
			a.leaves++
		}
		return under
	}
	if len(a.probes) >= a.config.MaxProbes && !a.node.met(p) {
		limitHit(a.env, "MaxProbes", a.config.MaxProbes)
		return nil
	}
	q := &probe{peer: p, leaf: leaf, nonce: a.env.Rand().Uint32()}
	a.probes = append(a.probes, q)
	if leaf {
		a.leaves++
	}
	a.send(q)
	return q
}

// askElder probes a peer that has another address now, to see whether another node answers at this one.
func (a *prober) askElder(p engine.Peer) {
	if q := a.ask(p, false); q != nil {
		q.duplicate = true
	}
}

// askAgain probes a peer that did not answer, after a wait.
func (a *prober) askAgain(p engine.Peer, wait time.Duration) {
	if q := a.ask(p, false); q != nil {
		q.again = wait
	}
}

// doubt probes a peer that has given a reason to suspect it.
func (a *prober) doubt(p engine.Peer, leaf bool) {
	if q := a.ask(p, leaf); q != nil {
		q.doubt = true
	}
}

// claim probes a peer that another node has found dead, which gets its name if it answers.
func (a *prober) claim(p engine.Peer, leaf bool, claimant engine.Peer) {
	q := a.find(p)
	if q == nil {
		if q = a.ask(p, leaf); q == nil {
			return
		}
		q.doubt, q.claimed = true, true
	}
	if len(q.claimants) < MaxLeafSet && !slices.Contains(q.claimants, claimant) {
		q.claimants = append(q.claimants, claimant)
	}
}

// down probes a peer that the network reports as unreachable: it is not busy, and not waited for long.
func (a *prober) down(p engine.Peer, leaf bool) {
	a.doubt(p, leaf)
	if q := a.find(p); q != nil && !q.down {
		q.down = true
		q.timer.Stop()
		q.timer = a.env.After(a.config.ProbeTimeout, func() { a.timedOut(q) })
	}
}

func (a *prober) send(q *probe) {
	m, left := a.node.probeFor(q.peer, q.leaf)
	m.Nonce = q.nonce + uint32(q.tries())
	q.left = left
	q.sent = append(q.sent, a.env.Now())
	a.env.Send(q.peer, m)
	wait := a.config.ProbeTimeout
	if !q.down { // a node that cannot be reached is not busy
		wait += a.node.Patience()
	}
	q.timer = a.env.After(wait, func() { a.timedOut(q) })
}

func (a *prober) timedOut(q *probe) {
	if q.tries() < a.maxTries(q) {
		a.send(q)
		return
	}
	a.end(q)
	a.late.add(q)
	a.node.unanswered(q, q.tries() >= a.config.ProbeTries)
}

// maxTries returns how often a peer is asked before it counts as dead. If anything depends on its life, that is as
// often as is needed to be sure. If the network reports it as down, it is half as often. Others are of use, and will be
// named again.
func (a *prober) maxTries(q *probe) int {
	if q.down {
		return (a.config.ProbeTries + 1) / 2
	}
	if q.leaf || q.duplicate || a.node.keeps(q.peer) {
		return a.config.ProbeTries
	}
	return min(2, a.config.ProbeTries)
}

func (a *prober) end(q *probe) {
	q.timer.Stop()
	if q.leaf {
		a.leaves--
	}
	last := len(a.probes) - 1
	a.probes[slices.Index(a.probes, q)] = a.probes[last]
	a.probes[last] = nil
	a.probes = a.probes[:last]
}

// cancel ends the probe that is out to a peer, and returns it; nil: there is none.
func (a *prober) cancel(p engine.Peer) *probe {
	q := a.find(p)
	if q != nil {
		a.end(q)
	}
	return q
}

// find returns the probe that is out to a peer, nil if there is none.
func (a *prober) find(p engine.Peer) *probe {
	for _, q := range a.probes {
		if q.peer == p {
			return q
		}
	}
	return nil
}

// suspected reports whether a peer has given a reason to route around it, or has not answered once.
func (a *prober) suspected(p engine.Peer) bool {
	q := a.find(p)
	return q != nil && (q.doubt || q.tries() > 1)
}

// count returns how many peers are being probed that share the first digits of an ID.
func (a *prober) count(id engine.ID, digits int) (asked int) {
	for _, q := range a.probes {
		if q.peer.ID.CommonDigits(id, a.config.Digit) >= digits {
			asked++
		}
	}
	return asked
}

// answer ends the probe that an answer is to, and returns it; nil: there is none. The nonce says which, wherever the
// peer was asked and is now. An answer to an earlier probe serves as well. It does not if the question is whether the
// peer still lives at an address: it may have been there then.
func (a *prober) answer(from engine.Peer, nonce uint32) (answered *probe) {
	for _, q := range a.probes {
		if _, ok := q.sentAt(nonce); ok && q.peer.ID == from.ID {
			answered = q
			break
		}
		if q.peer == from && !q.duplicate {
			answered = q
		}
	}
	if answered != nil {
		a.end(answered)
	}
	return answered
}

// answerLate returns the probe that was given up and is answered now, once; nil: there is none.
func (a *prober) answerLate(from engine.ID, nonce uint32) *probe { return a.late.remove(from, nonce) }

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

// remove forgets the probe that a peer answers, and returns it; nil: there is none.
func (l *late) remove(from engine.ID, nonce uint32) *probe {
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
