package live

import (
	"context"
	"errors"
)

var errNoHello = errors.New("whoever answers does not say Hello")

// bye begins to end a link in good order, behind all that waits to be sent.
func (p *loop) bye(l *link, why ByeReason) {
	if l.state != open {
		return
	}
	l.state, l.ending = ending, why
	l.overAt = p.clock.now() + p.h.limits.Farewell
	p.say(l, &Bye{Reason: why})
}

// byeFrom handles a peer's Bye. Two that end their link at once both answer, and both may close: a host that receives
// an answer has everything and knows that the other has too.
func (p *loop) byeFrom(l *link, m *Bye) {
	if m.Seen {
		if l.state == ending {
			p.finish(l)
		}
		return
	}
	p.say(l, &Bye{Reason: m.Reason, Seen: true})
	if l.state == ending {
		return
	}
	l.state, l.ending = ending, m.Reason
	l.overAt = p.clock.now() + p.h.limits.Farewell
	if l.awaited = m.Reason == ByeRenewing; l.awaited {
		l.overAt = p.clock.now() + p.h.limits.DialTimeout
	}
	if !m.Reason.isQuiet() && (l.connected || l.wanted) {
		p.observe(Disconnected{l.peer, "it stopped", true})
		p.h.config.OnPeers()
		p.reportLost(l, true)
	}
}

// isQuiet reports whether the reason is one that protocols are not notified of.
func (r ByeReason) isQuiet() bool { return r == ByeIdle || r == ByeRenewing }

// finish drops a link that has ended, and begins the next if something waits for it.
func (p *loop) finish(l *link) {
	switch l.ending {
	case ByeIdle:
		p.observe(Disconnected{l.peer, "nobody used it", false})
		p.h.config.OnPeers()
	case ByeRenewing:
		p.observe(Disconnected{l.peer, "its circuit is begun anew", false})
	}
	successor := l.successor
	l.successor = nil
	if successor == nil && l.ending == ByeRenewing {
		successor = p.h.outboxFor(l.peer.ID)
	}
	p.remove(l, nil)
	if successor == nil || p.stopping {
		return
	}
	if next := p.reach(l.peer); next != nil {
		next.out, next.wanted = successor, true
		next.follow(l)
	} else {
		p.h.traffic.dropped(successor.drain())
	}
}

// follow makes a link the successor of the one before it. What is known of holes stays known, and a link that only has
// another circuit is as old as it was.
func (l *link) follow(before *link) {
	l.punching = before.punching
	if before.ending == ByeRenewing {
		l.began = before.began
	}
}

// succeed replaces a link that is ending by one on the peer's new stream.
func (p *loop) succeed(l *link, in *incoming) *link {
	successor := l.successor
	l.successor = nil
	p.remove(l, in.stream.Conn())
	next := p.newLink(l.peer, l.pid)
	next.inbound = true
	next.follow(l)
	if successor != nil {
		next.out, next.wanted = successor, true
	}
	p.open(next, contact{}, in.stream.Conn())
	return next
}

// farewell stops the protocols and gives their last messages, and a Bye, time to arrive.
func (p *loop) farewell() {
	p.protocol.Stop()
	p.stopping = true
	for _, l := range p.links {
		if l.state == open && !l.connected || l.state == opening {
			p.remove(l, nil)
			continue
		}
		p.bye(l, ByeStopping)
		l.successor = nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.h.limits.Farewell)
	defer cancel()
	p.run(ctx, func() bool { return len(p.links) == 0 })
	for _, l := range p.links {
		p.remove(l, nil)
	}
}
