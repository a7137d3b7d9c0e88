package live

import "tidings/network/engine"

// Vocabulary is what two hosts say to each other beside engine.Hello.
var Vocabulary = engine.Vocabulary{
	Protocol: engine.Transport, Name: "transport",
	Messages: []engine.MessageType{
		{Message: new(Place), Class: engine.Control},
		{Message: new(Ping), Class: engine.Control},
		{Message: new(Pong), Class: engine.Control},
		{Message: new(Bye), Class: engine.Control},
		{Message: new(DuplicateKey), Class: engine.Control},
		{Message: new(Suspect), Class: engine.Control},
	},
}

// Place says where the sender listens. It follows Hello on every stream and comes again when
// the sender's addresses change. The receiver believes it for the sender's key alone.
type Place struct {
	Address engine.Address `cbor:"1,keyasint" max:"512"`

	// Seen is at which public IP addresses others see the sender, 16 bytes each. Near is where it is on its local
	// network. It is sent to peers alone that are seen at one of the same addresses, and never forwarded.
	Seen []byte         `cbor:"2,keyasint" max:"64"`
	Near engine.Address `cbor:"3,keyasint" max:"512"`

	// Anew, behind Hello, says that the sender has no other stream to the receiver. Messages that have not come by an
	// earlier stream are lost, and not to be waited for.
	Anew bool `cbor:"4,keyasint"`
}

// maxSeen bounds Place.Seen, in bytes.
const maxSeen = 64

// Ping requests a sign of life, when there has been none for Limits.PingEvery, and at intervals for the round trip. The
// receiver answers at once with Pong, before all that waits to be sent.
type Ping struct {
	Nonce uint64 `cbor:"1,keyasint"`
}

// Pong answers the latest Ping. The sender of that learns the round trip, and how the two
// calendar clocks differ. It is for people: nothing is decided by it.
type Pong struct {
	Nonce uint64 `cbor:"1,keyasint"`
	Wall  int64  `cbor:"2,keyasint"` // the sender's clock: milliseconds since 1970, UTC

	// Seen is from where the Ping came, as a multiaddr in binary, where that is not from where the connection was made.
	Seen []byte `cbor:"3,keyasint" max:"64"`
}

// Bye is the last message that the sender sends on a link: everything before it has been sent. The receiver answers
// with a Bye that has Seen set, behind all that it has still to send. A node that receives one of those knows that
// nothing is under way in either direction, and closes the connection.
type Bye struct {
	Reason ByeReason `cbor:"1,keyasint"`
	Seen   bool      `cbor:"2,keyasint"` // the receiver's own Bye has come
}

// ByeReason says why a link ends.
type ByeReason uint8

// The reasons. Any other counts as ByeStopping.
const (
	ByeIdle     ByeReason = 1 // nothing was said for long and connections are many: no outage
	ByeStopping ByeReason = 2 // the sender stops
	ByeRenewing ByeReason = 3 // the relay is about to end the connection, and the sender dials anew: no outage
)

// DuplicateKey reports to a peer that another incarnation of its ID is alive: its key is on two machines. It is a claim
// of the sender's, to be shown to the owner and no more. The first one that was known gets it on its link. The other,
// which gets no link, gets it behind Hello, instead of Place.
type DuplicateKey struct {
	Incarnation uint64 `cbor:"1,keyasint"` // the other one's
}

// Suspect says that a node has given the sender no sign of life. A receiver that is connected to it asks it for one,
// and believes what it sees itself.
type Suspect struct {
	Node engine.ID `cbor:"1,keyasint"`
}

// Kind returns the number of Place.
func (*Place) Kind() engine.Kind { return engine.KindOf(engine.Transport, 0x20) }

// Kind returns the number of Ping.
func (*Ping) Kind() engine.Kind { return engine.KindOf(engine.Transport, 0x21) }

// Kind returns the number of Pong.
func (*Pong) Kind() engine.Kind { return engine.KindOf(engine.Transport, 0x22) }

// Kind returns the number of Bye.
func (*Bye) Kind() engine.Kind { return engine.KindOf(engine.Transport, 0x23) }

// Kind returns the number of DuplicateKey.
func (*DuplicateKey) Kind() engine.Kind { return engine.KindOf(engine.Transport, 0x24) }

// Kind returns the number of Suspect.
func (*Suspect) Kind() engine.Kind { return engine.KindOf(engine.Transport, 0x25) }
