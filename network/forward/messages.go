package forward

import (
	"encoding/binary"

	"tidings/network/engine"
)

// MaxPayload is the longest message that can be forwarded, in bytes.
const MaxPayload = 64 << 10

// Vocabulary is all that is said about routes. Open and Message are passed on once, unchanged, by a neighbour of both
// ends.
var Vocabulary = engine.Vocabulary{
	Protocol: engine.Forward,
	Name:     "forward",
	Messages: []engine.MessageType{
		{Message: new(Open), Class: engine.Control},
		{Message: new(Message), Class: engine.Update}, // whatever it carries
		{Message: new(NotConnected), Class: engine.Control},
		{Message: new(WhoForwards), Class: engine.Control},
		{Message: new(Try), Class: engine.Control},
	},
}

// Open asks the node To for a route, or answers that: then Answers is the number of the Open that it answers. A
// receiver that is not To passes it on if From has sent it and there is a connection with To; else it owes a
// NotConnected. To owes an answer, by the neighbour that it came through.
type Open struct {
	From      engine.Peer `cbor:"1,keyasint"`
	To        engine.ID   `cbor:"2,keyasint"`
	Number    uint64      `cbor:"3,keyasint"` // drawn at random; To is to put it in what it sends
	Answers   uint64      `cbor:"4,keyasint"`
	Signature []byte      `cbor:"5,keyasint" max:"64"` // From's
}

// Message carries a message of From's protocols to those of To. It is passed on like Open. Without a payload it says no
// more than that From is there.
type Message struct {
	From      engine.Peer `cbor:"1,keyasint"`
	To        engine.ID   `cbor:"2,keyasint"`
	Number    uint64      `cbor:"3,keyasint"` // To's, of its Open
	Count     uint64      `cbor:"4,keyasint"` // of From's messages with that number; the first is 1
	Ask       bool        `cbor:"5,keyasint"` // To owes a Message at once, be it an empty one
	Payload   []byte      `cbor:"6,keyasint" max:"65536"`
	Signature []byte      `cbor:"7,keyasint" max:"64"` // From's
}

// NotConnected says that the sender has no connection with Peer. Ask may have one: the sender reaches Peer by it, or
// learned of Peer by it.
type NotConnected struct {
	Peer engine.ID   `cbor:"1,keyasint"`
	Ask  engine.Peer `cbor:"2,keyasint"`
}

// WhoForwards asks a node with which there is only a route, and which has named Peer, by which node Peer can be
// reached. The receiver owes a NotConnected. Both go as payloads of that route.
type WhoForwards struct {
	Peer engine.ID `cbor:"1,keyasint"`
}

// Try is sent directly to see whether there can be a connection. The receiver owes nothing: that it came is enough.
type Try struct{}

// The kinds of the messages above.
func (*Open) Kind() engine.Kind         { return engine.KindOf(engine.Forward, 1) }
func (*Message) Kind() engine.Kind      { return engine.KindOf(engine.Forward, 2) }
func (*NotConnected) Kind() engine.Kind { return engine.KindOf(engine.Forward, 3) }
func (*WhoForwards) Kind() engine.Kind  { return engine.KindOf(engine.Forward, 4) }
func (*Try) Kind() engine.Kind          { return engine.KindOf(engine.Forward, 5) }

// words returns what is signed of m.
func (m *Open) words() []byte {
	b := addressed("tidings forward open\n", m.From, m.To)
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, m.Number), m.Answers)
}

func (m *Message) words() []byte {
	b := addressed("tidings forward message\n", m.From, m.To)
	b = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, m.Number), m.Count)
	if m.Ask {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	return append(b, m.Payload...)
}

func addressed(purpose string, from engine.Peer, to engine.ID) []byte {
	b := append(append([]byte(purpose), from.ID[:]...), to[:]...)
	b = binary.BigEndian.AppendUint16(b, uint16(len(from.Address)))
	return append(b, from.Address...)
}
