package engine

import (
	"fmt"
	"reflect"
)

// Message is what protocols send each other: a pointer to a plain struct of the package's
// messages.go, or files beside it, whose fields have integer keys (`cbor:"1,keyasint"`) that rise, and, where they
// have a length, a bound (`max:"16"`). [Codec] says which types there are.
//
// A message can grow: a new field has a key that no field has had before, at the end, and
// means at its zero value what its absence meant. Older nodes skip it. A key is never used
// again for something else.
type Message interface {
	// Kind returns the number of the message's type. It reads nothing of the message; only
	// an [Opaque] has to.
	Kind() Kind
}

// Carrier is a message that carries another, which decides how urgent it is.
type Carrier interface {
	Message

	// Carried returns what is carried; nil if it is nothing.
	Carried() Message
}

// Kind numbers a type of message on the wire: the protocol's number in the high byte, the
// message's own in the low byte.
type Kind uint16

// KindOf returns the kind of the protocol's n-th message.
func KindOf(protocol ProtocolNumber, n byte) Kind { return Kind(protocol)<<8 | Kind(n) }

// Protocol returns the number of the protocol that the kind belongs to.
func (k Kind) Protocol() ProtocolNumber { return ProtocolNumber(k >> 8) }

// ProtocolNumber distinguishes protocols on one node. Numbers are given here, once for all.
type ProtocolNumber byte

// The protocols of Tidings. 0 is the transport's own; numbers from 0xf0 are for tests and
// experiments.
const (
	Transport ProtocolNumber = iota
	Pastry
	Vivaldi
	Corona
	Scribe
	FeedTree
	Rappel
	SpiderCast
	Astrolabe
	NewsWire
	Volunteer
	Archive
	Pieces
	Forward
	Roots

	Experiment ProtocolNumber = 0xf0
)

// Class says how urgent a message is. Where a queue is full, the oldest message of the least
// urgent class is dropped first; rates are limited for each class by itself.
type Class uint8

// The classes, most urgent first.
const (
	Control Class = iota // keeps an overlay together: joins, keep-alives, repairs
	Update               // what people wait for
	Bulk                 // what can wait: state that moves, archives
	Classes = 3
)

func (c Class) String() string {
	switch c {
	case Control:
		return "control"
	case Update:
		return "update"
	case Bulk:
		return "bulk"
	}
	return fmt.Sprintf("class %d", uint8(c))
}

// MessageType is one type of message of a protocol.
type MessageType struct {
	Message Message // any value of the type, such as new(Join)
	Class   Class
}

// Vocabulary is all that a protocol says. Each protocol's package has one, in messages.go.
type Vocabulary struct {
	Protocol ProtocolNumber
	Name     string // as in the design: "pastry"
	Messages []MessageType
}

// name returns how people read a kind: "pastry.Join".
func (v Vocabulary) name(t MessageType) string {
	return v.Name + "." + reflect.TypeOf(t.Message).Elem().Name()
}
