package live

import (
	"context"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"tidings/network/engine"
)

// reject greets a peer that is not wanted, so that it learns why, and hangs up. Hello says which versions are spoken
// here, and DuplicateKey that it is the copy of another node. The stream is like any other to the peer.
func (h *Host) reject(c network.Conn, m engine.Message) {
	defer c.Close()
	ctx, cancel := context.WithTimeout(h.life, h.limits.Farewell)
	defer cancel()
	s, err := h.openOn(ctx, c)
	if err != nil {
		return
	}
	defer s.Close()
	if h.greet(s, m) != nil {
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = s.Reset() })
	defer stop()
	_ = s.CloseWrite()
	_, _ = s.Read(make([]byte, 1)) // until the peer has read all, and hangs up
}

// Refuse cuts a peer off and keeps it out for a while: no connection with it is left, and neither side's dial brings a
// new one. It is for proofs that protocols have against a peer with valid frames: a forged signature, a piece of
// another file. Suspicion is no proof: Corona's findings may have honest causes. It may be called from any goroutine,
// the loop's too, and waits for nothing.
func (h *Host) Refuse(id engine.ID, lasts time.Duration, why string) {
	h.mail.post(func() { h.loop.refuse(id, lasts, why) })
}

func (p *loop) refuse(id engine.ID, lasts time.Duration, why string) {
	if id == p.h.id || lasts <= 0 {
		return
	}
	p.h.penalties.refuse(id, lasts)
	p.observe(Refused{id, why, lasts})
	p.h.log.Info("a peer is refused", "peer", id.Short(), "why", why, "for", lasts)
	l := p.links[id]
	if l == nil {
		return
	}
	pid := l.pid
	p.disconnect(l, why, true)
	p.h.task(func() { _ = p.h.net.Network().ClosePeer(pid) }) // those that the link did not use
}
