package sim

import (
	"math/rand/v2"
	"time"

	"tidings/network/engine"
)

// env is the world as one incarnation of a node sees it.
type env struct {
	world       *World
	chance      *rand.Rand    // nil before its first use
	born        time.Duration // by the machine's clock
	node        Node
	incarnation uint32
}

var (
	_ engine.Env      = (*env)(nil)
	_ engine.Admitter = (*env)(nil)
	_ engine.Prefixer = (*env)(nil)
	_ engine.Linker   = (*env)(nil)
)

// alive reports whether the incarnation still runs.
func (e *env) alive() bool { return e.world.node(e.node).incarnation == e.incarnation }

func (e *env) Self() engine.Peer { return e.world.Peer(e.node) }

func (e *env) Now() time.Duration {
	return e.world.machineTime(e.world.node(e.node)) - e.born
}

func (e *env) Wall() time.Time { return e.world.Wall(e.node) }

func (e *env) Rand() *rand.Rand {
	if e.chance == nil {
		e.chance = rand.New(rand.NewPCG(e.world.config.Seed, uint64(e.node)<<32|uint64(e.incarnation)))
	}
	return e.chance
}

func (e *env) After(d time.Duration, f func()) engine.Timer {
	if !e.alive() {
		return engine.Timer{}
	}
	return e.world.after(e.node, d, f, false)
}

func (e *env) Send(to engine.Peer, m engine.Message) {
	if v := e.world.node(e.node); v.incarnation == e.incarnation {
		e.world.send(e.node, v, &to, m)
	}
}

// Work runs job at once: it costs no virtual time.
func (e *env) Work(job, done func()) bool {
	v := e.world.node(e.node)
	if v.incarnation != e.incarnation || v.working == engine.MaxWork {
		return false
	}
	v.working++
	job()
	e.world.after(e.node, 0, done, true)
	return true
}

// Admissible implements engine.Admitter.
func (e *env) Admissible(id engine.ID) bool { return e.world.config.admits(id) }

// Prefix implements engine.Prefixer.
func (e *env) Prefix(a engine.Address) string {
	prefix := e.world.config.Prefix
	if prefix == nil {
		return ""
	}
	place, ok := e.world.places.find(a)
	if !ok {
		return ""
	}
	return prefix(e.world.places.home(place))
}

func (e *env) Trace(event any) {
	if e.alive() {
		e.world.traced(e.node, event)
	}
}
