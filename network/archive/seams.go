package archive

import "tidings/network/engine"

// Ring is what the archive asks of Pastry; see there.
type Ring interface {
	Active() bool
	// Nodes estimates how many there are.
	Nodes() int
	Route(key engine.ID, payload engine.Message)
	Owners(key engine.ID, k int) (owners []engine.Peer, sure bool)
	// LeafSet returns the neighbours on the ring, each side nearest first. Where the sides overlap,
	// they are all there are.
	LeafSet() (below, above []engine.Peer)
	// Known returns every node that this one knows and believes alive, by ID.
	Known() []engine.Peer
	OnNeighbours(f func())
}

// Verifier decides what is genuine.
type Verifier interface {
	// Genuine reports whether bytes are those of a name: a key that may publish under it has signed them.
	// The same bytes must be judged alike by all nodes. It is called outside the loop (engine.Env.Work),
	// possibly several times at once, and must touch nothing that changes.
	Genuine(name Name, bytes []byte) bool
	// Forged reports whether bytes that are not genuine prove that their sender lies: no honest node of any version can
	// have accepted them for genuine. It is called as Genuine is.
	Forged(name Name, bytes []byte) bool
}

// LocalSource is where items lie that this node has for purposes of its own. An owner that was pushed an item need not
// fetch it.
type LocalSource interface {
	// Local returns the bytes of an item that lies there, which Verifier would accept; nil: none does. It returns at
	// once. The bytes are not changed by anybody.
	Local(name Name) []byte
}

// Held is an item that a node has.
type Held struct {
	Name  Name   `cbor:"1,keyasint"`
	Size  uint32 `cbor:"2,keyasint"` // bytes
	Print uint64 `cbor:"3,keyasint"` // PrintOf the bytes
}

// Store is where a node keeps items, through restarts. Its methods return at once; what they call back they
// call in the loop, after they have returned.
type Store interface {
	// Put keeps an item, in the place of any other of that name. kept reports whether it is on the disk.
	Put(item Held, bytes []byte, kept func(ok bool))
	// Get reads an item; nil: it is not there. The bytes are not changed by anybody.
	Get(name Name, got func(bytes []byte))
	// Drop forgets items.
	Drop(names []Name)
	// List reads what is kept, in the order of keys: at most most items with keys higher than after, or all keys if
	// after is nil. None: there are no more.
	List(after *engine.ID, most int, listed func(items []Held))
}
