package volunteer

import "tidings/network/engine"

// MaxPayload is the longest description of what was found, in bytes.
const MaxPayload = 512 << 10

// Hash names a content.
type Hash [32]byte

// Looked says that a node has polled a channel. The channel is the topic on which it is said.
type Looked struct {
	Finder engine.Peer `cbor:"1,keyasint"`
	Time   int64       `cbor:"2,keyasint"` // by Finder's clock, in milliseconds since 1970
	Hash   Hash        `cbor:"3,keyasint"` // of what it saw
	// Payload is what leads from the content before to that; empty: nothing has changed.
	Payload   []byte `cbor:"4,keyasint" max:"524288"`
	Signature []byte `cbor:"5,keyasint" max:"64"` // by Finder
}

// Kind returns the number of Looked.
func (*Looked) Kind() engine.Kind { return engine.KindOf(engine.Volunteer, 1) }

// Vocabulary is all that volunteers say.
var Vocabulary = engine.Vocabulary{Protocol: engine.Volunteer, Name: "volunteer", Messages: []engine.MessageType{
	{Message: new(Looked), Class: engine.Update},
}}
