package newswire

import (
	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// Bounds of messages.
const (
	maxPositions = 64 * maxHashes // bits of an item's topics
	maxPredicate = 512
	maxHave      = 256 // items that a CatchUp names
	maxMissed    = 16  // items in an answer to it
)

// Item is an event on its way. It is shared and never changed.
type Item struct {
	// ID is what Member.Admit returns for the event. An event is delivered once, by whatever items it comes: see Name.
	ID        uint64      `cbor:"1,keyasint"`
	Publisher engine.Peer `cbor:"2,keyasint"` // the one that has signed it
	// Topic is the topic that the event was published on; zero: the members' queries select it.
	Topic engine.ID `cbor:"3,keyasint"`
	// Bits are those of the item's topics in zones' filters, see Shape.
	Bits []uint16 `cbor:"4,keyasint" max:"320"`
	// Zone is the nodes that the item is for: all below.
	Zone zone.Path `cbor:"5,keyasint" max:"200"`
	// Predicate is a condition on the attributes of zones and members to which the item goes; empty: none.
	Predicate string                       `cbor:"6,keyasint" max:"512"`
	Event     engine.Message               `cbor:"7,keyasint"`
	Signature [engine.SignatureLength]byte `cbor:"8,keyasint"` // of Words, by the publisher
	// Proof is why the publisher may publish to the zone, in a closed network. It is not signed: with another the item
	// is refused.
	Proof cert.Chain `cbor:"9,keyasint" max:"8"`
}

// Carried returns the event.
func (m *Item) Carried() engine.Message { return m.Event }

// Forward sends a representative an item for all of a zone. The receiver owes a Taken at once, again and again while it
// is at work, and at last a Done. Or it owes a Busy.
type Forward struct {
	Number uint32         `cbor:"1,keyasint"` // repeated in the answers
	Zone   zone.Path      `cbor:"2,keyasint" max:"200"`
	Item   engine.Message `cbor:"3,keyasint"` // an Item
	Age    uint32         `cbor:"4,keyasint"` // for how many seconds it has been on its way, as far as the sender knows
}

// Carried returns the item.
func (m *Forward) Carried() engine.Message { return m.Item }

// Deliver hands a member an item. The receiver owes a Done.
type Deliver struct {
	Number uint32         `cbor:"1,keyasint"`
	Item   engine.Message `cbor:"2,keyasint"`
	Age    uint32         `cbor:"3,keyasint"` // as in Forward
}

// Carried returns the item.
func (m *Deliver) Carried() engine.Message { return m.Item }

// Taken says that its sender is at work on the receiver's item.
type Taken struct {
	Number uint32 `cbor:"1,keyasint"`
}

// Done says that all has been reached that could be, or that there is nothing to do.
type Done struct {
	Number uint32 `cbor:"1,keyasint"`
}

// Busy says that its sender has not accepted an item. It has no room, or too many came of the publisher. It comes again
// after a while.
type Busy struct {
	Number uint32 `cbor:"1,keyasint"`
	Wait   uint16 `cbor:"2,keyasint"` // milliseconds
}

// Elsewhere says that its sender does not lie in the zone, or not on the way to it: others should be asked.
type Elsewhere struct {
	Number uint32 `cbor:"1,keyasint"`
}

// CatchUp requests recent items that the sender's subscriptions may want, except those that it names. The receiver owes
// a Missed if it has at least one.
type CatchUp struct {
	Filter []byte `cbor:"1,keyasint" max:"4096"` // what the sender subscribes to
	// eight bytes each: IDs of items with a delivered event, and names of others
	Have   []byte `cbor:"2,keyasint" max:"2048"`
	Within uint32 `cbor:"3,keyasint"` // seconds; at most what the receiver keeps
	// Zone is the sender's: items that are for others are not sent to it.
	Zone zone.Path `cbor:"4,keyasint" max:"200"`
	// Proof is that of the sender, in a closed network.
	Proof cert.Chain `cbor:"5,keyasint" max:"8"`
}

// Missed answers a CatchUp.
type Missed struct {
	Items []engine.Message `cbor:"1,keyasint" max:"16"` // Items, the oldest first
	// Ages are for how many seconds each has been on its way, as far as the sender knows. So none goes round for ever.
	Ages []uint32 `cbor:"2,keyasint" max:"16"`
}

// FindMember asks for a member of a zone with representatives that send no sign of life. The receiver shares the table
// that has the zone's row. It owes a MemberFound if it knows one.
type FindMember struct {
	Zone  zone.Path  `cbor:"1,keyasint" max:"200"`
	Proof cert.Chain `cbor:"2,keyasint" max:"8"` // that of the sender, in a closed network
}

// MemberFound answers a FindMember: items for the zone may go to the member.
type MemberFound struct {
	Zone   zone.Path   `cbor:"1,keyasint" max:"200"`
	Member engine.Peer `cbor:"2,keyasint"`
}

// Vocabulary is all that NewsWire says.
var Vocabulary = engine.Vocabulary{
	Protocol: engine.NewsWire, Name: "newswire",
	Messages: []engine.MessageType{
		{Message: new(Item), Class: engine.Update},
		{Message: new(Forward), Class: engine.Update},
		{Message: new(Deliver), Class: engine.Update},
		{Message: new(Taken), Class: engine.Update},
		{Message: new(Done), Class: engine.Update},
		{Message: new(Busy), Class: engine.Update},
		{Message: new(Elsewhere), Class: engine.Update},
		{Message: new(CatchUp), Class: engine.Bulk},
		{Message: new(Missed), Class: engine.Update},
		{Message: new(FindMember), Class: engine.Update},
		{Message: new(MemberFound), Class: engine.Update},
	},
}

func kind(n byte) engine.Kind { return engine.KindOf(engine.NewsWire, n) }

// Kind returns the number that the type has on the wire, once for all.
func (*Item) Kind() engine.Kind        { return kind(1) }
func (*Forward) Kind() engine.Kind     { return kind(2) }
func (*Deliver) Kind() engine.Kind     { return kind(3) }
func (*Taken) Kind() engine.Kind       { return kind(4) }
func (*Done) Kind() engine.Kind        { return kind(5) }
func (*Busy) Kind() engine.Kind        { return kind(6) }
func (*Elsewhere) Kind() engine.Kind   { return kind(7) }
func (*CatchUp) Kind() engine.Kind     { return kind(8) }
func (*Missed) Kind() engine.Kind      { return kind(9) }
func (*FindMember) Kind() engine.Kind  { return kind(10) }
func (*MemberFound) Kind() engine.Kind { return kind(11) }
