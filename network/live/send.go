package live

import (
	"fmt"

	"tidings/network/engine"
)

// send is engine.Env's Send.
func (p *loop) send(to engine.Peer, m engine.Message) {
	if to.ID == p.h.id && to.Address == p.h.Self().Address {
		p.h.mail.post(func() {
			if !p.stopping {
				p.protocol.Receive(p.h.Self(), m)
			}
		})
		return
	}
	f, err := p.h.encode(m)
	if err != nil {
		p.unsendable(to, m, err)
		return
	}
	l := p.links[to.ID]
	if l == nil && !p.stopping {
		l = p.reach(to)
	}
	if l == nil {
		p.h.traffic.dropped([]frame{f})
		return
	}
	l.used, l.wanted = p.clock.now(), true
	out := l.out
	if l.state == ending {
		if l.successor == nil {
			l.successor = p.h.outboxFor(to.ID)
		}
		out = l.successor
	}
	p.h.traffic.dropped(out.put(p.h.config.Codec.ClassOf(m), f))
}

// unsendable drops a message that the codec refuses. That is a mistake of the protocol's, at which the simulator
// panics, but it must not end a node that people rely on.
func (p *loop) unsendable(to engine.Peer, m engine.Message, err error) {
	p.h.traffic.kind(m.Kind()).dropped.Add(1)
	p.observe(Unsendable{to, m.Kind(), err})
	p.h.log.Error("a message cannot be sent", "to", to.ID.Short(), "err", err)
}

// say puts one of the transport's own messages into a link's queue.
func (p *loop) say(l *link, m engine.Message) {
	p.h.traffic.dropped(l.out.put(engine.Control, p.frame(m)))
}

// frame encodes one of the transport's own messages, which are always sound.
func (p *loop) frame(m engine.Message) frame {
	f, err := p.h.encode(m)
	if err != nil {
		panic("live: " + err.Error())
	}
	return f
}

func (h *Host) encode(m engine.Message) (frame, error) {
	data, err := h.config.Codec.AppendFrame(nil, m)
	if err != nil {
		return frame{}, fmt.Errorf("making a frame: %w", err)
	}
	return frame{kind: m.Kind(), size: unframed(len(data)), bytes: data}, nil
}

// unframed returns the length of the message in a frame: the frame's without prefix.
func unframed(framed int) int {
	switch {
	case framed <= 1+1<<7-1:
		return framed - 1
	case framed <= 2+1<<14-1:
		return framed - 2
	}
	return framed - 3
}

// reach begins a link with a peer. It returns nil if there can be none, and has notified the
// protocols so unless they know.
func (p *loop) reach(to engine.Peer) *link {
	c, err := check(to)
	if err != nil {
		p.observe(Lied{to})
		p.reportDown(to, to, false)
		return nil
	}
	if to.ID == p.h.id { // where this node was yesterday, or where another with its key is
		p.reportDown(to, to, false)
		return nil
	}
	now := p.clock.now()
	if p.outages.resting(to, now) {
		return nil
	}
	c = p.ways.dialled(to.ID, c)
	info, err := c.info()
	if err != nil || len(c.places) == 0 || !p.h.config.admits(to.ID) || p.h.penalties.refuses(to.ID) ||
		len(p.links) >= p.h.limits.Links {
		p.reportDown(to, to, true)
		return nil
	}
	l := p.newLink(to, info.ID)
	p.open(l, c, nil)
	return l
}
