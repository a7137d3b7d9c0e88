package source

import (
	"container/heap"
	"net/url"
	"slices"
	"time"

	"golang.org/x/net/publicsuffix"
)

// gate lets a bounded number of polls be under way at a time, of one kind or at one place. Polls
// pass several gates one after the other; what cannot pass waits in front of it.
type gate struct {
	name    string // by which Scheduler.gates has it
	room    int    // at least 1
	held    int    // polls that have passed and not ended; at most room
	users   int    // channels on whose route it is
	waiting []*watch
}

// guestsPerDomain bounds the guests' polls under way below one registered domain, whose owner makes as
// many names as they like.
const guestsPerDomain = 8

// guests bounds the polls for others: the rest of the slots is this node's own.
func (s Schedule) guests() int { return max(1, s.Polls/2) }

// unproven bounds the polls of guests whose origins have not proved to be quick.
func (s Schedule) unproven() int { return max(1, s.Polls/8) }

// guestsPerHost bounds the guests' polls under way at a host, of which one place is left to this node's own
// channels. It is PerHost where that is 1.
func (s Schedule) guestsPerHost() int { return max(1, s.PerHost-1) }

// routeOf returns the gates that a channel has to pass, in this order. The narrow ones come first: what waits there
// holds no place in the wide ones. But the host's gate comes after the guests', so that no guest holds a host's place
// while it waits for a slot. The caller holds x.mu.
func (x *Scheduler) routeOf(entry *watch) []*gate {
	var route []*gate
	host := entry.host()
	if entry.Guest {
		if x.schedule.PerHost > 0 {
			route = append(route, x.gate("guests at "+host.Host, x.schedule.guestsPerHost()),
				x.gate("guests below "+domainOf(host), guestsPerDomain))
		}
		if entry.owes > 0 {
			route = append(route, x.gate("unproven guests", x.schedule.unproven()))
		}
		route = append(route, x.gate("guests", x.schedule.guests()))
	}
	if x.schedule.PerHost > 0 {
		route = append(route, x.gate("at "+host.Host, x.schedule.PerHost))
	}
	return append(route, x.gate("all", x.schedule.Polls))
}

// gate returns the gate of a name, from now on for one more. The caller holds x.mu.
func (x *Scheduler) gate(name string, room int) *gate {
	g := x.gates[name]
	if g == nil {
		g = &gate{name: name, room: room}
		x.gates[name] = g
	}
	g.users++
	return g
}

// rank orders the entries that wait: own channels before guests, and requested polls before scheduled ones. Within a
// rank it is first come, first served.
func (e *watch) rank() int {
	rank := 0
	if e.Guest {
		rank = 2
	}
	if e.why == "" {
		rank++
	}
	return rank
}

func (g *gate) enqueue(entry *watch) {
	rank, last := entry.rank(), len(g.waiting)-1
	if last < 0 || g.waiting[last].rank() <= rank {
		g.waiting = append(g.waiting, entry)
		return
	}
	i := slices.IndexFunc(g.waiting, func(e *watch) bool { return e.rank() > rank })
	g.waiting = slices.Insert(g.waiting, i, entry)
}

// park has a due entry go through its gates. The caller holds x.mu.
func (x *Scheduler) park(entry *watch) {
	if entry.index >= 0 {
		heap.Remove(&x.due, entry.index)
	}
	entry.state, entry.since = parked, time.Now()
	x.parked++
	entry.route = x.routeOf(entry)
	x.advance(entry)
}

// advance has entry pass as many gates as it can. The caller holds x.mu.
func (x *Scheduler) advance(entry *watch) {
	for entry.past < len(entry.route) {
		g := entry.route[entry.past]
		if g.held >= g.room {
			g.enqueue(entry)
			return
		}
		g.held++
		entry.past++
	}
	x.ready = append(x.ready, entry)
}

// release gives entry's places to the next that wait. The caller holds x.mu.
func (x *Scheduler) release(entry *watch) {
	route, past := entry.route, entry.past
	entry.route, entry.past = nil, 0
	for i := len(route) - 1; i >= 0; i-- {
		g := route[i]
		g.users--
		if i < past {
			g.held--
		}
		if len(g.waiting) > 0 && g.held < g.room {
			next := g.waiting[0]
			g.waiting = g.waiting[1:]
			x.advance(next)
		}
		if g.users == 0 {
			delete(x.gates, g.name)
		}
	}
}

// unpark removes a parked entry from its queue, and gives its places back. The caller holds x.mu.
func (x *Scheduler) unpark(entry *watch) {
	queue := x.queueOf(entry)
	if i := slices.Index(*queue, entry); i >= 0 {
		*queue = slices.Delete(*queue, i, i+1)
	}
	x.parked--
	x.release(entry)
}

// queueOf returns the queue in which a parked entry waits. The caller holds x.mu.
func (x *Scheduler) queueOf(entry *watch) *[]*watch {
	if entry.past < len(entry.route) {
		return &entry.route[entry.past].waiting
	}
	return &x.ready
}

// prefer has a parked entry, that waits by plan, go before those that do. The caller holds x.mu.
func (x *Scheduler) prefer(entry *watch, why string) {
	entry.why = why
	if entry.past == len(entry.route) {
		return // it begins next
	}
	g := entry.route[entry.past]
	i := slices.Index(g.waiting, entry)
	g.waiting = slices.Delete(g.waiting, i, i+1)
	g.enqueue(entry)
}

// host is where a channel is polled.
func (e *watch) host() *url.URL {
	if u, err := url.Parse(e.Origin()); err == nil {
		return u
	}
	return &url.URL{Host: e.Origin()}
}

// domainOf returns the registered domain of a host: what one owner has rented; the host itself where there
// is none.
func domainOf(u *url.URL) string {
	if domain, err := publicsuffix.EffectiveTLDPlusOne(u.Hostname()); err == nil {
		return domain
	}
	return u.Hostname()
}
