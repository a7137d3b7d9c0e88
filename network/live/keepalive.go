package live

import (
	"cmp"
	"slices"
	"time"

	"tidings/network/engine"
)

// tick is how often the links are looked at.
const tick = time.Second

func (p *loop) tickLater() {
	p.tickAt = p.elapsed() + tick
	p.timers.add(p.clock.now()+tick, p.tick)
}

// tick requests signs of life of peers, gives up those that send none, ends links that are not needed, and notices that
// the machine slept.
func (p *loop) tick() {
	late := max(0, p.elapsed()-p.tickAt)
	if late >= busyFrom {
		p.h.busyUntil.Store(int64(p.elapsed() + busyFor))
	}
	p.tickLater()
	if slept := p.clock.notice(); slept > 0 {
		p.woke(slept)
	}
	now := p.clock.now()
	p.ways.chooseLookout()
	for _, l := range p.links {
		l.spare(late)
		p.look(l, now)
		p.ways.maybeMove(l)
		p.ways.maybePunch(l, now)
		p.ways.maybeRenew(l)
	}
	p.thinOut(now)
}

// woke requests a sign of life of all peers soon: after a sleep most connections are dead, and the peers have given
// this node up.
func (p *loop) woke(slept time.Duration) {
	p.observe(Woke{slept})
	p.h.log.Info("the machine slept", "for", slept.Round(time.Second))
	now := p.clock.now()
	for _, l := range p.links {
		l.aliveBy = now + p.h.limits.AwakeWithin
		l.askedAt = p.elapsed()
		l.asked = 0
		l.began, l.helloBy = l.began+slept, max(l.helloBy, now)
	}
}

// A node that comes to run so much later than it should is busy for a while. It cannot judge others then, and has no
// time for many handshakes. Otherwise nodes on a machine that is too busy would give all their peers up, and be kept
// busier still by dialling them. (Lifeguard has the same aim: Dadgar, Phillips and Currey, 2017.)
const (
	busyFrom = 500 * time.Millisecond
	busyFor  = 10 * time.Second
)

// turnsOfAnAnswer is how many goroutines of this node have to run in turn until a peer's sign of life is received:
// requesting, sending, receiving.
const turnsOfAnAnswer = 3

// spare grants a peer the time for which this node itself did not come to run: it could receive nothing then.
func (l *link) spare(late time.Duration) {
	if heard := l.pulse.heard.Load(); heard != l.sparedSince {
		l.sparedSince, l.spared = heard, 0
	}
	late *= turnsOfAnAnswer
	l.spared += late
	l.helloBy += late
	if l.aliveBy > 0 {
		l.aliveBy += late
	}
}

func (p *loop) look(l *link, now time.Duration) {
	if n := l.out.overflow(); n > 0 {
		p.observe(Overflowed{l.peer, n})
	}
	switch {
	case l.state == ending && now >= l.overAt:
		p.finish(l)
	case l.state != open: // opening has a time limit of its own
	case l.in == nil && now >= l.helloBy:
		p.refused(l, errNoHello)
	case p.silent(l, now):
		p.disconnect(l, "no sign of life", false)
		p.missed(l, now)
	case p.wantsPing(l, now):
		p.ping(l, now)
	}
}

// wantsPing reports whether a sign of life is to be requested of a peer. It is if none has come lately, requests of its
// own included, and at intervals for the round trip. While this node reads nothing from the peer, it cannot answer, and
// its request shows that it is alive. One side of a quiet link asks before the other would: one is enough. A lookout is
// asked however much else it sends: its answer says where it sees this node.
func (p *loop) wantsPing(l *link, now time.Duration) bool {
	every := p.h.limits.pingEvery(now - l.began)
	if l == p.ways.lookout {
		return now-l.asked >= min(every, lookoutEvery)
	}
	if p.ways.asksSecond(l) {
		every += tick + tick/2
	}
	quiet := p.elapsed() - time.Duration(l.pulse.heard.Load())
	return now-l.asked >= every && (quiet >= every || l.flow.isBlocked()) || now-l.asked >= 10*every
}

// pingEvery returns how long a link of some age may be quiet before a side requests a sign of life.
func (l Limits) pingEvery(age time.Duration) time.Duration {
	if age >= l.RestAfter {
		return l.RestEvery
	}
	return l.PingEvery
}

