package pastry

import (
	"slices"
	"time"

	"tidings/network/engine"
)

// pending is a message that the next hop has not acknowledged.
type pending struct {
	m     *Routed
	hop   engine.Peer
	tried []engine.ID // hops that kept silent, this one not among them
	tries int
	timer engine.Timer
}

// send sends a message on to a next hop and answers for it until that one acknowledges. It
// tells whether there was room.
func (n *Node) send(m *Routed, next engine.Peer) bool {
	p := n.pending[nameOf(m)]
	if p == nil {
		if len(n.pending) >= n.config.MaxPending {
			n.limitHit("MaxPending", n.config.MaxPending)
			return false
		}
		p = &pending{}
		n.pending[nameOf(m)] = p
	}
	p.timer.Stop()
	*p = pending{m: m}
	n.try(p, next)
	return true
}

func (n *Node) try(p *pending, hop engine.Peer) {
	p.hop = hop
	p.tries++
	sent := *p.m
	sent.Hops++
	n.env.Trace(Forwarded{sent.Key, hop, int(sent.Hops)})
	n.env.Send(hop, &sent)
	p.timer = n.env.After(n.hopTimeout(p), func() { n.hopTimedOut(p) })
}

func (n *Node) hopTimeout(p *pending) time.Duration {
	wait := n.config.HopTimeout
	if rtt, ok := n.RTT(p.hop.ID); ok {
		wait = min(wait, time.Duration(p.tries)*(2*rtt+n.config.MinHopTimeout))
	}
	return wait
}

// hopTimedOut tries another way.
func (n *Node) hopTimedOut(p *pending) {
	n.env.Trace(Retried{p.m.Key, p.hop})
	n.suspect(p.hop)
	n.maybeWake()
	if n.state != active { // it has slept meanwhile
		delete(n.pending, nameOf(p.m))
		n.accept(p.m)
		return
	}
	if p.tries >= n.config.HopTries {
		n.limitHit("HopTries", n.config.HopTries)
		delete(n.pending, nameOf(p.m))
		return // it is the origin's to send it again
	}
	p.tried = append(p.tried, p.hop.ID)
	next, further := n.next(p.m, p.tried)
	if !further {
		delete(n.pending, nameOf(p.m))
		n.deliver(p.m)
		return
	}
	n.try(p, next)
}

// onAck ends this node's duty for a message, and for its own ones the watch over them. A hop
// that was given up may still be the one that has it.
func (n *Node) onAck(from engine.Peer, m *Ack) {
	of := name{m.Origin, m.Number}
	if p := n.pending[of]; p != nil && (p.hop.ID == from.ID || slices.Contains(p.tried, from.ID)) {
		p.timer.Stop()
		delete(n.pending, of)
	}
	if m.Delivered && m.Origin == n.known.self {
		n.delivered(m.Number)
	}
}
