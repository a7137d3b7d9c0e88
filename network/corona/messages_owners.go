package corona

import "tidings/network/engine"

// Commit tells the other owners of a version before anybody else hears of it, so that its number
// is not given twice. They owe a Committed.
type Commit struct {
	Channel engine.ID `cbor:"1,keyasint"`
	State   State     `cbor:"2,keyasint"`
	Header  Header    `cbor:"3,keyasint"` // of the version, so that the owners can tell if others get another
}

// Kind returns the number of Commit.
func (*Commit) Kind() engine.Kind { return engine.KindOf(engine.Corona, 11) }

// Committed answers a Commit.
type Committed struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Version uint64    `cbor:"2,keyasint"`
}

// Kind returns the number of Committed.
func (*Committed) Kind() engine.Kind { return engine.KindOf(engine.Corona, 12) }
