package testnet

import (
	"fmt"

	"tidings/network/engine"
)

// Note is the event of experiments.
type Note struct {
	Number uint64 `cbor:"1,keyasint"`
	Text   []byte `cbor:"2,keyasint" max:"65536"`
}

// NewNote returns the note of a number, of 1,000 bytes.
func NewNote(number int) *Note { return &Note{Number: uint64(number), Text: make([]byte, 1000)} }

// Kind implements engine.Message.
func (*Note) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 5) }

// NoteVocabulary has notes.
var NoteVocabulary = engine.Vocabulary{
	Protocol: engine.Experiment, Name: "experiment",
	Messages: []engine.MessageType{{Message: new(Note), Class: engine.Update}},
}

// Reader is the listener for notes. Deliveries show in the trace.
type Reader struct{}

// Admit admits every note.
func (Reader) Admit(_ engine.ID, event engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	m, ok := event.(*Note)
	if !ok {
		return 0, 0, false
	}
	return m.Number, len(m.Text), true
}

// Deliver does nothing.
func (Reader) Deliver(engine.ID, engine.Message, engine.Peer) {}

// Friends are a Rappel node's friends of the session before.
type Friends struct{ list []engine.Peer }

// Friends returns them.
func (f *Friends) Friends() []engine.Peer { return f.list }

// Remember replaces them.
func (f *Friends) Remember(list []engine.Peer) { f.list = list }

// TopicID names a topic in messages.
func TopicID(topic int) engine.ID { return engine.IDOf(fmt.Append(nil, "topic ", topic)) }
