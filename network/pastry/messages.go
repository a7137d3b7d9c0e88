package pastry

import "tidings/network/engine"

// MaxLeafSet is the largest leaf set that fits into a message.
const MaxLeafSet = 32

// Vocabulary is all that nodes of Pastry say to each other. Every peer in a message is
// hearsay: its receiver probes before it believes.
var Vocabulary = engine.Vocabulary{
	Protocol: engine.Pastry,
	Name:     "pastry",
	Messages: []engine.MessageType{
		{Message: new(Routed), Class: engine.Update}, // if it carries nothing known
		{Message: new(Ack), Class: engine.Update},
		{Message: new(Join), Class: engine.Control},
		{Message: new(Welcome), Class: engine.Control},
		{Message: new(Probe), Class: engine.Control},
		{Message: new(Answer), Class: engine.Control},
		{Message: new(RowRequest), Class: engine.Control},
		{Message: new(Row), Class: engine.Control},
		{Message: new(Foreign), Class: engine.Control},
		{Message: new(Leave), Class: engine.Control},
	},
}

// Routed carries a payload one hop further towards the node whose ID is closest to Key. If the receiver accepts it, it
// owes an Ack at once, and then a next hop or a delivery. If it cannot accept, it sends nothing.
type Routed struct {
	Key     engine.ID      `cbor:"1,keyasint"`
	Origin  engine.Peer    `cbor:"2,keyasint"` // the node that routed it first
	Number  uint64         `cbor:"3,keyasint"` // drawn at random; with Origin's ID the message's name
	Try     uint8          `cbor:"4,keyasint"` // of Origin's, from 0
	Hops    uint8          `cbor:"5,keyasint"` // made so far, this one included
	Payload engine.Message `cbor:"6,keyasint"`

	// Entry is a node that has a connection with Origin, as the first node on the way reports. By it answers find back
	// to an Origin that accepts no other connection. Zero: none is known, or no node forwards here.
	Entry engine.Peer `cbor:"7,keyasint"`
}

// Ack confirms to the node before that this one has accepted a Routed. With Delivered it confirms, also to the origin,
// that the message has reached the end of its way.
type Ack struct {
	Origin    engine.ID `cbor:"1,keyasint"`
	Number    uint64    `cbor:"2,keyasint"`
	Delivered bool      `cbor:"3,keyasint"`
}

// Join is routed by a node to its own ID, through a seed, when it wants to be part of the seed's ring. Each node on the
// way owes the joiner the Row that they share. The last one owes a Welcome and all rows that fit.
type Join struct {
	Joiner engine.Peer `cbor:"1,keyasint"`
	Nonce  uint64      `cbor:"2,keyasint"` // the Welcome repeats it
}

// Welcome ends a Join: the nodes next to the joining one, the sender among them.
type Welcome struct {
	Nonce uint64        `cbor:"1,keyasint"` // the Join's
	Near  []engine.Peer `cbor:"2,keyasint" max:"33"`
}

// Probe asks whether the receiver lives. It is sent before a peer is believed in, as a keep-alive to the next
// neighbour, and to a peer under suspicion. When a member of the leaf set has died, it is sent to all of the set. The
// receiver owes an Answer. It asks those in Dead itself, and names them again in a Row if they live.
type Probe struct {
	Nonce  uint32 `cbor:"1,keyasint"`
	Active bool   `cbor:"2,keyasint"` // the sender is
	Knows  bool   `cbor:"3,keyasint"` // the sender has met the receiver and keeps it

	// Near says that the receiver is, or may become, a neighbour: it owes Near as well.
	Leaf bool          `cbor:"4,keyasint"`
	Near []engine.Peer `cbor:"5,keyasint" max:"32"` // those that the sender knows next to the receiver
	Dead []engine.ID   `cbor:"6,keyasint" max:"32"` // nearby, found dead lately; not wanted in Near

	Incarnation uint32 `cbor:"7,keyasint"` // of the sender; 0: it does not say

	// Digest names Near. One that the receiver keeps is left out, see kept.
	Digest uint64 `cbor:"8,keyasint"`
	Keeps  uint64 `cbor:"9,keyasint"` // the Digest of the receiver's Near that the sender keeps; 0: none
}

// Answer answers a Probe at once.
type Answer struct {
	Nonce  uint32        `cbor:"1,keyasint"`
	Active bool          `cbor:"2,keyasint"`
	Knows  bool          `cbor:"3,keyasint"` // as it was before the probe came
	Near   []engine.Peer `cbor:"4,keyasint" max:"32"`

	Incarnation uint32 `cbor:"5,keyasint"` // these three as in a Probe
	Digest      uint64 `cbor:"6,keyasint"`
	Keeps       uint64 `cbor:"7,keyasint"`
}

// RowRequest is sent to one contact each Config.TablePeriod, with the row of the sender's routing table that both
// share: that of their common prefix. The receiver owes its own.
type RowRequest struct {
	Peers []engine.Peer `cbor:"1,keyasint" max:"255"`
}

// Row is a row of the sender's routing table. It answers a RowRequest. A joining node receives it from those on the way
// of its Join. It also names again a single peer, which has just spoken to the sender, to a node that has found that
// peer dead (see contradict.go). The receiver owes nothing.
type Row struct {
	Peers []engine.Peer `cbor:"1,keyasint" max:"255"`
}

// Foreign reports to contacts that this node has met a peer of another ring, here is one. The
// receiver owes it to itself to look for its own neighbours there; see merge.go.
type Foreign struct {
	Peer engine.Peer `cbor:"1,keyasint"`
}

// Leave is the farewell of a node to all it knows. It names to each neighbour the nodes next to it after the departure.
// The receiver owes nothing.
type Leave struct {
	Near []engine.Peer `cbor:"1,keyasint" max:"32"`
}

// The kinds of the messages above.
func (*Routed) Kind() engine.Kind     { return engine.KindOf(engine.Pastry, 1) }
func (*Ack) Kind() engine.Kind        { return engine.KindOf(engine.Pastry, 2) }
func (*Join) Kind() engine.Kind       { return engine.KindOf(engine.Pastry, 3) }
func (*Welcome) Kind() engine.Kind    { return engine.KindOf(engine.Pastry, 4) }
func (*Probe) Kind() engine.Kind      { return engine.KindOf(engine.Pastry, 5) }
func (*Answer) Kind() engine.Kind     { return engine.KindOf(engine.Pastry, 6) }
func (*RowRequest) Kind() engine.Kind { return engine.KindOf(engine.Pastry, 7) }
func (*Row) Kind() engine.Kind        { return engine.KindOf(engine.Pastry, 8) }
func (*Foreign) Kind() engine.Kind    { return engine.KindOf(engine.Pastry, 9) }
func (*Leave) Kind() engine.Kind      { return engine.KindOf(engine.Pastry, 10) }

// Carried returns the payload, which says how urgent a Routed is.
func (m *Routed) Carried() engine.Message { return m.Payload }
