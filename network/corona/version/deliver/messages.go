package deliver

import (
	"tidings/network/corona/roster"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// State is the roster's.
type State = roster.State

// Commit announces a version to the other owners before any other node learns of it, so that its number is not assigned
// twice. They owe a Committed.
type Commit struct {
	Channel engine.ID     `cbor:"1,keyasint"`
	State   State         `cbor:"2,keyasint"`
	Header  update.Header `cbor:"3,keyasint"` // of the version, so that owners notice another one with this number
}

// Committed answers a Commit.
type Committed struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Version uint64    `cbor:"2,keyasint"`
}

// Shared passes an update down the polling set, from the primary to the nodes below it, and so on.
type Shared struct {
	Update update.Update `cbor:"1,keyasint"`
	// for so many seconds changes need not be reported: the content differs from request to request
	Quiet uint32 `cbor:"2,keyasint"`
}

// Got acknowledges an Update that the primary sends to subscribers, new or not. With Version 0 it acknowledges a
// Routed.
type Got struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Version uint64    `cbor:"2,keyasint"`
}

// Routed announces to a subscriber, from the primary, that versions come by the tree of the network's router. It joins
// the tree, and owes a Got.
type Routed struct {
	Channel engine.ID `cbor:"1,keyasint"`
}

// Offer announces to a subscriber, over the ring, that the primary has a version that it could not send: nodes behind
// routers of homes are reached by their neighbours on the ring when they are by no other node. The subscriber requests
// the version from the primary.
type Offer struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Version uint64    `cbor:"2,keyasint"`
}

// Missing requests, as an Update, the change from a content to the latest version.
type Missing struct {
	Channel engine.ID   `cbor:"1,keyasint"`
	Base    update.Hash `cbor:"2,keyasint"`
	Version uint64      `cbor:"3,keyasint"` // that the requester has
}

// Kind and the methods below return the numbers of messages.
func (*Commit) Kind() engine.Kind    { return engine.KindOf(engine.Corona, 11) }
func (*Committed) Kind() engine.Kind { return engine.KindOf(engine.Corona, 12) }
func (*Shared) Kind() engine.Kind    { return engine.KindOf(engine.Corona, 30) }
func (*Got) Kind() engine.Kind       { return engine.KindOf(engine.Corona, 31) }
func (*Routed) Kind() engine.Kind    { return engine.KindOf(engine.Corona, 36) }
func (*Offer) Kind() engine.Kind     { return engine.KindOf(engine.Corona, 37) }
func (*Missing) Kind() engine.Kind   { return engine.KindOf(engine.Corona, 10) }

// Messages lists all messages of this package.
var Messages = []engine.MessageType{
	{Message: new(Missing), Class: engine.Update},
	{Message: new(Commit), Class: engine.Control},
	{Message: new(Committed), Class: engine.Control},
	{Message: new(Shared), Class: engine.Update},
	{Message: new(Got), Class: engine.Update},
	{Message: new(Routed), Class: engine.Update},
	{Message: new(Offer), Class: engine.Update},
}
