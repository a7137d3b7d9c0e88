package astrolabe

import (
	"time"

	"tidings/network/astrolabe/attr"
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
	"tidings/network/vivaldi"
)

// Seams are what a node asks of its surroundings.
type Seams struct {
	Keys engine.Keys

	// Home is the zone that the node is in, or in a zone below that made itself. The root: it goes where there is room
	// near by.
	Home     zone.Path
	Contacts []engine.Peer // by which it finds its place; more by Meet

	Coordinates Coordinates // such as a *vivaldi.Vivaldi; nil: nobody's place is known

	// Trusted are the keys that certify members, and sign functions. In a closed network a node without certificate
	// gets nothing, and nothing from it counts. Proof is the node's own.
	Trusted []cert.Authority
	Closed  bool
	Proof   cert.Chain

	// Settled, if not nil, is a place that the node has had for long: see package settled.
	Settled *Settled

	// OnPlaced is called when the node has come into a zone, OnDenied when a node that it has asked for the way does
	// not let it in. They must not call back. nil: none is called.
	OnPlaced func(zone.Path)
	OnDenied func(by engine.Peer, why Denial)

	// Compile makes an aggregation function of its text. nil: none can be installed.
	Compile func(text string) (Function, error)
}

// Settled is where a node is that has been in a network for long, and what it knows.
type Settled struct {
	Zone   zone.Path
	Tables []*table.Table // of all zones on the path, the root's first
	Own    attr.Row       // what Node.Set was given
}

// Function is an aggregation function that was installed: a parent's attributes from the rows of a table. If it has a
// method Close, that is called when it is not needed any more.
type Function interface {
	Aggregate(rows []attr.Row) (attr.Row, error)
}

// Coordinates say where this node lies.
type Coordinates interface{ Coordinate() vivaldi.Coordinate }

// Watcher is called with what changes in a node's tables. It must not call back.
type Watcher interface {
	// TableChanged says that there is news in the table of a zone on the node's path.
	TableChanged(zone.Path)
	// Moved says that the node is in another zone now.
	Moved(to zone.Path)
}

// wallTime returns the calendar's seconds, for logical times.
func wallTime(t time.Time) uint32 { return uint32(max(0, min(t.Unix(), 1<<32-2))) }
