package campaign

import (
	"time"

	"tidings/network/engine"
	"tidings/network/sim"
	"tidings/network/sim/check"
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

// quiet checks that a minute after faults have ended nodes send about as many messages as before them, and have about as many timers:
// at most half as many again, and as many besides as a second of traffic may differ (routertest: noisier).
type quiet struct {
	verdict
	rest load
}

// load is what a node does on average.
type load struct {
	messages float64 // in a minute
	timers   float64 // that ran, in a minute
}

// Factors of quiet.
const (
	noisier   = 1.5
	noiseless = 5 // messages in a minute, and timers, that a node may have besides: links and levels that are made anew
)

// compare sees the load after faults.
func (q *quiet) compare(at time.Duration, now load) {
	if most := noisier*q.rest.messages + noiseless; now.messages > most {
		q.fail(at, nowhere, engine.ID{}, "a node sends %.1f messages a minute, where %.1f were sent before the faults and %.1f are allowed", now.messages, q.rest.messages, most)
	}
	if most := noisier*q.rest.timers + noiseless; now.timers > most {
		q.fail(at, nowhere, engine.ID{}, "a node's timers run %.1f times a minute, where they ran %.1f times before the faults and %.1f are allowed", now.timers, q.rest.timers, most)
	}
}

var _ check.Checker = (*quiet)(nil)
