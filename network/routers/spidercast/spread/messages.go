package spread

import "tidings/network/engine"

// Bounds of messages.
const (
	maxTopics = 64  // in one message
	maxNames  = 128 // of one topic, in one message
)

// Event carries an event: over the links of its topic's tree as soon as it arrives, or in answer to a Graft. A receiver
// that got the event from another neighbour before owes a Prune. Otherwise it sends the event on over the rest of its
// tree.
type Event struct {
	Topic engine.ID      `cbor:"1,keyasint"`
	Event engine.Message `cbor:"2,keyasint"`
	// Hops is how many links the event has travelled from its publisher to the receiver; 255 stands for more.
	Hops uint8 `cbor:"3,keyasint"`
}

// Carried returns the event.
func (m *Event) Carried() engine.Message { return m.Event }

// Announce names events that its sender has and the receiver, for all that the sender knows, does not know of. It is
// sent over every link a while after the events arrived, and repeated until the receiver answers with Acknowledge. The
// receiver waits a moment for the events that it lacks, and then asks for them by Graft.
type Announce struct {
	Number uint32      `cbor:"1,keyasint"` // repeated in the answer
	Topics []Announced `cbor:"2,keyasint" max:"64"`
}

// Announced is events of one topic.
type Announced struct {
	Topic engine.ID `cbor:"1,keyasint"`
	Names []Name    `cbor:"2,keyasint" max:"128"`
}

// Name stands for an event.
type Name struct {
	Digest uint64 `cbor:"1,keyasint"` // as Member.Admit returns it
	// Hops is as in Event, had the event come this way.
	Hops uint8 `cbor:"2,keyasint"`
}

// Acknowledge answers an Announce, unless the receiver has no room for so many names at the moment.
type Acknowledge struct {
	Number uint32 `cbor:"1,keyasint"`
}

// Graft makes the link part of the topic's tree, and asks for events that the receiver has announced. The receiver owes
// those that it still keeps, as Events. A Graft without digests is about the tree alone.
type Graft struct {
	Topic   engine.ID `cbor:"1,keyasint"`
	Digests []uint64  `cbor:"2,keyasint" max:"128"`
}

// Prune removes the link from the topic's tree: an event arrived over it that had arrived over another before, or the
// sender does not follow the topic. The receiver owes nothing; it goes on announcing.
type Prune struct {
	Topic engine.ID `cbor:"1,keyasint"`
}

// Messages are what spread adds to the vocabulary of SpiderCast: kinds 48 to 79.
var Messages = []engine.MessageType{
	{Message: new(Event), Class: engine.Update},
	{Message: new(Announce), Class: engine.Update},
	{Message: new(Acknowledge), Class: engine.Update},
	{Message: new(Graft), Class: engine.Update},
	{Message: new(Prune), Class: engine.Control},
}

// Kind returns the number that the type has on the wire, once for all.
func (*Event) Kind() engine.Kind       { return engine.KindOf(engine.SpiderCast, 48) }
func (*Announce) Kind() engine.Kind    { return engine.KindOf(engine.SpiderCast, 49) }
func (*Acknowledge) Kind() engine.Kind { return engine.KindOf(engine.SpiderCast, 50) }
func (*Graft) Kind() engine.Kind       { return engine.KindOf(engine.SpiderCast, 51) }
func (*Prune) Kind() engine.Kind       { return engine.KindOf(engine.SpiderCast, 52) }
