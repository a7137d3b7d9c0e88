package update

import (
	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// Channel and Hash are those of all machines.
type (
	Channel = machine.Channel
	Hash    = machine.Hash
)

// MaxPayload is the longest payload of an update, in bytes. It leaves room for the rest of the message.
const MaxPayload = 768 << 10

// Update is a version of a channel in transit.
type Update struct {
	Channel engine.ID `cbor:"1,keyasint"`
	URL     string    `cbor:"2,keyasint" max:"2048"`
	Version uint64    `cbor:"3,keyasint"`
	Base    Hash      `cbor:"4,keyasint"` // content that Payload applies to; zero: nothing
	Hash    Hash      `cbor:"5,keyasint"` // of the content
	// FoundBy is the node that saw the change, and FoundAt when, by its wall clock. Modified is when the content
	// changed, by the origin, if that is plausible. Both are in milliseconds since 1970; 0: unknown.
	FoundBy  engine.ID `cbor:"6,keyasint"`
	FoundAt  int64     `cbor:"7,keyasint"`
	Modified int64     `cbor:"8,keyasint"`
	Size     uint32    `cbor:"9,keyasint"` // of the whole document, in bytes
	// Payload is the delta or the items, in the Library's form. It is empty if longer than MaxPayload: a node that
	// needs it asks the origin. Finders omit it if the owners are sure to poll themselves.
	Payload []byte `cbor:"10,keyasint" max:"786432"`
	// Seal vouches for FoundBy and Version. Base and Payload need no signature: the hash checks what they make.
	Seal Seal `cbor:"11,keyasint"`
}

// Seal holds the signatures of an update; it is empty if nothing is signed.
type Seal struct {
	// Finder is the address of FoundBy, and Found its signature; see ReportWords. If the finder is no longer known,
	// both are empty, and so are FoundBy, FoundAt and Modified.
	Finder engine.Address `cbor:"1,keyasint"`
	Found  []byte         `cbor:"2,keyasint" max:"64"`
	// Giver is the owner that assigned the number, or one that has the version and vouches for it. Given is its
	// signature; see Header.
	Giver engine.Peer `cbor:"3,keyasint"`
	Given []byte      `cbor:"4,keyasint" max:"64"`
	// Seen are the witnesses that have seen the content at the origin; see package believe.
	Seen []Attestation `cbor:"5,keyasint" max:"16"`
}

// Attestation is a witness's statement that its own poll of the origin showed a content.
type Attestation struct {
	Place     uint8       `cbor:"1,keyasint"` // number of the witness's place
	At        int64       `cbor:"2,keyasint"` // by the witness's wall clock, in milliseconds since 1970
	By        engine.Peer `cbor:"3,keyasint"`
	Signature []byte      `cbor:"4,keyasint" max:"64"` // By's; see AttestationWords
}

// Header is what an owner signs with the number that it assigns.
type Header struct {
	Channel engine.ID   `cbor:"1,keyasint"`
	Version uint64      `cbor:"2,keyasint"`
	Hash    Hash        `cbor:"3,keyasint"` // of the content
	Report  Hash        `cbor:"4,keyasint"` // hash of the finder's signed words and signature; zero: no finder is named
	Giver   engine.Peer `cbor:"5,keyasint"`
	Given   []byte      `cbor:"6,keyasint" max:"64"` // Giver's signature
}

// Verify asks a poller for a Verified. With a Hash it asks whether the poller has reported that content, as the ring
// does not authenticate the sender of a Detected. Without a Hash it asks for a poll now. Routed to a place for
// witnesses, it asks the node there, which does not know the channel.
type Verify struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Hash    Hash      `cbor:"2,keyasint"`
	// A witness needs besides: the URL, its place, and the version to sign.
	URL     string `cbor:"3,keyasint" max:"2048"`
	Place   uint8  `cbor:"4,keyasint"`
	Version uint64 `cbor:"6,keyasint"`
}

// Verified carries the hash of what the sender has found or sees; zero: nothing. A witness signs it.
type Verified struct {
	Channel engine.ID   `cbor:"1,keyasint"`
	Hash    Hash        `cbor:"2,keyasint"`
	Seen    Attestation `cbor:"3,keyasint"`
}

// Kind and the methods below return the numbers of messages.
func (*Update) Kind() engine.Kind   { return engine.KindOf(engine.Corona, 9) }
func (*Verify) Kind() engine.Kind   { return engine.KindOf(engine.Corona, 33) }
func (*Verified) Kind() engine.Kind { return engine.KindOf(engine.Corona, 34) }

// Messages lists all messages of this package.
var Messages = []engine.MessageType{
	{Message: new(Update), Class: engine.Update},
	{Message: new(Verify), Class: engine.Update},
	{Message: new(Verified), Class: engine.Update},
}
