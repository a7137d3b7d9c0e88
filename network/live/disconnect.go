package live

import (
	"errors"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"tidings/network/engine"
)

// maxReopened is how often a link moves to another connection before the peer says something.
const maxReopened = 3

// disconnect ends a link because its peer cannot be reached, and reports that to the protocols. rest leaves
// the peer alone for a while.
func (p *loop) disconnect(l *link, why string, rest bool) (wait time.Duration) {
	if l.state == gone {
		return 0
	}
	connected := l.connected
	p.remove(l, nil)
	if connected {
		p.observe(Disconnected{l.peer, why, true})
		p.h.config.OnPeers()
		p.h.log.Debug("lost a peer", "peer", l.peer.ID.Short(), "why", why)
		return p.reportLost(l, rest || p.clock.now()-l.began < shortLink)
	}
	if !l.wanted {
		return 0
	}
	return p.reportDown(l.peer, l.peer, rest)
}

// shortLink is how long a link must have lasted for its peer to be dialled at once again.
const shortLink = 5 * time.Second

// reportLost reports a peer that this node has spoken with as down to the protocols. It is down at every address.
func (p *loop) reportLost(l *link, rest bool) time.Duration {
	return p.reportDown(l.peer, engine.Peer{ID: l.peer.ID}, rest)
}

// remove drops a link with its streams and connections, but for the connection keep.
// What it has not sent is lost.
func (p *loop) remove(l *link, keep network.Conn) {
	l.state = gone
	if p.links[l.peer.ID] == l {
		delete(p.links, l.peer.ID)
	}
	if l.stop != nil {
		l.stop()
	}
	l.answer(errLost)
	lost := l.out.drain()
	if l.successor != nil {
		lost = append(lost, l.successor.drain()...)
	}
	p.h.traffic.dropped(lost)
	p.hangUp(l, keep)
}

// hangUp closes the connections that a link used, but for keep, beside the loop: closing may
// wait for the network. A new dial to the peer waits for that.
func (p *loop) hangUp(l *link, keep network.Conn) {
	if p.links[l.peer.ID] == nil {
		p.h.net.ConnManager().Unprotect(l.pid, protocolID)
	}
	p.closeBeside(l.pid, l.streams(), keep)
}

// closeBeside closes streams with their connections, but for keep.
func (p *loop) closeBeside(id peer.ID, streams []network.Stream, keep network.Conn) {
	if len(streams) == 0 {
		return
	}
	before, closed := p.closing[id], make(chan struct{})
	p.closing[id] = closed
	p.h.task(func() {
		for _, s := range streams {
			_ = s.Reset()
			if keep == nil || s.Conn().ID() != keep.ID() {
				_ = s.Conn().Close()
			}
		}
		if before != nil {
			<-before
		}
		close(closed)
		p.h.mail.post(func() {
			if p.closing[id] == closed {
				delete(p.closing, id)
			}
		})
	})
}

// disconnected handles the end of a connection. A reader that was on it reports that end
// itself, behind the last messages that it read.
func (p *loop) disconnected(c network.Conn) {
	key, err := keyOf(c.RemotePeer())
	if err != nil {
		return
	}
	l := p.links[NodeID(key)]
	if l == nil || l.in != nil && l.in.stream.Conn() == c {
		return
	}
	if l.stream != nil && l.stream.Conn() == c {
		p.broken(l, "the connection was closed")
	}
}

// broken handles a link when one of its streams died. If the peer has another connection with this node, the link moves
// there.
func (p *loop) broken(l *link, why string) {
	switch {
	case l.state == gone:
		return
	case l.state == ending && l.awaited && p.clock.now() < l.overAt:
		return
	case l.state == ending:
		p.finish(l)
		return
	case !l.connected && l.state == opening:
		return // the attempt under way will report
	case !l.connected && p.mayRedial(l):
		p.redial(l)
		return
	case !l.connected:
		p.giveUp(l, errors.New(why))
		return
	}
	other := p.otherConnection(l)
	if p.stopping || l.reopened >= maxReopened || other == nil {
		p.disconnect(l, why, false)
		if !p.stopping && p.clock.now()-l.began >= shortLink {
			p.missed(l, p.clock.now()) // without a Bye: it may have died
		}
		return
	}
	if l.in == nil {
		l.helloBy = p.clock.now() + p.h.limits.HelloWithin
	}
	if l.state == open && l.stream.Conn().IsClosed() {
		l.reopened++
		l.stop()
		l.state, l.stream = opening, nil
		p.open(l, contact{}, other)
	}
}

// otherConnection returns an open connection to the link's peer. It is the one on which the peer speaks, if there is a
// choice.
func (p *loop) otherConnection(l *link) network.Conn {
	if l.in != nil && !l.in.stream.Conn().IsClosed() {
		return l.in.stream.Conn()
	}
	for _, c := range p.h.net.Network().ConnsToPeer(l.pid) {
		if !c.IsClosed() {
			return c
		}
	}
	return nil
}
