package vivaldi

import (
	"math/rand/v2"
	"time"

	"tidings/network/engine"
)

// alone returns a protocol without a network.
func alone(c Config) (*Vivaldi, *quiet) {
	env := &quiet{chance: rand.New(rand.NewPCG(1, 1))}
	return New(env, c, Landmarks{}), env
}

// quiet is an Env in which nothing happens; it remembers what was traced and sent.
type quiet struct {
	chance *rand.Rand
	now    time.Duration
	traced []any
	sent   []engine.Message
}

func (e *quiet) Self() engine.Peer                        { return engine.Peer{Address: "self"} }
func (e *quiet) Now() time.Duration                       { return e.now }
func (e *quiet) Wall() time.Time                          { return time.Time{} }
func (e *quiet) After(time.Duration, func()) engine.Timer { return engine.Timer{} }
func (e *quiet) Rand() *rand.Rand                         { return e.chance }
func (e *quiet) Send(_ engine.Peer, m engine.Message)     { e.sent = append(e.sent, m) }
func (e *quiet) Work(job, done func()) bool               { return false }
func (e *quiet) Trace(event any)                          { e.traced = append(e.traced, event) }
