package enginetest

import (
	"math/rand/v2"
	"slices"
	"time"

	"tidings/network/engine"
)

// Env is the world of one node, driven by hand: nothing happens in it but what the test
// does. What the protocol sends, traces and has to be worked out waits in the Env; time
// passes when Advance is called.
//
// For scenes of several nodes there is network/sim.
type Env struct {
	// Node is what Self returns; a test may give it another address.
	Node engine.Peer

	// WallClock is what Wall returned when the node started. It goes on with Now.
	WallClock time.Time

	now    time.Duration
	chance *rand.Rand
	sent   []Sent
	traced []any
	timers []timer // by time, and by id among equals
	nextID uint64
	work   []work
}

// Sent is a message on its way.
type Sent struct {
	To      engine.Peer
	Message engine.Message
}

type timer struct {
	at time.Duration
	id uint64
	f  func()
}

type work struct{ job, done func() }

// NewEnv returns the world of node at its start, on the first day of 2026. Chance comes from
// a fixed seed.
func NewEnv(node engine.Peer) *Env {
	return &Env{
		Node:      node,
		WallClock: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC),
		chance:    rand.New(rand.NewPCG(1, 2)),
	}
}

// NewPeer returns the peer whose ID starts with the given hexadecimal digits, zeros
// following. Its address is those digits.
func NewPeer(digits string) engine.Peer {
	return engine.Peer{ID: engine.PrefixID(digits), Address: engine.Address(digits)}
}

// Self returns Node.
func (e *Env) Self() engine.Peer { return e.Node }

// Now returns how far Advance has gone.
func (e *Env) Now() time.Duration { return e.now }

// Wall returns WallClock as it has gone on.
func (e *Env) Wall() time.Time { return e.WallClock.Add(e.now) }

// Rand returns the seeded source.
func (e *Env) Rand() *rand.Rand { return e.chance }

// After sets a timer, for Advance.
func (e *Env) After(d time.Duration, f func()) engine.Timer {
	e.nextID++
	t := timer{at: e.now + max(d, 0), id: e.nextID, f: f}
	at, _ := slices.BinarySearchFunc(e.timers, t, func(a, b timer) int {
		if a.at > b.at {
			return 1
		}
		return -1 // an equal one was set earlier
	})
	e.timers = slices.Insert(e.timers, at, t)
	return engine.NewTimer(e, t.id)
}

// StopTimer takes a timer back.
func (e *Env) StopTimer(id uint64) bool {
	at := slices.IndexFunc(e.timers, func(t timer) bool { return t.id == id })
	if at < 0 {
		return false
	}
	e.timers = slices.Delete(e.timers, at, at+1)
	return true
}

// Send keeps the message for Sent.
func (e *Env) Send(to engine.Peer, m engine.Message) { e.sent = append(e.sent, Sent{to, m}) }

// Work keeps the job for RunWork, or refuses it when engine.MaxWork wait.
func (e *Env) Work(job, done func()) bool {
	if len(e.work) == engine.MaxWork {
		return false
	}
	e.work = append(e.work, work{job, done})
	return true
}

// Trace keeps the event for Traced.
func (e *Env) Trace(event any) { e.traced = append(e.traced, event) }

// Sent returns what was sent since the last call, in order.
func (e *Env) Sent() []Sent {
	sent := e.sent
	e.sent = nil
	return sent
}

// Traced returns what was traced since the last call, in order.
func (e *Env) Traced() []any {
	traced := e.traced
	e.traced = nil
	return traced
}

// Advance lets d pass. Timers that fall due are called in their order, each at its time,
// those that are set meanwhile too.
func (e *Env) Advance(d time.Duration) {
	until := e.now + d
	for len(e.timers) > 0 && e.timers[0].at <= until {
		t := e.timers[0]
		e.timers = slices.Delete(e.timers, 0, 1)
		e.now = t.at
		t.f()
	}
	e.now = until
}

// Timers returns how many timers are set.
func (e *Env) Timers() int { return len(e.timers) }

// RunWork runs the jobs that wait, each with what is to be done after it, and returns how
// many there were.
func (e *Env) RunWork() int {
	jobs := e.work
	e.work = nil
	for _, w := range jobs {
		w.job()
		w.done()
	}
	return len(jobs)
}

var _ engine.Env = (*Env)(nil)
