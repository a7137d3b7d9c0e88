package live

import (
	"time"

	"tidings/network/engine"
)

// Refuse cuts a peer off and keeps it out for a while: no connection with it is left, and neither side's dial brings a
// new one. It is for what protocols can prove of a peer, whose frames are as they must be: a forged signature, a piece of a
// file that is another. Suspicion is no proof: what Corona finds out may have honest causes. It may be called from any
// goroutine, the loop's too, and waits for nothing.
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
