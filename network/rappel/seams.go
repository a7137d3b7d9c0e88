package rappel

import (
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
}

// Directory knows who is at the top of each tree.
type Directory interface {
	// Root returns the root of a topic's tree: its publisher, or the primary owner of a polled
	// channel; zero: not known (yet). When the answer changes, [Node.RootChanged] tells the node
	// so at once; it asks anew from time to time anyway.
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
	// Remember is told the friends whenever they change.
	Remember(friends []engine.Peer)
}
