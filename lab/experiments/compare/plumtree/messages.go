package plumtree

import "tidings/network/engine"

// Protocol is the number of the protocol among those of experiments.
const Protocol = engine.Experiment + 2

// Bounds of messages.
const (
	maxSample  = 16
	maxDigests = 256
)

// Join asks a node of the overlay for a place in it.
type Join struct{}

// ForwardJoin walks through the overlay with a node that has joined, until Left steps are done. Where it ends, the
// receiver makes Peer its neighbour.
type ForwardJoin struct {
	Peer engine.Peer `cbor:"1,keyasint"`
	Left uint8       `cbor:"2,keyasint"`
}

// Neighbor asks the receiver to be the sender's neighbour. An urgent one is not refused. The receiver owes an Accept or
// a Disconnect.
type Neighbor struct {
	Urgent bool `cbor:"1,keyasint"`
}

// Accept answers a Neighbor: the two are neighbours.
type Accept struct{}

// Disconnect says that the sender is not the receiver's neighbour.
type Disconnect struct{}

// Shuffle walks through the overlay with a sample of the nodes that Peer knows. Where it ends, the receiver remembers
// them and owes Peer a Shuffled.
type Shuffle struct {
	Peer   engine.Peer   `cbor:"1,keyasint"`
	Left   uint8         `cbor:"2,keyasint"`
	Sample []engine.Peer `cbor:"3,keyasint" max:"16"`
}

// Shuffled answers a Shuffle with as large a sample.
type Shuffled struct {
	Sample []engine.Peer `cbor:"1,keyasint" max:"16"`
}

// Gossip carries an event over a link of the tree.
type Gossip struct {
	Topic engine.ID      `cbor:"1,keyasint"`
	Event engine.Message `cbor:"2,keyasint"`
}

// Carried returns the event.
func (m *Gossip) Carried() engine.Message { return m.Event }

// IHave names events that the sender has, over a link that is not of the tree.
type IHave struct {
	Digests []uint64 `cbor:"1,keyasint" max:"256"`
}

// Graft asks for an event, and makes the link one of the tree.
type Graft struct {
	Digest uint64 `cbor:"1,keyasint"`
}

// Prune takes the link out of the tree: an event came over it once more.
type Prune struct{}

// Vocabulary is all that the protocol says.
var Vocabulary = engine.Vocabulary{Protocol: Protocol, Name: "plumtree", Messages: []engine.MessageType{
	{Message: new(Join), Class: engine.Control},
	{Message: new(ForwardJoin), Class: engine.Control},
	{Message: new(Neighbor), Class: engine.Control},
	{Message: new(Accept), Class: engine.Control},
	{Message: new(Disconnect), Class: engine.Control},
	{Message: new(Shuffle), Class: engine.Control},
	{Message: new(Shuffled), Class: engine.Control},
	{Message: new(Gossip), Class: engine.Update},
	{Message: new(IHave), Class: engine.Update},
	{Message: new(Graft), Class: engine.Update},
	{Message: new(Prune), Class: engine.Control},
}}

// Kind returns the number that the type has on the wire.
func (*Join) Kind() engine.Kind        { return engine.KindOf(Protocol, 1) }
func (*ForwardJoin) Kind() engine.Kind { return engine.KindOf(Protocol, 2) }
func (*Neighbor) Kind() engine.Kind    { return engine.KindOf(Protocol, 3) }
func (*Accept) Kind() engine.Kind      { return engine.KindOf(Protocol, 4) }
func (*Disconnect) Kind() engine.Kind  { return engine.KindOf(Protocol, 5) }
func (*Shuffle) Kind() engine.Kind     { return engine.KindOf(Protocol, 6) }
func (*Shuffled) Kind() engine.Kind    { return engine.KindOf(Protocol, 7) }
func (*Gossip) Kind() engine.Kind      { return engine.KindOf(Protocol, 8) }
func (*IHave) Kind() engine.Kind       { return engine.KindOf(Protocol, 9) }
func (*Graft) Kind() engine.Kind       { return engine.KindOf(Protocol, 10) }
func (*Prune) Kind() engine.Kind       { return engine.KindOf(Protocol, 11) }
