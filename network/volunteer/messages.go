package volunteer

import "tidings/network/engine"

// MaxPayload is the longest description of what was found, in bytes.
const MaxPayload = 512 << 10

// Hash names a content.
type Hash [32]byte

// PollReport says that a node has polled a channel. It is published on the channel's topic; see TopicOf. A follower of
// the channel owes nothing for it.
type PollReport struct {
	Channel engine.ID   `cbor:"1,keyasint"`
	Finder  engine.Peer `cbor:"2,keyasint"`
	Time    int64       `cbor:"3,keyasint"` // by Finder's clock, in milliseconds since 1970
	// Modified is when the origin says that it changed, where it can be believed, in milliseconds
	// since 1970; 0: unknown.
	Modified int64 `cbor:"4,keyasint"`
	Base     Hash  `cbor:"5,keyasint"` // content that Payload is to be applied to; zero: to nothing
	Hash     Hash  `cbor:"6,keyasint"` // of what it saw
	// Payload is what leads from Base to that; empty: nothing has changed, or it is too long.
	Payload   []byte `cbor:"7,keyasint" max:"524288"`
	Signature []byte `cbor:"8,keyasint" max:"64"` // by Finder
}

// Kind returns the number of PollReport.
func (*PollReport) Kind() engine.Kind { return engine.KindOf(engine.Volunteer, 1) }

// Vocabulary is all that volunteers say.
var Vocabulary = engine.Vocabulary{Protocol: engine.Volunteer, Name: "volunteer", Messages: []engine.MessageType{
	{Message: new(PollReport), Class: engine.Update},
}}

// TopicOf returns the topic on which a channel's volunteers report. It differs from all other topics, so that reports
// cannot be mistaken for a publisher's messages, though both go down Scribe's trees.
func TopicOf(channel engine.ID) engine.ID {
	return engine.IDOf(append([]byte("tidings volunteers\n"), channel[:]...))
}
