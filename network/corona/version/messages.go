package version

import (
	"slices"

	"tidings/network/corona/version/believe"
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// Detected reports a change that a poll found to the primary. It is routed to the channel. The primary owes the finder
// the update, or the newer one that it has.
type Detected struct {
	Update Update `cbor:"1,keyasint"` // Version is that of Base
	Held   Header `cbor:"2,keyasint"` // the header of Base at the finder, if this bypasses a primary; else empty
}

// Heard answers a finder: at once that its report is being checked, and later if it makes no new version. The finder
// need not repeat the report. It requests the version if that is newer than its own. Without a Hash it answers a routed
// Missing: the sender can be asked for the version.
type Heard struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Hash    Hash      `cbor:"2,keyasint"` // of what was found
	Version uint64    `cbor:"3,keyasint"` // the latest
	Quiet   uint32    `cbor:"4,keyasint"` // as in Shared
	Whole   bool      `cbor:"5,keyasint"` // the finder is to poll once more, and to report with a payload
	// it is being checked; without this answer the finder soon bypasses the primary
	Pending bool `cbor:"6,keyasint"`
}

// Commit announces a version to the other owners before any other node learns of it, so that its number is not assigned
// twice. They owe a Committed.
type Commit struct {
	Channel engine.ID `cbor:"1,keyasint"`
	State   State     `cbor:"2,keyasint"`
	Header  Header    `cbor:"3,keyasint"` // of the version, so that owners notice another one with this number
}

// Committed answers a Commit.
type Committed struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Version uint64    `cbor:"2,keyasint"`
}

// Shared passes an update down the polling set, from the primary to the nodes below it, and so on.
type Shared struct {
	Update Update `cbor:"1,keyasint"`
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

// Missing requests, as an Update, the change from a content to the latest version.
type Missing struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Base    Hash      `cbor:"2,keyasint"`
	Version uint64    `cbor:"3,keyasint"` // that the requester has
}

// Limit reports to the primary what an origin asked of a poller, in seconds. It is routed to the channel. The primary
// owes the pollers new assignments.
type Limit struct {
	Channel  engine.ID `cbor:"1,keyasint"`
	Wait     uint32    `cbor:"2,keyasint"` // for so long no node is to poll
	Interval uint32    `cbor:"3,keyasint"` // the least time between any two polls
}

// Kind and the methods below return the numbers of messages.
func (*Detected) Kind() engine.Kind  { return engine.KindOf(engine.Corona, 13) }
func (*Heard) Kind() engine.Kind     { return engine.KindOf(engine.Corona, 32) }
func (*Commit) Kind() engine.Kind    { return engine.KindOf(engine.Corona, 11) }
func (*Committed) Kind() engine.Kind { return engine.KindOf(engine.Corona, 12) }
func (*Shared) Kind() engine.Kind    { return engine.KindOf(engine.Corona, 30) }
func (*Got) Kind() engine.Kind       { return engine.KindOf(engine.Corona, 31) }
func (*Routed) Kind() engine.Kind    { return engine.KindOf(engine.Corona, 36) }
func (*Missing) Kind() engine.Kind   { return engine.KindOf(engine.Corona, 10) }
func (*Limit) Kind() engine.Kind     { return engine.KindOf(engine.Corona, 35) }

// Messages lists all messages of this package.
var Messages = slices.Concat(update.Messages, believe.Messages, []engine.MessageType{
	{Message: new(Missing), Class: engine.Update},
	{Message: new(Commit), Class: engine.Control},
	{Message: new(Committed), Class: engine.Control},
	{Message: new(Detected), Class: engine.Update},
	{Message: new(Shared), Class: engine.Update},
	{Message: new(Got), Class: engine.Update},
	{Message: new(Routed), Class: engine.Update},
	{Message: new(Heard), Class: engine.Update},
	{Message: new(Limit), Class: engine.Update},
})
