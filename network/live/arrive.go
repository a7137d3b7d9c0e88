package live

import (
	"errors"

	"github.com/libp2p/go-libp2p/core/network"

	"tidings/network/engine"
)

// admit gives a peer's new stream to its link, which it makes if there is none. It returns
// nil if the stream is not wanted.
func (p *loop) admit(in *incoming, id engine.ID) *link {
	l := p.links[id]
	if p.stopping || p.h.penalties.refuses(id) {
		return nil
	}
	other := uint64(0)
	if l != nil && l.in != nil && l.in.incarnation != in.incarnation {
		switch p.past.age(id, l.in.incarnation, in.incarnation) {
		case newborn: // What the link knew of the peer, and had under way, is lost.
			p.past.followed(id, l.in.incarnation, in.incarnation)
			p.superseded(l, in, "it restarted")
		case elder: // What seemed a restart was a copy.
			other = l.in.incarnation
			p.past.returned(id, in.incarnation, other)
			p.superseded(l, in, "a copy of a node gives way to it")
		case younger:
			p.turnAway(l, in)
			return nil
		}
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
	old := l.in
	if old != nil && old.stream.Conn() != in.stream.Conn() && !old.stream.Conn().IsClosed() && !in.place.Anew {
		in.before = old
	} else if old != nil {
		p.h.task(func() { _ = old.stream.Reset() })
	}
	l.in = in
	if old != nil {
		p.ways.maybeFollow(l, old.stream.Conn())
	}
	l.pulse.heard.Store(int64(p.elapsed()))
	p.ways.placed(l, in.place, in.contact)
	p.outages.answers(id)
	p.maybeConnected(l)
	if other != 0 {
		p.duplicateKey(l, other)
	}
	return l
}

// superseded ends the link of a peer one incarnation of which gives way to another.
func (p *loop) superseded(l *link, in *incoming, why string) {
	connected := l.connected
	p.remove(l, in.stream.Conn())
	p.observe(Disconnected{l.peer, why, connected})
	p.h.config.OnPeers()
	if connected {
		p.reportLost(l, false)
	}
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
		p.ways.placed(l, m, c)
	case *Bye:
		p.byeFrom(l, m)
	case *Suspect:
		p.suspected(m.Node)
	case *DuplicateKey: // said again as often as the other one is met
		p.ownDuplicateKey(l.peer.ID)
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
		return // another has replaced it
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
		p.h.log.Info("a peer cannot be met", "peer", id.Short(), "why", why.Error())
		if l != nil { // the peer has been greeted, or will not be
			p.refused(l, why.error)
			p.h.task(func() { _ = s.Conn().Close() })
			return
		}
		p.h.task(func() { p.h.reject(s.Conn(), p.h.place()) })
	case errors.Is(err, ErrDuplicateKey):
		p.ownDuplicateKey(id)
		if l != nil {
			p.refused(l, err)
		}
		p.h.task(func() { _ = s.Conn().Close() })
	case errors.Is(err, engine.ErrMalformed), errors.Is(err, engine.ErrUnknown):
		p.penalize(id, err.Error())
		if l != nil {
			p.disconnect(l, err.Error(), true)
		}
		p.h.task(func() { _ = s.Conn().Close() })
	}
	// Or it said nothing in time, or left.
}

// refused ends a link before it came to be.
func (p *loop) refused(l *link, err error) {
	l.answer(err)
	p.disconnect(l, err.Error(), true)
}

// fault ends the link of a peer that broke the rules, and remembers it.
func (p *loop) fault(l *link, why string) {
	p.penalize(l.peer.ID, why)
	p.disconnect(l, why, true)
}

func (p *loop) penalize(id engine.ID, why string) {
	count, refused := p.h.penalties.add(id)
	p.observe(Struck{id, why, count, refused})
	p.h.log.Info("a peer broke the protocol and was disconnected", "peer", id.Short(), "why", why, "strikes", count,
		"refused_for", refused)
}

// turnAway refuses a copy of a peer while its elder is connected, and notifies both.
func (p *loop) turnAway(l *link, in *incoming) {
	p.duplicateKey(l, in.incarnation)
	c := in.stream.Conn()
	other := &DuplicateKey{Incarnation: l.in.incarnation}
	p.h.task(func() { p.h.reject(c, other) })
}
