package live

import (
	"errors"
	"slices"

	"github.com/libp2p/go-libp2p/core/network"

	"tidings/network/engine"
)

// admit gives a peer's new stream to its link, which it makes if there is none. It returns
// nil if the stream is not wanted.
func (p *loop) admit(in *incoming, id engine.ID) *link {
	l := p.links[id]
	if p.stopping {
		return nil
	}
	if l != nil && l.in != nil && l.in.incarnation != in.incarnation {
		if p.past.returns(id, in.incarnation) {
			p.cloned(l, in)
			return nil
		}
		// The peer started anew. What the link knew of it, and had under way, is lost.
		p.past.superseded(id, l.in.incarnation)
		p.restarted(l, in)
		l = nil
	}
	if l != nil && l.state == ending {
		l = p.succeed(l, in)
	}
	if l == nil {
		if len(p.links) >= p.h.limits.LinksInbound {
			return nil
		}
		c := in.contact
		l = p.newLink(engine.Peer{ID: id, Address: c.address()}, in.stream.Conn().RemotePeer())
		l.inbound = true
		p.open(l, contact{}, in.stream.Conn())
	}
	if l.in != nil {
		old := l.in.stream
		p.h.task(func() { _ = old.Reset() })
	}
	l.in = in
	l.pulse.heard.Store(int64(p.elapsed()))
	p.placed(l, in.contact)
	p.outages.answers(id)
	p.maybeConnected(l)
	return l
}

// restarted ends the link of a peer's earlier incarnation.
func (p *loop) restarted(l *link, in *incoming) {
	connected := l.connected
	p.remove(l, in.stream.Conn())
	p.observe(Disconnected{l.peer, "it restarted", connected})
	if connected {
		p.tellLost(l, false)
	}
}

// placed takes note of where a peer says it listens. A place at which it was reached is added:
// it is known to be good.
func (p *loop) placed(l *link, c contact) {
	if l.stream != nil && l.stream.Conn().Stat().Direction == network.DirOutbound {
		here := l.stream.Conn().RemoteMultiaddr()
		if transportOf(here) != overNothing && !slices.ContainsFunc(c.places, here.Equal) {
			c.places = append(slices.Clone(c.places), here)
		}
	}
	l.peer.Address = c.address()
}

// arrived handles one arrival.
func (p *loop) arrived(l *link, a arrival) {
	if l.state == gone {
		return
	}
	if a.message == nil {
		p.ended(l, a)
		return
	}
	switch m := a.message.(type) {
	case *Place:
		c, err := ownPlace(m, keyOfLink(l))
		if err != nil {
			p.fault(l, err.Error())
			return
		}
		p.placed(l, c)
	case *Bye:
		p.byeFrom(l, m)
	case *Twin:
		if l.told {
			return
		}
		l.told = true
		p.observe(Cloned{ID: p.h.id, Own: true, By: l.peer.ID})
	default:
		l.used, l.wanted = p.clock.now(), true
		l.reopened = 0
		p.outages.end(l.peer.ID)
		if !p.stopping {
			p.protocol.Receive(l.peer, m)
		}
	}
}

func keyOfLink(l *link) []byte { return []byte(l.peer.Address[:32]) }

// ended handles the end of a peer's stream.
func (p *loop) ended(l *link, a arrival) {
	if l.in != a.stream {
		return // another has taken its place
	}
	switch {
	case errors.Is(a.end, engine.ErrMalformed), errors.Is(a.end, errTooMuch):
		p.fault(l, a.end.Error())
		return
	}
	l.in = nil
	p.broken(l, "the peer closed the connection")
}

// unwelcome handles a stream that did not begin as it must.
func (p *loop) unwelcome(id engine.ID, s network.Stream, err error) {
	var why incompatible
	l := p.links[id]
	switch {
	case errors.As(err, &why):
		p.observe(Incompatible{id, why.Error()})
		p.h.log.Info("a peer speaks another version", "peer", id.Short(), "why", why.Error())
		if l != nil { // the peer has been greeted, or will not be
			p.refused(l, why.error)
			p.h.task(func() { _ = s.Conn().Close() })
			return
		}
		p.h.task(func() { p.h.lastWords(s.Conn(), nil) })
	case errors.Is(err, engine.ErrMalformed), errors.Is(err, engine.ErrUnknown):
		p.strike(id, err.Error())
		if l != nil {
			p.lose(l, err.Error(), true)
		}
		p.h.task(func() { _ = s.Conn().Close() })
	}
	// Or it said nothing in time, or left.
}

// refused ends a link before it came to be.
func (p *loop) refused(l *link, err error) {
	for _, w := range l.waiters {
		w <- err
	}
	l.waiters = nil
	p.lose(l, err.Error(), true)
}

// fault ends the link of a peer that broke the rules, and remembers it.
func (p *loop) fault(l *link, why string) {
	p.strike(l.peer.ID, why)
	p.lose(l, why, true)
}

func (p *loop) strike(id engine.ID, why string) {
	count, refused := p.h.strikes.strike(id)
	p.observe(Struck{id, why, count, refused})
	p.h.log.Info("a peer broke the protocol and was disconnected", "peer", id.Short(), "why", why, "strikes", count, "refused_for", refused)
}

// cloned handles an incarnation that comes back while its successor is connected.
func (p *loop) cloned(l *link, in *incoming) {
	if !l.cloned {
		l.cloned = true
		p.observe(Cloned{ID: l.peer.ID})
	}
	if l.state == open {
		l.out.put(engine.Control, p.frame(&Twin{Incarnation: in.incarnation}))
	}
	c := in.stream.Conn()
	other := &Twin{Incarnation: l.in.incarnation}
	p.h.task(func() { p.h.lastWords(c, other) })
}
