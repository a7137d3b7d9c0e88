package astrolabe

import (
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// What a node traces.
type (
	// Placed says that the node is in a zone now: it has found its place, or moved.
	Placed struct{ Zone zone.Path }
	// Issued says that the node has written the row of a zone that it represents. News: more than a stamp.
	Issued struct {
		Zone zone.Path
		News bool
	}
	// Learned says that there is news in a table: a row with a label was written or withdrawn, or has aged out.
	Learned struct {
		Zone  zone.Path
		Label string
		Gone  bool
	}
	// Refused says that a row of a peer was refused, and why.
	Refused struct {
		From engine.Peer
		Zone zone.Path
		Err  error
	}
	// NotAdmitted says that a node, asked for the way, has not let this one in, and why.
	NotAdmitted struct {
		By  engine.Peer
		Why Denial
	}
	// Failed says that an aggregation function has failed on a table.
	Failed struct {
		Zone zone.Path
		Name string
		Err  error
	}
	// LimitHit says that something was dropped because of a bound.
	LimitHit struct {
		Name  string
		Limit int
	}
)
