package spread

import (
	"time"

	"tidings/network/engine"
)

// record is what speaks against a neighbour.
type record struct {
	strikes   int           // promises that it broke, since it kept one
	last      time.Duration // when it broke one that counts
	suspected bool          // it is asked last
}

// blame finds neighbours that promise events and do not give them.
type blame struct {
	*core
	suspected func(p engine.Peer)
}

// strike records a broken promise. Several within Config.Answer count as one: a single lost message can carry many.
func (b *blame) strike(l *link, why string) {
	r, now := &l.record, b.env.Now()
	if now-r.last < b.config.Answer {
		return
	}
	r.last = now
	if r.strikes++; r.strikes >= b.config.Strikes && !r.suspected {
		r.suspected = true
		b.suspect(l, why)
	}
}

// absolve records that a promise was kept.
func (b *blame) absolve(l *link) { l.record.strikes, l.record.suspected = 0, false }

// suspect tells the router, when the call at hand has returned.
func (b *blame) suspect(l *link, why string) {
	b.env.Trace(Suspected{l.peer, why})
	p := l.peer
	b.env.After(0, func() { b.suspected(p) })
}
