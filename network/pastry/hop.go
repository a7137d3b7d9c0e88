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
func (r *routing) send(m *Routed, next engine.Peer) bool {
	p := r.pending[nameOf(m)]
	if p == nil {
		if len(r.pending) >= r.config.MaxPending {
			limitHit(r.env, "MaxPending", r.config.MaxPending)
			return false
		}
		p = &pending{}
		r.pending[nameOf(m)] = p
	}
	p.timer.Stop()
	*p = pending{m: m}
	r.try(p, next)
	return true
}

func (r *routing) try(p *pending, hop engine.Peer) {
	p.hop, p.at = hop, r.env.Now()
	p.tries++
	sent := *p.m
	sent.Hops++
	r.env.Trace(Forwarded{sent.Key, hop, int(sent.Hops)})
	r.env.Send(hop, &sent)
	p.timer = r.env.After(r.hopTimeout(p), func() { r.hopTimedOut(p) })
}

func (r *routing) hopTimeout(p *pending) time.Duration {
	wait := r.config.HopTimeout
	if rtt, ok := r.node.RTT(p.hop.ID); ok {
		wait = min(wait, time.Duration(p.tries)*(2*rtt+r.config.MinHopTimeout))
	}
	return wait + r.node.Patience()
}

// hopTimedOut tries another way.
func (r *routing) hopTimedOut(p *pending) {
	r.env.Trace(Retried{p.m.Key, p.hop})
	r.node.suspect(p.hop)
	if !r.node.ready() { // it has slept meanwhile
		delete(r.pending, nameOf(p.m))
		r.accept(p.m)
		return
	}
	if p.tries >= r.config.HopTries {
		limitHit(r.env, "HopTries", r.config.HopTries)
		delete(r.pending, nameOf(p.m))
		return // it is the origin's to send it again
	}
	p.tried = append(p.tried, attempted{p.hop.ID, p.at})
	next, further := r.node.next(p.m, p.silent())
	if !further {
		delete(r.pending, nameOf(p.m))
		r.deliver(p.m)
		return
	}
	r.try(p, next)
}

// onAck ends this node's duty for a message, and for its own ones the watch over them. A hop
// that was given up may still be the one that has it. It returns how long that one needed, if it was waited for.
func (r *routing) onAck(from engine.Peer, m *Ack) (after time.Duration, awaited bool) {
	of := name{m.Origin, m.Number}
	if p := r.pending[of]; p != nil {
		var at time.Duration
		if at, awaited = p.asked(from.ID); awaited {
			after = r.env.Now() - at
			p.timer.Stop()
			delete(r.pending, of)
		}
	}
	if m.Delivered && m.Origin == r.env.Self().ID {
		r.delivered(m.Number)
	}
	return after, awaited
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
