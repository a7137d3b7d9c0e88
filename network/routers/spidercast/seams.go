package spidercast

import (
	"tidings/network"
	"tidings/network/engine"
	"tidings/network/routers/spidercast/overlay"
	"tidings/network/vivaldi"
)

// Seams are what a node asks of its surroundings.
type Seams struct {
	Member      network.Member
	Contacts    []engine.Peer // those that the node begins with; more by Meet
	Coordinates Coordinates   // such as a *vivaldi.Vivaldi; nil: nobody's place is known

	// Candidates, if not nil, stands in for the membership by gossip: an experiment's ideal one.
	Candidates overlay.Candidates
}

// Coordinates say where this node lies.
type Coordinates interface{ Coordinate() vivaldi.Coordinate }
