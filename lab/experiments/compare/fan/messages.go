package fan

import "tidings/network/engine"

// Protocol is the number of the protocol among those of experiments.
const Protocol = engine.Experiment + 1

// Subscribe asks a topic's root for its events from now on. A subscriber repeats it at intervals. Epoch and Number name
// the latest event up to which it lacks none: the root sends those after it that it still keeps. Epoch 0 asks for none
// of before. End ends the subscription. The root owes a Subscribed, unless it ends.
type Subscribe struct {
	Topic  engine.ID `cbor:"1,keyasint"`
	Epoch  uint64    `cbor:"2,keyasint"`
	Number uint64    `cbor:"3,keyasint"`
	End    bool      `cbor:"4,keyasint"`
}

// Subscribed answers a Subscribe: all events of the epoch after Number are sent to the receiver.
type Subscribed struct {
	Topic  engine.ID `cbor:"1,keyasint"`
	Epoch  uint64    `cbor:"2,keyasint"`
	Number uint64    `cbor:"3,keyasint"`
}

// Event carries an event from the root to a subscriber, which owes a Got. Number counts the topic's events of the
// epoch from 1.
type Event struct {
	Topic  engine.ID      `cbor:"1,keyasint"`
	Epoch  uint64         `cbor:"2,keyasint"`
	Number uint64         `cbor:"3,keyasint"`
	Event  engine.Message `cbor:"4,keyasint"`
}

// Carried returns the event.
func (m *Event) Carried() engine.Message { return m.Event }

// Got acknowledges an Event.
type Got struct {
	Topic  engine.ID `cbor:"1,keyasint"`
	Epoch  uint64    `cbor:"2,keyasint"`
	Number uint64    `cbor:"3,keyasint"`
}

// Publish hands an event to the topic's root, which owes a Taken.
type Publish struct {
	Topic engine.ID      `cbor:"1,keyasint"`
	Event engine.Message `cbor:"2,keyasint"`
}

// Carried returns the event.
func (m *Publish) Carried() engine.Message { return m.Event }

// Taken acknowledges a Publish by the event's digest.
type Taken struct {
	Topic  engine.ID `cbor:"1,keyasint"`
	Digest uint64    `cbor:"2,keyasint"`
}

// Vocabulary is all that the protocol says.
var Vocabulary = engine.Vocabulary{Protocol: Protocol, Name: "fan", Messages: []engine.MessageType{
	{Message: new(Subscribe), Class: engine.Control},
	{Message: new(Subscribed), Class: engine.Control},
	{Message: new(Event), Class: engine.Update},
	{Message: new(Got), Class: engine.Update},
	{Message: new(Publish), Class: engine.Update},
	{Message: new(Taken), Class: engine.Update},
}}

// Kind returns the number that the type has on the wire.
func (*Subscribe) Kind() engine.Kind  { return engine.KindOf(Protocol, 1) }
func (*Subscribed) Kind() engine.Kind { return engine.KindOf(Protocol, 2) }
func (*Event) Kind() engine.Kind      { return engine.KindOf(Protocol, 3) }
func (*Got) Kind() engine.Kind        { return engine.KindOf(Protocol, 4) }
func (*Publish) Kind() engine.Kind    { return engine.KindOf(Protocol, 5) }
func (*Taken) Kind() engine.Kind      { return engine.KindOf(Protocol, 6) }
