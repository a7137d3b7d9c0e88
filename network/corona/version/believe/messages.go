package believe

import (
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// Equivocation proves that a node has assigned one number to two contents. A node to which this is new owes it to the
// channel's owners and its contacts in the polling set.
type Equivocation struct {
	First  update.Header `cbor:"1,keyasint"`
	Second update.Header `cbor:"2,keyasint"`
}

// Ahead reports to an owner that the sender has a higher number, or the same for another content. The owner owes a
// version above it: now, if a node that could be an owner has signed, else at the next change.
type Ahead struct {
	Header update.Header `cbor:"1,keyasint"`
}

// Kind and the method below return the numbers of messages.
func (*Equivocation) Kind() engine.Kind { return engine.KindOf(engine.Corona, 61) }
func (*Ahead) Kind() engine.Kind        { return engine.KindOf(engine.Corona, 60) }

// Messages lists all messages of this package.
var Messages = []engine.MessageType{
	{Message: new(Ahead), Class: engine.Update},
	{Message: new(Equivocation), Class: engine.Control},
}
