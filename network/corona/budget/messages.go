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

// Claims asks the owners of a host for grants: sent by the primary of some of its channels, routed to the host's key and handed on to its owners, or to owners
// that it knows. Those owe Grants, or an AskProof for what they have no proof of.
type Claims struct {
	Host engine.ID   `cbor:"1,keyasint"` // its key
	Node engine.Peer `cbor:"2,keyasint"` // the primary, unverified
	// Handed says that the receiver is meant as an owner, and need not hand it on.
	Handed bool    `cbor:"3,keyasint"`
	Claims []Claim `cbor:"4,keyasint" max:"64"`
}

// Kind returns the number of Claims.
func (*Claims) Kind() engine.Kind { return engine.KindOf(engine.Corona, 50) }

// Claim is of one channel.
type Claim struct {
	URL     string `cbor:"1,keyasint" max:"2048"`
	Readers uint32 `cbor:"2,keyasint"` // that it has
	// Size is that of the polling set that the primary would choose, and Pollers how many nodes would poll, as far as it has counted, with a set of that size and of
	// each that is a step smaller.
	Size    machine.Size `cbor:"3,keyasint"`
	Pollers []uint32     `cbor:"4,keyasint" max:"32"`
	// Wait is for how many seconds the host asked not to be polled.
	Wait uint32 `cbor:"5,keyasint"`
	// Verifies is how often in an interval the primary wants to poll out of turn, to make sure of changes, beside once, which a host has to spare.
	Verifies uint8 `cbor:"6,keyasint"`
}

// AskProof asks a primary for proof of readers, by Proofs: sent by owners of a host, and by those who are assigned a channel, who route it to that.
type AskProof struct {
	Host engine.ID `cbor:"1,keyasint"` // zero: the asker does not own it, but is to poll
	Asks []AskFor  `cbor:"2,keyasint" max:"64"`
}

// Kind returns the number of AskProof.
func (*AskProof) Kind() engine.Kind { return engine.KindOf(engine.Corona, 51) }

// AskFor is of one channel.
type AskFor struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Nonce   uint64    `cbor:"2,keyasint"` // says which subscriptions are to prove it; see roster.SampleSize
}

// Proof claims a channel with proof of its readers. An owner of the host owes Grants; who is to poll gets it without Host, and of the claim the URL alone.
type Proof struct {
	Host          engine.ID             `cbor:"1,keyasint"`
	Claim         Claim                 `cbor:"2,keyasint"`
	Nonce         uint64                `cbor:"3,keyasint"`
	Subscriptions []roster.Subscription `cbor:"4,keyasint" max:"64"` // signed
}

// Kind returns the number of Proof.
func (*Proof) Kind() engine.Kind { return engine.KindOf(engine.Corona, 52) }

// Grants tells a primary what an owner of a host has granted its channels.
type Grants struct {
	Host   engine.ID       `cbor:"1,keyasint"`
	Grants []machine.Grant `cbor:"2,keyasint" max:"64"`
	// Wait is for how many seconds the host is not to be polled, as at least two primaries have said; 0: nothing is known.
	Wait uint32 `cbor:"3,keyasint"`
}

// Kind returns the number of Grants.
func (*Grants) Kind() engine.Kind { return engine.KindOf(engine.Corona, 53) }
