package pastry

import (
	"time"

	"tidings/network/engine"
)

// pending is a message that the next hop has not acknowledged.
type pending struct {
	m     *Routed
	hop   engine.Peer
	tried []attempted // hops that kept silent, this one not among them
	tries int
	at    time.Duration // when this hop was sent it
	timer engine.Timer
}

// attempted is a hop that has kept silent so far, and when it was sent the message.
type attempted struct {
	id engine.ID
	at time.Duration
}

// send sends a message on to a next hop and answers for it until that one acknowledges. It
// reports whether there was room.
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
	p.hop, p.at = hop, n.env.Now()
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
	return wait + n.Patience()
}

// Patience is how much longer than usual others' answers are to be waited for, as nodes are busy of late. It is at most
// some seconds.
func (n *Node) Patience() time.Duration { return lagFactor * n.lag }

// Where hops are busy, lagFactor times the lag is waited for, as answers scatter then; and maxLag is the most that is
// believed: who answers late on purpose is found dead so much later.
const (
	lagFactor = 4
	maxLag    = 4 * time.Second
	alone     = 500 * time.Millisecond // is believed of a single node
)

// answeredAfter learns from an acknowledgement or an answer by how much more than a round trip others take to answer, as
// they do where they have too much to do. To take them for silent, send the message elsewhere as well and probe them
// would give everybody still more to do, until the ring falls apart. It grows at once and falls slowly. But it takes
// two to grow far: one node that is slow, or lies, makes nobody wait long for the others.
func (n *Node) answeredAfter(who engine.ID, passed time.Duration) {
	usual := n.config.ProbeTimeout / 2 // what takes longer is no way but a wait
	if rtt, ok := n.RTT(who); ok {
		usual = min(usual, rtt)
	}
	over := min(max(passed-usual, 0), maxLag)
	if over <= n.lag {
		n.lag += (over - n.lag) / 16
		return
	}
	believed := max(alone, 4*n.latest.over)
	if n.latest.who == who && len(n.known.list) > 1 {
		believed = alone
	}
	n.latest = lateness{who, over}
	n.lag += max(min(over, believed)-n.lag, 0) / 2
}

// lateness is by how much more than a round trip somebody took to answer.
type lateness struct {
	who  engine.ID
	over time.Duration
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
	p.tried = append(p.tried, attempted{p.hop.ID, p.at})
	next, further := n.next(p.m, p.silent())
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
	if p := n.pending[of]; p != nil {
		if at, asked := p.asked(from.ID); asked {
			n.answeredAfter(from.ID, n.env.Now()-at)
			p.timer.Stop()
			delete(n.pending, of)
		}
	}
	if m.Delivered && m.Origin == n.known.self {
		n.delivered(m.Number)
	}
}

// silent returns the hops that have not acknowledged the message in time.
func (p *pending) silent() []engine.ID {
	ids := make([]engine.ID, len(p.tried))
	for i, a := range p.tried {
		ids[i] = a.id
	}
	return ids
}

// asked returns when a node was sent the message, if it was.
func (p *pending) asked(id engine.ID) (at time.Duration, was bool) {
	if p.hop.ID == id {
		return p.at, true
	}
	for _, a := range p.tried {
		if a.id == id {
			return a.at, true
		}
	}
	return 0, false
}
