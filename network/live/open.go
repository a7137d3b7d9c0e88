package live

import "github.com/libp2p/go-libp2p/core/network"

// opened receives the stream of ours that an attempt gave, or why there is none.
func (p *loop) opened(l *link, attempt int, s network.Stream, err error) {
	if l.state != opening || l.attempt != attempt {
		if s != nil {
			p.h.task(func() { _ = s.Reset() })
		}
		return
	}
	if err != nil {
		p.unopened(l, err)
		return
	}
	l.state, l.stream = open, s
	if l.in == nil {
		l.helloBy = p.clock.now() + p.h.limits.HelloWithin
	}
	l.pulse.heard.Store(int64(p.elapsed()))
	p.startWriter(l, s, nil)
	p.maybeConnected(l)
}

// unopened handles a failed attempt to open our stream. If both nodes dialled at once and only
// the peer got through, the peer's connection serves.
func (p *loop) unopened(l *link, err error) {
	other := p.otherConnection(l)
	switch {
	case l.in != nil && other != nil && l.reopened < maxReopened:
		l.reopened++
		p.open(l, contact{}, other)
	case !l.dialling && p.mayRedial(l):
		p.redial(l)
	default:
		p.giveUp(l, err)
	}
}

// giveUp ends a link that could not be opened.
func (p *loop) giveUp(l *link, err error) {
	l.answer(err)
	why := dialWords(err)
	wait := p.disconnect(l, why, true)
	p.observe(DialFailed{l.peer, why, wait})
	p.h.log.Debug("cannot reach a peer", "peer", l.peer.ID.Short(), "why", why, "wait", wait)
}

// mayRedial reports whether a link that broke before it was connected should be dialled: once, and if a caller waits
// for it. libp2p may have used a connection that was being closed. Nothing but Hello has been sent, so nothing is lost.
func (p *loop) mayRedial(l *link) bool {
	c, err := check(l.peer)
	return err == nil && len(c.places) > 0 && !l.redialled && !p.stopping && (l.wanted || len(l.waiters) > 0)
}

func (p *loop) redial(l *link) {
	l.redialled = true
	var streams []network.Stream
	if l.stream != nil {
		streams = append(streams, l.stream)
	}
	if l.stop != nil {
		l.stop()
	}
	l.state, l.stream = opening, nil
	p.closeBeside(l.pid, streams, nil)
	c, err := check(l.peer)
	if err != nil {
		p.giveUp(l, err)
		return
	}
	p.open(l, c, nil)
}
