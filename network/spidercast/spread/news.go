package spread

import (
	"time"

	"tidings/network/engine"
)

// news is a link's position in the list of kept events. One announcement at a time is under way; it covers the events whose
// numbers are above told, up to end.
type news struct {
	told   uint64 // the neighbour knows of all events up to here that it shares
	end    uint64
	full   bool   // there was no room for more
	number uint32 // of the announcement that is, or was last, under way
	sent   int    // how often; 0: none is under way
	alarm  engine.Alarm
}

// maxBatch bounds the names of one announcement.
const maxBatch = 256

// announcer tells neighbours the names of events that they have not heard of.
type announcer struct {
	*core
	cache *cache
	blame *blame
}

// soon has a link's neighbour told what is new, when more has been gathered.
func (a *announcer) soon(l *link) {
	if l.news.sent == 0 {
		l.news.alarm.Soon(a.env, a.env.Now()+a.config.Announce, func() { a.run(l) })
	}
}

// anew has a link's neighbour told everything that is kept and that it has not heard of, at once.
func (a *announcer) anew(l *link) {
	l.news.told, l.news.sent = 0, 0
	l.news.alarm.Set(a.env, a.env.Now(), func() { a.run(l) })
}

// run announces what is new, or once more what was not acknowledged.
func (a *announcer) run(l *link) {
	n := &l.news
	if n.sent == 0 {
		n.number++
		n.end, n.full = a.cache.number, false
	}
	m := a.gather(l)
	if m == nil {
		n.told, n.sent = n.end, 0
		if n.end < a.cache.number {
			a.soon(l)
		}
		return
	}
	a.env.Send(l.peer, m)
	n.sent++
	if n.sent%a.config.Silent == 0 {
		a.blame.suspect(l, "does not acknowledge")
	}
	n.alarm.Set(a.env, a.env.Now()+backoff(a.config.Resend, n.sent-1), func() { a.run(l) })
}

// gather returns the announcement under way, nil if the neighbour has heard of everything by now. Where not all fits,
// end comes nearer.
func (a *announcer) gather(l *link) *Announce {
	m := &Announce{Number: l.news.number}
	names, at := 0, make(map[*topic]int) // where topics stand in m
	for e := a.cache.after(l.news.told); e != nil && e.number <= l.news.end; e = e.newer {
		if e.heardBy(l) || !l.shares(e.topic.id) {
			continue
		}
		i, found := at[e.topic]
		if names == maxBatch || !found && len(m.Topics) == maxTopics || found && len(m.Topics[i].Names) == maxNames {
			l.news.end, l.news.full = e.number-1, true
			break
		}
		if !found {
			i = len(m.Topics)
			at[e.topic] = i
			m.Topics = append(m.Topics, Announced{Topic: e.topic.id})
		}
		m.Topics[i].Names = append(m.Topics[i].Names, Name{e.digest, e.message.Hops})
		names++
	}
	if names == 0 {
		return nil
	}
	return m
}

// onAcknowledge takes note of what the neighbour has heard of, and goes on.
func (a *announcer) onAcknowledge(l *link, m *Acknowledge) {
	n := &l.news
	if n.sent == 0 || m.Number != n.number {
		return // it was repeated, and this answers the first
	}
	for e := a.cache.after(n.told); e != nil && e.number <= n.end; e = e.newer {
		if l.shares(e.topic.id) {
			a.cache.hear(e, l)
		}
	}
	n.told, n.sent = n.end, 0
	n.alarm.Stop()
	switch {
	case n.full:
		a.run(l)
	case n.told < a.cache.number:
		a.soon(l)
	}
}

// backoff returns the k-th wait of those that begin with first and double every other time, up to sixteen times as long.
func backoff(first time.Duration, k int) time.Duration { return first << min(k/2, 4) }
