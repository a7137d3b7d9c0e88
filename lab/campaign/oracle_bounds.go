package campaign

import (
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/sim"
)

// bounded checks that no message is longer than engine.MaxMessage, and that no table is longer than its Config says. Queues of
// messages are check.Queues' affair.
type bounded struct{ verdict }

// sent sees a message.
func (b *bounded) sent(at time.Duration, n sim.Node, name string, bytes int) {
	if bytes > engine.MaxMessage {
		b.fail(at, n, engine.ID{}, "a message %s has %d bytes, where %d are allowed", name, bytes, engine.MaxMessage)
	}
}

// table is a table of a node and how long it may be.
type table struct {
	name         string
	length, most int
}

// tables sees tables of a node.
func (b *bounded) tables(at time.Duration, n sim.Node, all []table) {
	for _, t := range all {
		if t.length > t.most {
			b.fail(at, n, engine.ID{}, "its %s has %d entries, where %d are allowed", t.name, t.length, t.most)
		}
	}
}

// quiet checks that some time after faults have ended and the ring is right again nodes send about as many messages as before, and have
// about as many timers: at most half as many again (routertest, noisier) and some. A minute is aimed at, and when nodes were at rest is
// noted. Judged is what protocols state, each router in its test of conformance (routertest.Promises, Settling): up to five minutes, and eight
// with newswire. Corona counts nodes and channels anew in quick rounds for up to six of corona.Config.AggregateEvery (corona/plan): its
// messages are judged when all subscriptions are back.
type quiet struct {
	verdict
	rest load
	by   time.Duration // within what time after healing nodes are to be at rest
	at   time.Duration // when they were, after healing; 0: not yet
}

// load is what a node does on average.
type load struct {
	messages float64 // in a minute, but for those that count
	counting float64 // messages in a minute that count nodes and channels
	timers   float64 // that ran, in a minute
}

// What a node may do more than before.
const (
	noisier = 1.5
	besides = 5 // messages in a minute, and timers: links and levels that are made anew
)

// settling returns within what time after healing nodes are at rest.
func settling(router string) time.Duration {
	if router == network.NewsWire.String() {
		return 8 * time.Minute
	}
	return 5 * time.Minute
}

// compare sees the load from some time after healing on, and reports whether nodes are at rest.
func (q *quiet) compare(now, after time.Duration, l load) bool {
	messages, timers := noisier*q.rest.messages+besides, noisier*q.rest.timers+besides
	switch {
	case l.messages <= messages && l.timers <= timers:
		q.at = after
		return true
	case after >= q.by:
		q.fail(now, nowhere, engine.ID{}, "%v after healing a node sends %.1f messages a minute, and its timers run %.1f times; before the faults %.1f and %.1f; allowed are %.1f and %.1f",
			after, l.messages, l.timers, q.rest.messages, q.rest.timers, messages, timers)
		return true
	}
	return false
}

// recovered sees the load when all that was lost is back.
func (q *quiet) recovered(now time.Duration, l load) {
	if all, most := l.messages+l.counting, noisier*(q.rest.messages+q.rest.counting)+besides; all > most {
		q.fail(now, nowhere, engine.ID{}, "when all is back a node sends %.1f messages a minute; before the faults %.1f; allowed are %.1f",
			all, q.rest.messages+q.rest.counting, most)
	}
}
