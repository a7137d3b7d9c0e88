package machine

import "tidings/network/engine"

// Grant permits a set of nodes to poll a channel. It is by an owner of the channel's host; grants by two thirds of the
// owners make a certificate.
type Grant struct {
	// Owner is the granting node; zero: the sender of the message.
	Owner engine.Peer `cbor:"1,keyasint"`
	// Channel is left out in a certificate.
	Channel engine.ID `cbor:"2,keyasint"`
	// Size is the largest set.
	Size Size `cbor:"3,keyasint"`
	// Every is the least time between two polls of a primary that polls alone, in seconds; 0: the polling interval.
	Every uint32 `cbor:"4,keyasint"`
	// Until is when the grant ends, in seconds since 1970.
	Until int64 `cbor:"5,keyasint"`
	// Signature is by Owner.
	Signature []byte `cbor:"6,keyasint" max:"64"`
}
