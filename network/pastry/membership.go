package pastry

import "time"

// membership is how far a node has come: idle, joining, active. It becomes active only when it has settled, and an
// active node has answered it or it was active before. One that has slept joins again.
type membership struct {
	state     state
	member    bool          // it has been active before, or is the first of a ring
	confirmed bool          // an active node has answered it
	since     time.Duration // when it began or woke
	ticked    time.Duration // when it was last seen to be awake
}

type state uint8

const (
	idle state = iota
	joining
	active
)

// begin starts a life that is idle. It reports whether it was.
func (m *membership) begin(now time.Duration) bool {
	if m.state != idle {
		return false
	}
	m.state, m.since = joining, now
	return true
}

// complete makes a node an active member at once.
func (m *membership) complete(now time.Duration) {
	*m = membership{state: active, member: true, confirmed: true, since: now}
}

// wake reports whether the node has slept, and how long. It has slept if it was not seen awake for limit. It joins
// then.
func (m *membership) wake(now, limit time.Duration) (slept time.Duration, woke bool) {
	slept = now - m.ticked
	if m.state == idle || slept < limit {
		return 0, false
	}
	m.ticked, m.state, m.since = now, joining, now
	return slept, true
}

// activate makes a node active that has settled. It reports whether it was joining, and may be active.
func (m *membership) activate() bool {
	if m.state != joining || !m.confirmed && !m.member {
		return false
	}
	m.state, m.member = active, true
	return true
}
