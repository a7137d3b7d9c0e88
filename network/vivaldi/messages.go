package vivaldi

import "tidings/network/engine"

// Ping asks a peer for its coordinate; the time to the answer is a sample. Sent once a period
// to one peer. The receiver owes a Pong at once.
type Ping struct {
	// Nonce is drawn anew for each Ping, so that nobody can answer before it came.
	Nonce uint64 `cbor:"1,keyasint"`
}

// Pong answers a Ping.
type Pong struct {
	Nonce      uint64     `cbor:"1,keyasint"`
	Coordinate Coordinate `cbor:"2,keyasint"`
}

// Kind returns the number of Ping.
func (*Ping) Kind() engine.Kind { return engine.KindOf(engine.Vivaldi, 1) }

// Kind returns the number of Pong.
func (*Pong) Kind() engine.Kind { return engine.KindOf(engine.Vivaldi, 2) }

// Vocabulary is all that vivaldi says.
var Vocabulary = engine.Vocabulary{Protocol: engine.Vivaldi, Name: "vivaldi", Messages: []engine.MessageType{
	{Message: new(Ping), Class: engine.Control},
	{Message: new(Pong), Class: engine.Control},
}}
