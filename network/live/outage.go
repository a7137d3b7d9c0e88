package live

import (
	"time"

	"tidings/network/engine"
)

// outages remembers which peers cannot be reached, so that each is reported down once and not dialled too often. The
// loop alone uses it.
//
// A peer that was only named counts with its address: a node that received a wrong address of it may yet reach it at
// the right one. A peer that was spoken with and lost is remembered by its ID, with no address. It is down at every
// address.
type outages struct {
	limits Limits
	of     map[engine.Peer]*outage
	order  []engine.Peer // oldest first, by start
	count  map[engine.ID]int
}

type outage struct {
	failures int
	again    time.Duration // when it may be dialled
	last     time.Duration // when it last failed
}

func newOutages(l Limits) *outages {
	return &outages{limits: l, of: make(map[engine.Peer]*outage), count: make(map[engine.ID]int)}
}

// resting reports whether p may not be dialled yet.
func (o *outages) resting(p engine.Peer, now time.Duration) bool {
	here, anywhere := o.of[p], o.of[engine.Peer{ID: p.ID}]
	return here != nil && now < here.again || anywhere != nil && now < anywhere.again
}

// begin notes that p cannot be reached. It returns whether that is news, and for how
// long p is left alone. rest is false if p was lost and not dialled in vain.
func (o *outages) begin(p engine.Peer, now time.Duration, rest bool) (news bool, wait time.Duration) {
	if e := o.of[p]; e != nil && now-e.last > o.limits.OutageFor {
		o.forget(p)
	}
	anywhere := engine.Peer{ID: p.ID}
	news = o.of[p] == nil && o.of[anywhere] == nil && (p != anywhere || o.count[p.ID] == 0)
	e := o.of[p]
	if e == nil {
		e = o.remember(p)
	}
	e.last = now
	if rest {
		wait = min(o.limits.Backoff<<min(e.failures, 16), o.limits.BackoffMax)
		e.failures++
		e.again = now + wait
	}
	return news, wait
}

func (o *outages) remember(p engine.Peer) *outage {
	if len(o.order) >= o.limits.Outages {
		o.forget(o.order[0])
	}
	e := &outage{}
	o.of[p] = e
	o.order = append(o.order, p)
	o.count[p.ID]++
	return e
}

// answers notes that the peer with an ID is there again: it may be dialled at once. Until
// it says something to the protocols, they still think it down and need no other report.
func (o *outages) answers(id engine.ID) {
	if o.count[id] == 0 {
		return
	}
	for _, p := range o.order {
		if p.ID == id {
			o.of[p].failures, o.of[p].again = 0, 0
		}
	}
}

// end notes that a protocol received from the peer with an ID.
func (o *outages) end(id engine.ID) {
	for i := len(o.order) - 1; i >= 0 && o.count[id] > 0; i-- {
		if o.order[i].ID == id {
			o.forget(o.order[i])
		}
	}
}

func (o *outages) forget(p engine.Peer) {
	delete(o.of, p)
	if o.count[p.ID]--; o.count[p.ID] == 0 {
		delete(o.count, p.ID)
	}
	for i, other := range o.order {
		if other == p {
			o.order = append(o.order[:i], o.order[i+1:]...)
			return
		}
	}
}
