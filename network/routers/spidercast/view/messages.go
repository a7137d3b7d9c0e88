package view

import (
	"tidings/network/engine"
	"tidings/network/routers/spidercast/interest"
	"tidings/network/vivaldi"
)

// Entry is what is known of a node: which it is and what it follows. All but what a node says of itself is hearsay.
type Entry struct {
	Peer engine.Peer `cbor:"1,keyasint"`
	// Follows is the topics that the node has joined.
	Follows interest.Set `cbor:"2,keyasint" max:"2049"`
	// Version rises with each change of Follows.
	Version uint32 `cbor:"3,keyasint"`
	// Age is how many seconds ago the node itself said this.
	Age uint32 `cbor:"4,keyasint"`
	// Coordinate is where the node lies; zero: not known.
	Coordinate vivaldi.Coordinate `cbor:"5,keyasint"`
}

// maxEntries bounds each list of a message.
const maxEntries = 16

// maxSought is how many topics a message asks for.
const maxSought = 16

// Shuffle exchanges parts of two views. Every Config.Round a node sends it to the entry from which nothing came for
// longest. At intervals it sends it to a lost one. The receiver owes a ShuffleReply.
type Shuffle struct {
	Number uint32 `cbor:"1,keyasint"` // drawn, repeated in the reply
	Self   Entry  `cbor:"2,keyasint"`
	// Sample is drawn from the sender's view; Alike is those entries that share most topics with the receiver, as far
	// as the sender knows what it follows.
	Sample []Entry `cbor:"3,keyasint" max:"16"`
	Alike  []Entry `cbor:"4,keyasint" max:"16"`
	// Seek names topics that the sender follows and for which it knows too small a number of other nodes.
	Seek interest.Set `cbor:"5,keyasint" max:"128"`
}

// ShuffleReply answers a Shuffle. Of its Alike those come first that follow what the Shuffle sought.
type ShuffleReply struct {
	Number uint32  `cbor:"1,keyasint"`
	Self   Entry   `cbor:"2,keyasint"`
	Sample []Entry `cbor:"3,keyasint" max:"16"`
	Alike  []Entry `cbor:"4,keyasint" max:"16"`
}

// Messages is what the membership says: kinds 1 to 15 of SpiderCast.
var Messages = []engine.MessageType{
	{Message: new(Shuffle), Class: engine.Control},
	{Message: new(ShuffleReply), Class: engine.Control},
}

// Kind returns the number of Shuffle.
func (*Shuffle) Kind() engine.Kind { return engine.KindOf(engine.SpiderCast, 1) }

// Kind returns the number of ShuffleReply.
func (*ShuffleReply) Kind() engine.Kind { return engine.KindOf(engine.SpiderCast, 2) }
