package budget

import (
	"tidings/network/corona/machine"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// Messages are those between the primaries of a host's channels and the host's owners.
var Messages = []engine.MessageType{
	{Message: new(Claims), Class: engine.Update},
	{Message: new(AskProof), Class: engine.Update},
	{Message: new(Proof), Class: engine.Bulk},
	{Message: new(Grants), Class: engine.Update},
}

// Claims asks the owners of a host for grants. The primary of some of its channels sends it to known owners, or routes
// it to the host's key. From there it is passed on to the owners. They owe Grants, or an AskProof for claims without a
// proof on record.
type Claims struct {
	Host engine.ID   `cbor:"1,keyasint"` // its key
	Node engine.Peer `cbor:"2,keyasint"` // the primary, unverified
	// Handed: the receiver is addressed as an owner, and need not pass it on.
	Handed bool    `cbor:"3,keyasint"`
	Claims []Claim `cbor:"4,keyasint" max:"64"`
}

// Kind returns the number of Claims.
func (*Claims) Kind() engine.Kind { return engine.KindOf(engine.Corona, 50) }

// Claim is a claim for one channel.
type Claim struct {
	URL     string `cbor:"1,keyasint" max:"2048"`
	Readers uint32 `cbor:"2,keyasint"` // of the channel
	// Size is that of the polling set that the primary would choose. Pollers is how many nodes it has counted in a set
	// of that size and in each that is a step smaller.
	Size    machine.Size `cbor:"3,keyasint"`
	Pollers []uint32     `cbor:"4,keyasint" max:"32"`
	// Wait is for how many seconds the host asked not to be polled.
	Wait uint32 `cbor:"5,keyasint"`
	// Verifies is how many polls out of turn the primary wants in an interval, to verify changes. It does not include
	// the one that a host has to spare.
	Verifies uint8 `cbor:"6,keyasint"`
}

// AskProof asks a primary for proof of readers, by Proofs. Owners of a host send it, and nodes that are assigned a
// channel route it to the channel.
type AskProof struct {
	Host engine.ID `cbor:"1,keyasint"` // zero: the sender does not own it, but is to poll
	Asks []AskFor  `cbor:"2,keyasint" max:"64"`
}

// Kind returns the number of AskProof.
func (*AskProof) Kind() engine.Kind { return engine.KindOf(engine.Corona, 51) }

// AskFor is a request for one channel.
type AskFor struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Nonce   uint64    `cbor:"2,keyasint"` // selects the subscriptions that prove it; see roster.SampleSize
}

// Proof claims a channel with proof of its readers. An owner of the host owes Grants. A node that is to poll gets it
// without Host, and of the claim the URL alone.
type Proof struct {
	Host          engine.ID             `cbor:"1,keyasint"`
	Claim         Claim                 `cbor:"2,keyasint"`
	Nonce         uint64                `cbor:"3,keyasint"`
	Subscriptions []roster.Subscription `cbor:"4,keyasint" max:"64"` // signed
}

// Kind returns the number of Proof.
func (*Proof) Kind() engine.Kind { return engine.KindOf(engine.Corona, 52) }

// Grants sends a primary an owner's grants to its channels.
type Grants struct {
	Host   engine.ID       `cbor:"1,keyasint"`
	Grants []machine.Grant `cbor:"2,keyasint" max:"64"`
	// Wait is for how many seconds the host is not to be polled, as at least two primaries have reported; 0: unknown.
	Wait uint32 `cbor:"3,keyasint"`
}

// Kind returns the number of Grants.
func (*Grants) Kind() engine.Kind { return engine.KindOf(engine.Corona, 53) }
