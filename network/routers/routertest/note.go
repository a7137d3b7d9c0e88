package routertest

import (
	"encoding/binary"

	"tidings/network/engine"
)

// Note is the event of these worlds. Its publisher signs all of it.
type Note struct {
	Topic     engine.ID   `cbor:"1,keyasint"`
	Number    uint64      `cbor:"2,keyasint"`
	Text      string      `cbor:"3,keyasint" max:"65536"`
	Publisher engine.Peer `cbor:"4,keyasint"`
	Signature []byte      `cbor:"5,keyasint" max:"64"`
}

// Kind returns the number of Note.
func (*Note) Kind() engine.Kind { return engine.KindOf(engine.Experiment, 7) }

// Vocabulary is Note alone.
var Vocabulary = engine.Vocabulary{
	Protocol: engine.Experiment, Name: "routertest",
	Messages: []engine.MessageType{{Message: new(Note), Class: engine.Update}},
}

// words are what is signed.
func (m *Note) words() []byte {
	words := append([]byte("routertest note "), m.Topic[:]...)
	return append(binary.BigEndian.AppendUint64(words, m.Number), m.Text...)
}

// Content is what checkers know a note by: of two that differ in anything it differs.
func (m *Note) Content() engine.ID { return engine.IDOf(m.words()) }

// Member receives the notes at one node.
type Member struct {
	keys    engine.Keys
	deliver func(topic engine.ID, m *Note)
}

// Admit admits notes on this topic that are rightly signed. digest distinguishes a note from all others.
func (r Member) Admit(topic engine.ID, event engine.Message, _ engine.Peer) (digest uint64, bytes int, ok bool) {
	m, ok := event.(*Note)
	if !ok || m.Topic != topic || !r.keys.Signed(m.Publisher, m.words(), m.Signature) {
		return 0, 0, false
	}
	content := m.Content()
	return binary.BigEndian.Uint64(content[:]), len(m.Text), true
}

// Deliver reports to the checkers.
func (r Member) Deliver(topic engine.ID, event engine.Message, _ engine.Peer) {
	r.deliver(topic, event.(*Note))
}
