package live

import (
	"time"

	"tidings/network/engine"
)

// suspectWithin is how long a peer has for a sign of life when others have found it dead: less than they had, as they are not alone with that.
const suspectWithin = 3 * time.Second

// maxSuspectTold bounds to how many peers a node says that it has found another dead.
const maxSuspectTold = 32

// suspect tells others that a peer is dead. At rest a node looks for signs of life seldom, and all who are connected to one look at different times: the first
// of them has the others look at once.
func (p *loop) suspect(l *link) {
	told := 0
	for _, other := range p.links {
		if told == maxSuspectTold {
			return
		}
		if other.state == open && other.connected {
			p.say(other, &Suspect{Node: l.peer.ID})
			told++
		}
	}
}

// suspected asks a peer for a sign of life that another one has found dead. It is no more than a hint: a peer that answers stays, and is asked
// no more than PingEvery allows in any case.
func (p *loop) suspected(id engine.ID) {
	l, now := p.links[id], p.clock.now()
	if l == nil || l.state != open || !l.connected || l.aliveBy > 0 || now-l.asked < p.h.limits.PingEvery {
		return
	}
	l.aliveBy, l.askedAt = now+suspectWithin, p.elapsed()
	p.ping(l, now)
}
