package rappel

import (
	"time"

	"tidings/network"
	"tidings/network/engine"
	"tidings/network/vivaldi"
)

// Seams are what a node asks of its surroundings.
type Seams struct {
	Member      network.Member
	Directory   Directory
	Coordinates Coordinates // such as a *vivaldi.Vivaldi
	Keys        engine.Keys // nil: nothing is signed, and numbers are believed
	Memory      Memory      // nil: every session is a virgin one (section 5.2)

	// OnTaken, if not nil, is called with another node that has an event which this node has published: the root. It
	// calls nothing back.
	OnTaken func(topic engine.ID, event engine.Message, by engine.Peer)
}

// Directory knows which node is at the top of each tree.
type Directory interface {
	// Root returns the root of a topic's tree: its publisher, or the primary owner of a polled channel; zero: not known
	// (yet). When the answer changes, [Node.RootChanged] says so at once. A node asks anew at intervals anyway.
	Root(topic engine.ID) engine.Peer
}

// Coordinates say where this node lies.
type Coordinates interface {
	Coordinate() vivaldi.Coordinate
	// Frozen reports whether the coordinate stays as it is for the session (section 6.1.4).
	Frozen() bool
}

// Memory outlives a session.
type Memory interface {
	// Friends returns the friends of the session before (section 5.3).
	Friends() []engine.Peer
	// Remember is called with the friends whenever they change.
	Remember(friends []engine.Peer)
}

// core is what all parts of a node act through: the world, and each other.
type core struct {
	env    engine.Env
	config Config
	seams  Seams
	alarm  engine.Alarm
	tick   func() // does what is due

	self    *profile
	links   *links
	friends *friends
	session *session
	outbox  *outbox
}

// never is later than everything that is due.
const never = time.Duration(1<<63 - 1)

func (c *core) id() engine.ID      { return c.env.Self().ID }
func (c *core) now() time.Duration { return c.env.Now() }

// wake has the node look at what is due at a time.
func (c *core) wake(at time.Duration) {
	if at < never {
		c.alarm.Soon(c.env, max(at, c.now()), c.tick)
	}
}

// around draws a time between half of d and one and a half of it, so that nodes do not act in step.
func (c *core) around(d time.Duration) time.Duration {
	return d/2 + time.Duration(c.env.Rand().Int64N(int64(d)))
}

// isRoot reports whether the Directory says that this node is a topic's root.
func (c *core) isRoot(topic engine.ID) bool { return c.seams.Directory.Root(topic).ID == c.id() }
