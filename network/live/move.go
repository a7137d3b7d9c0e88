package live

import (
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
)

// moveWithin is how long a peer has, from the first byte of a new stream, to end the one that it used before. What is
// under way on that one is read first, so that messages keep their order.
const moveWithin = 3 * time.Second

// move has a link send on another connection, once a stream stands there: what was sent before arrives first.
//
//  1. A stream is opened on the new connection and greeted, while the writer goes on with the old stream. 2. The old
//
// writer stops between two batches and closes its stream; the peer reads its end behind all else. 3. The writer of the
// new stream goes on where the old one has stopped. The peer has read the greeting meanwhile, and waits with what
//
//	follows for the end of the old stream.
//
// The peer moves its own stream in the same way. The old connection is closed when nobody can use it any more.
func (p *ways) move(l *link, to network.Conn) {
	from := l.stream
	l.moving = true
	p.h.task(func() {
		s, err := p.h.openOn(p.h.life, to)
		if !p.h.mail.post(func() { p.moveTo(l, from, s, err) }) && s != nil {
			_ = s.Reset()
		}
	})
}

// maybeFollow moves a link to the connection that its peer sends on since. The one that both used may be dead and only
// the peer know so, as where its router has another address. Where each side had a connection of its own, they stay
// apart.
func (p *ways) maybeFollow(l *link, left network.Conn) {
	if to := l.in.stream.Conn(); l.state == open && !l.moving && l.stream.Conn() == left && to != left {
		p.move(l, to)
	}
}

// moveTo receives the stream on a link's new connection, or why there is none: then the link stays where it is.
func (p *ways) moveTo(l *link, from, to network.Stream, err error) {
	l.moving = false
	if err != nil {
		p.h.log.Debug("a link stays where it is", "peer", l.peer.ID.Short(), "err", err)
		return
	}
	if l.state != open || l.stream != from {
		p.h.task(func() { _ = to.Reset() })
		return
	}
	l.stop()
	l.stream, l.punched = to, l.punched || from.Conn().Stat().Limited
	p.startWriter(l, to, endOf(from, l.written))
	p.h.config.OnPeers()
	p.timers.add(p.clock.now()+2*moveWithin, func() {
		if l.state == open && l.stream.Conn() != from.Conn() && (l.in == nil || l.in.stream.Conn() != from.Conn()) {
			p.h.task(func() { _ = from.Conn().Close() })
		}
	})
}

// endOf returns a function that waits for the end of a writer and closes its stream.
func endOf(s network.Stream, written <-chan struct{}) func() {
	return func() {
		<-written
		_ = s.CloseWrite() // or it is dead, and what was under way is lost with it
	}
}

// renewBefore is how long before a relay ends a circuit a link leaves it for another; at most a quarter of what the
// circuit lasts.
const renewBefore = 30 * time.Second

// maybeRenew begins a link's circuit anew before the relay ends it. Both sides say Bye, so that nothing is under way,
// and what protocols send meanwhile waits for the new circuit. The side that dialled begins. Where both did, a link has
// a circuit for each direction, and the side with the lesser ID is first.
func (p *ways) maybeRenew(l *link) {
	if !l.connected || l.state != open || l.in == nil {
		return
	}
	at, dialled := time.Now(), false
	if p.h.id.Compare(l.peer.ID) > 0 {
		at = at.Add(-renewSecond)
	}
	worn := false
	for _, s := range l.streams() {
		circuit := s.Conn().Stat()
		if !circuit.Limited {
			continue
		}
		worn = worn || l.worn(circuit, at)
		if circuit.Direction == network.DirOutbound {
			dialled = true
		}
	}
	if worn && dialled {
		p.bye(l, ByeRenewing)
	}
}

// renewSecond is how long the side with the greater ID leaves it to the other one.
const renewSecond = 3 * time.Second

// worn reports whether a circuit is about to end, by what its relay has said: by time, or by bytes either way.
func (l *link) worn(circuit network.ConnStats, now time.Time) bool {
	lasts, _ := circuit.Extra[client.StatLimitDuration].(time.Duration)
	if lasts > 0 && now.Sub(circuit.Opened) > lasts-min(renewBefore, lasts/4) {
		return true
	}
	most, _ := circuit.Extra[client.StatLimitData].(uint64)
	return most > 0 && max(l.pulse.read.Load(), l.wrote.Load()) > int64(most/2)
}
