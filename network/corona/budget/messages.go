package budget

import (
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// Messages are those between a channel's primary and the nodes that are to poll the channel.
var Messages = []engine.MessageType{
	{Message: new(AskProof), Class: engine.Update},
	{Message: new(Proof), Class: engine.Bulk},
}

// AskProof asks a channel's primary for proof of its readers. A node that is assigned the channel, or is to poll it as
// a witness, routes it to the channel. The primary owes it a Proof.
type AskProof struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Nonce   uint64    `cbor:"2,keyasint"` // selects the subscriptions that prove it; see roster.SampleSize
}

// Kind returns the number of AskProof.
func (*AskProof) Kind() engine.Kind { return engine.KindOf(engine.Corona, 51) }

// Proof proves the readers of a channel, to a node that has asked for it.
type Proof struct {
	Channel       engine.ID             `cbor:"1,keyasint"`
	Nonce         uint64                `cbor:"2,keyasint"`
	Subscriptions []roster.Subscription `cbor:"3,keyasint" max:"64"` // signed
}

// Kind returns the number of Proof.
func (*Proof) Kind() engine.Kind { return engine.KindOf(engine.Corona, 52) }