// silent reports whether nothing came from a peer for too long, or not since this machine woke.
func (p *loop) silent(l *link, now time.Duration) bool {
	if l.flow.isBlocked() { // it waits for this node, not the other way round
		l.pulse.heard.Store(int64(p.elapsed()))
	}
	heard := time.Duration(l.pulse.heard.Load())
	if heard > l.askedAt {
		l.aliveBy = 0
	}
	every := p.h.limits.pingEvery(now - l.began)
	if l == p.ways.lookout && now-p.ways.lookoutAt >= every { // it was asked as a lookout is
		every = min(every, lookoutEvery)
	}
	deadAfter := p.h.limits.DeadAfter + every - p.h.limits.PingEvery
	return p.elapsed()-heard-l.spared >= deadAfter || l.aliveBy > 0 && now >= l.aliveBy
}

// suspectWithin is how long a peer has for a sign of life when others have found it dead: less than they had, as they
// are not alone with that.
const suspectWithin = 3 * time.Second

// maxSuspectNotified bounds to how many peers a node says that it has found another dead.
const maxSuspectNotified = 32

// missed handles that a peer sent no sign of life. At rest a node checks seldom, and all nodes that are connected to
// one peer check at different times. So the first of them makes the others check at once. It also asks all its own
// peers. This host's router may have another address now, and they can report how they see it.
func (p *loop) missed(l *link, now time.Duration) {
	notified := 0
	for _, other := range p.links {
		if other.state != open || !other.connected {
			continue
		}
		if now-other.asked >= tick {
			p.ping(other, now)
		}
		if notified++; notified <= maxSuspectNotified {
			p.say(other, &Suspect{Node: l.peer.ID})
		}
	}
}

// suspected requests a sign of life of a peer that another one has found dead. It is no more than a hint. A peer that
// answers stays, and is asked no more often than PingEvery allows in any case. If it owes an answer, that is waited
// for; if it has just sent one, it is asked when it may be.
func (p *loop) suspected(id engine.ID) {
	l := p.links[id]
	if l == nil || l.suspected {
		return
	}
	now, notified := p.clock.now(), p.elapsed()
	if again := l.asked + p.h.limits.PingEvery; now < again && l.pulse.sent.Load() == 0 {
		l.suspected = true
		p.timers.add(again, func() {
			l.suspected = false
			if time.Duration(l.pulse.heard.Load()) <= notified {
				l.doubt(p)
			}
		})
		return
	}
	l.doubt(p)
}

// doubt asks a link's peer for a sign of life, soon.
func (l *link) doubt(p *loop) {
	if l.state != open || !l.connected || l.aliveBy > 0 {
		return
	}
	now := p.clock.now()
	l.aliveBy, l.askedAt = now+suspectWithin, p.elapsed()
	if l.pulse.sent.Load() == 0 || now-l.asked >= p.h.limits.PingEvery {
		p.ping(l, now)
	}
}

func (p *loop) ping(l *link, now time.Duration) {
	l.asked = now
	nonce := l.pulse.nonce.Add(1)
	l.pulse.sent.Store(int64(p.elapsed()))
	l.out.jump(p.frame(&Ping{Nonce: nonce}))
}

// pong receives the answer to the latest ping; the reader calls it.
func (h *Host) pong(l *link, m *Pong) {
	sent := l.pulse.sent.Load()
	if m.Nonce != l.pulse.nonce.Load() || sent == 0 || !l.pulse.sent.CompareAndSwap(sent, 0) {
		return // answered, or made up
	}
	rtt := time.Since(h.loop.clock.start) - time.Duration(sent)
	smooth := rtt
	if old := time.Duration(l.pulse.rtt.Load()); old > 0 {
		smooth = old + (rtt-old)/8 // as TCP does: RFC 6298
	}
	l.pulse.rtt.Store(int64(smooth))
	ahead := time.Since(time.UnixMilli(m.Wall)) - rtt/2
	l.pulse.clock.Store(&ahead)
	h.mail.post(func() {
		if l.state == open {
			h.loop.observe(Measured{l.peer, rtt})
			h.config.OnRTT(rtt)
			h.loop.ways.seenBy(l.stream.Conn(), m.Seen)
		}
	})
}

// thinOut ends links that were not used for long, if there are many.
func (p *loop) thinOut(now time.Duration) {
	if len(p.links) <= p.h.limits.HighWater {
		return
	}
	var idle []*link
	for _, l := range p.links {
		if l.state == open && l.connected && now-l.used >= p.h.limits.IdleAfter {
			idle = append(idle, l)
		}
	}
	slices.SortFunc(idle, func(a, b *link) int {
		return cmp.Or(cmp.Compare(a.used, b.used), a.peer.ID.Compare(b.peer.ID))
	})
	surplus := len(p.links) - p.h.limits.LowWater
	for _, l := range idle[:min(surplus, len(idle))] {
		p.bye(l, ByeIdle)
	}
}
