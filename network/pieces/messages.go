package pieces

import "tidings/network/engine"

// Open asks what the receiver has of a content. It owes a Holding.
type Open struct {
	Ref Ref `cbor:"1,keyasint"`
	// Manifest says that the manifest is wanted as well.
	Manifest bool `cbor:"2,keyasint"`
}

// Holding answers an Open. Without Bits the sender has nothing.
type Holding struct {
	Ref      Ref    `cbor:"1,keyasint"`
	Bits     Bits   `cbor:"2,keyasint" max:"512"`
	Manifest []byte `cbor:"3,keyasint" max:"131084"`
	Busy     bool   `cbor:"4,keyasint"` // the sender has no time to look
}

// Ask asks for a piece. The receiver owes it, or a Sorry.
type Ask struct {
	Ref   Ref    `cbor:"1,keyasint"`
	Index uint32 `cbor:"2,keyasint"`
}

// Piece is a piece that was asked for.
type Piece struct {
	Ref   Ref    `cbor:"1,keyasint"`
	Index uint32 `cbor:"2,keyasint"`
	Bytes []byte `cbor:"3,keyasint" max:"262144"`
}

// Sorry answers an Ask: the sender does not have the piece, or, if Busy is set, sends too much to others.
type Sorry struct {
	Ref   Ref    `cbor:"1,keyasint"`
	Index uint32 `cbor:"2,keyasint"`
	Busy  bool   `cbor:"3,keyasint"`
}

// Seek is routed toward a content's key by a node that wants to know its owners. The node closest to it owes the
// asker an Owners.
type Seek struct {
	Ref   Ref         `cbor:"1,keyasint"`
	Asker engine.Peer `cbor:"2,keyasint"` // hearsay
	// Start says that it was sent directly, to be routed from there.
	Start bool `cbor:"3,keyasint"`
}

// Owners answers a Seek: the nodes closest to the content's key.
type Owners struct {
	Ref   Ref           `cbor:"1,keyasint"`
	Peers []engine.Peer `cbor:"2,keyasint" max:"8"`
}

// Announce is sent to the owners of a content by a node that lends it, or looks for it. They owe a Providers.
type Announce struct {
	Ref Ref `cbor:"1,keyasint"`
	// Lends says that the sender has some of the content; else it only asks.
	Lends bool `cbor:"2,keyasint"`
}

// Providers answers an Announce: some of those that have said that they lend the content.
type Providers struct {
	Ref   Ref           `cbor:"1,keyasint"`
	Peers []engine.Peer `cbor:"2,keyasint" max:"8"`
}

// Vocabulary is all that is said about pieces.
var Vocabulary = engine.Vocabulary{Protocol: engine.Pieces, Name: "pieces", Messages: []engine.MessageType{
	{Message: new(Open), Class: engine.Bulk},
	{Message: new(Holding), Class: engine.Bulk},
	{Message: new(Ask), Class: engine.Bulk},
	{Message: new(Piece), Class: engine.Bulk},
	{Message: new(Sorry), Class: engine.Bulk},
	{Message: new(Seek), Class: engine.Bulk},
	{Message: new(Owners), Class: engine.Bulk},
	{Message: new(Announce), Class: engine.Bulk},
	{Message: new(Providers), Class: engine.Bulk},
}}

// The kinds of the messages above.
func (*Open) Kind() engine.Kind      { return engine.KindOf(engine.Pieces, 1) }
func (*Holding) Kind() engine.Kind   { return engine.KindOf(engine.Pieces, 2) }
func (*Ask) Kind() engine.Kind       { return engine.KindOf(engine.Pieces, 3) }
func (*Piece) Kind() engine.Kind     { return engine.KindOf(engine.Pieces, 4) }
func (*Sorry) Kind() engine.Kind     { return engine.KindOf(engine.Pieces, 5) }
func (*Seek) Kind() engine.Kind      { return engine.KindOf(engine.Pieces, 6) }
func (*Owners) Kind() engine.Kind    { return engine.KindOf(engine.Pieces, 7) }
func (*Announce) Kind() engine.Kind  { return engine.KindOf(engine.Pieces, 8) }
func (*Providers) Kind() engine.Kind { return engine.KindOf(engine.Pieces, 9) }
