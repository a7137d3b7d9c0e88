package roots

import "tidings/network/engine"

// Ask asks which node is closest to a topic. It is routed toward it; the first node on the way that knows for sure owes
// Asker a Closest.
type Ask struct {
	Topic engine.ID   `cbor:"1,keyasint"`
	Asker engine.Peer `cbor:"2,keyasint"` // hearsay
	Start bool        `cbor:"3,keyasint"` // the receiver is to route it
}

// Closest answers an Ask.
type Closest struct {
	Topic engine.ID   `cbor:"1,keyasint"`
	Peer  engine.Peer `cbor:"2,keyasint"` // hearsay
}

// Vocabulary is all that is said about roots.
var Vocabulary = engine.Vocabulary{Protocol: engine.Roots, Name: "roots", Messages: []engine.MessageType{
	{Message: new(Ask), Class: engine.Control},
	{Message: new(Closest), Class: engine.Control},
}}

// Kind returns the number of Ask.
func (*Ask) Kind() engine.Kind { return engine.KindOf(engine.Roots, 1) }

// Kind returns the number of Closest.
func (*Closest) Kind() engine.Kind { return engine.KindOf(engine.Roots, 2) }
