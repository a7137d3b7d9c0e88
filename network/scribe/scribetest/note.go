package scribetest

import (
	"encoding/binary"

	"tidings/network/engine"
	"tidings/network/pastry"
	"tidings/network/scribe"
)

// Note is the event of these worlds.
type Note struct {
	Number uint64 `cbor:"1,keyasint"`
	Text   string `cbor:"2,keyasint" max:"65536"`
}

// Kind returns the number of Note.
func (*Note) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 7) }

// Content is what checkers know a note by.
func (m *Note) Content() engine.ID {
	return engine.IDOf(binary.BigEndian.AppendUint64(nil, m.Number))
}

// Codec knows all that is said in these worlds.
var Codec = engine.NewCodec(pastry.Vocabulary, scribe.Vocabulary, engine.Vocabulary{
	Protocol: engine.Experiment, Name: "scribetest", Messages: []engine.MessageType{{Message: new(Note), Class: engine.Update}},
})

// member is who the notes are for. What is delivered shows in the trace.
type member struct{}

// Admit admits every note.
func (member) Admit(_ engine.ID, event engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	m, ok := event.(*Note)
	if !ok {
		return 0, 0, false
	}
	content := m.Content()
	return binary.BigEndian.Uint64(content[:]), len(m.Text), true
}

// Deliver does nothing.
func (member) Deliver(engine.ID, engine.Message, engine.Peer) {}
