package campaign

import (
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/sim"
)

// bounded checks that no message is longer than engine.MaxMessage, and that no table is longer than its Config says.
// Queues of messages are check.Queues' affair.
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

// quiet checks that the network comes to rest after faults have ended and the ring is right again. Nodes then send
// about as many messages as before, and have about as many timers: at most half as many again (routertest, noisier),
// plus a constant. The aim is a minute, and the time at which nodes came to rest is noted. It judges by the time that
// protocols state, each router in its test of conformance (routertest.Promises, Settling): up to five minutes, and
// eight with newswire. Corona counts nodes and channels anew in quick rounds for up to six of
// corona.Config.AggregateEvery (corona/plan). Its messages are judged when all subscriptions are back.
//
// If the load is higher than before the faults, it is compared with the same world without faults at that time. Nodes
// that join late, and private ones most of all, raise the load of all others for good.
type quiet struct {
	verdict
	rest    load          // before the faults; from when control has been asked on, the larger of both
	control func() load   // of the same world without faults; nil: not to be asked
	by      time.Duration // within what time after healing nodes are to be at rest
	at      time.Duration // when they were, after healing; 0: not yet
	settled load          // what they did when they were looked at last after healing
	back    load          // and when all that was lost was back
}

// load is what a node does on average.
type load struct {
	messages float64 // in a minute, but for those that count
	counting float64 // messages in a minute that count nodes and channels, and those by way of other nodes
	timers   float64 // that ran, in a minute
}

// larger returns what either has more of.
func (l load) larger(m load) load {
	return load{max(l.messages, m.messages), max(l.counting, m.counting), max(l.timers, m.timers)}
}

// What a node may do more than is normal.
const (
	noisier = 1.5
	besides = 5 // messages in a minute, and timers: links and levels that are made anew
)

// settling returns within what time after healing nodes are at rest. A partition can leave several rings, which become
// one at the pace of keep-alives (pastry, merge.go): where these are rarer, that lasts longer.
func settling(router string, upkeep int) time.Duration {
	within := 5 * time.Minute
	if router == network.NewsWire.String() {
		within = 8 * time.Minute
	}
	return within * time.Duration(upkeep)
}

// compare checks the load once the settling time has passed. It reports whether the comparison is over: nodes are at
// rest, or should be.
func (q *quiet) compare(now, after time.Duration, l load) bool {
	q.settled = l
	calm := func() bool { return l.messages <= most(q.rest.messages) && l.timers <= most(q.rest.timers) }
	if calm() {
		q.at = after
		return true
	}
	if after < q.by {
		return false
	}
	if q.ask(); !calm() {
		q.fail(now, nowhere, engine.ID{},
			"%v after healing a node sends %.1f messages a minute, and its timers run %.1f times; normal are %.1f "+
				"and %.1f; allowed are %.1f and %.1f",
			after, l.messages, l.timers, q.rest.messages, q.rest.timers, most(q.rest.messages), most(q.rest.timers))
	}
	return true
}

// recovered sees the load when all that was lost is back.
func (q *quiet) recovered(now time.Duration, l load) {
	q.back = l
	calm := func() bool { return l.messages+l.counting <= most(q.rest.messages+q.rest.counting) }
	if calm() {
		return
	}
	if q.ask(); !calm() {
		q.fail(now, nowhere, engine.ID{},
			"when all is back a node sends %.1f messages a minute; normal are %.1f; allowed are %.1f",
			l.messages+l.counting, q.rest.messages+q.rest.counting, most(q.rest.messages+q.rest.counting))
	}
}

// ask has what is normal be the control's too, once.
func (q *quiet) ask() {
	if q.control != nil {
		q.rest = q.rest.larger(q.control())
		q.control = nil
	}
}

// most returns how much a node may do where so much is normal.
func most(normal float64) float64 { return noisier*normal + besides }
