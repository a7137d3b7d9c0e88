package live

import (
	"crypto/ed25519"
	"math/rand/v2"
	"time"

	"tidings/network/engine"
)

// env is what the protocols see of the loop. Its methods are called in the loop alone.
type env struct{ loop *loop }

var (
	_ engine.Env      = (*env)(nil)
	_ engine.Admitter = (*env)(nil)
	_ engine.Prefixer = (*env)(nil)
	_ engine.Linker   = (*env)(nil)
	_ engine.Doubter  = (*env)(nil)
	_ engine.Refuser  = (*env)(nil)
)

// Self returns this node with the addresses that it knows of itself now.
func (e *env) Self() engine.Peer { return e.loop.h.Self() }

// Now returns the time since Run, with what the machine slept.
func (e *env) Now() time.Duration { return e.loop.clock.now() }

// Wall returns the calendar time.
func (e *env) Wall() time.Time { return time.Now() }

// Rand returns the loop's source of chance, seeded by the system's.
func (e *env) Rand() *rand.Rand { return e.loop.chance }

// After plans a call in the loop.
func (e *env) After(d time.Duration, f func()) engine.Timer {
	p := e.loop
	if p.stopping {
		return engine.Timer{}
	}
	id := p.timers.add(p.clock.now()+max(d, 0), func() {
		if !p.stopping {
			f()
		}
	})
	return engine.NewTimer(p.timers, id)
}

// Send puts m into the queue of the link to a peer, and begins one if there is none.
func (e *env) Send(to engine.Peer, m engine.Message) { e.loop.send(to, m) }

// Work runs job beside the loop; at most GOMAXPROCS jobs run, at most engine.MaxWork wait.
func (e *env) Work(job, done func()) bool { return e.loop.workers.add(job, done) }

// Admissible implements engine.Admitter.
func (e *env) Admissible(id engine.ID) bool { return e.loop.h.config.admits(id) }

// Link implements engine.Linker.
func (e *env) Link(id engine.ID) (engine.Peer, bool) {
	l := e.loop.links[id]
	if l == nil || !l.connected || l.state != open {
		return engine.Peer{}, false
	}
	return l.peer, true
}

// Doubt implements engine.Doubter.
func (e *env) Doubt(id engine.ID) { e.loop.suspected(id) }

// Refuses implements engine.Refuser.
func (e *env) Refuses(id engine.ID) bool { return e.loop.h.penalties.refuses(id) }

// Prefix implements engine.Prefixer: by where the peer is connected from, or else by the first public place of its
// address. It is empty in a network with a key, and for peers that are reached by a relay.
func (e *env) Prefix(a engine.Address) string {
	if e.loop.h.config.NetworkKey != nil {
		return ""
	}
	if len(a) < ed25519.PublicKeySize {
		return ""
	}
	if l := e.loop.links[NodeID(ed25519.PublicKey(a[:ed25519.PublicKeySize]))]; l != nil && l.in != nil {
		return prefixOf(l.in.stream.Conn().RemoteMultiaddr())
	}
	c, err := parseContact(a)
	if err != nil {
		return ""
	}
	for _, place := range c.places {
		if prefix := prefixOf(place); prefix != "" {
			return prefix
		}
	}
	return ""
}

// Trace hands the event to Config.Observe.
func (e *env) Trace(event any) { e.loop.observe(event) }
