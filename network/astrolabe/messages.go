package astrolabe

import (
	"slices"

	"tidings/network/astrolabe/cert"
	"tidings/network/astrolabe/table"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// Bounds of messages.
const (
	maxTables  = zone.MaxDepth + 1 // a node keeps
	maxUpdates = 32                // rows in one message
	maxPeers   = 8                 // named in one message
)

// Gossip begins an exchange of tables: of Zone, which both ends lie in, and of all zones above it. The receiver owes a
// Compare, unless its copies have the same sums.
type Gossip struct {
	Zone zone.Path `cbor:"1,keyasint" max:"200"`
	Sums []uint64  `cbor:"2,keyasint" max:"9"` // of the sender's copies, from the root's down
	// Proof is that of the sender, in a network with certificates.
	Proof cert.Chain `cbor:"3,keyasint" max:"8"`
	// Labels stand for the labels of the rows that hold in these copies, see table.Table.Labels: where the receiver's
	// are the same, it leaves the rows out that do not hold any more.
	Labels []uint32 `cbor:"4,keyasint" max:"9"`
}

// Compare answers a Gossip: what the sender's copies hold that differ. The receiver sends what is newer in its own, and
// a Want for what is older.
type Compare struct {
	Zone   zone.Path `cbor:"1,keyasint" max:"200"`
	Salt   uint32    `cbor:"2,keyasint"` // of the marks
	Tables []Marks   `cbor:"3,keyasint" max:"9"`
	// Proof is as in Gossip: the one that has begun may not know the sender yet.
	Proof cert.Chain `cbor:"4,keyasint" max:"8"`
}

// Marks is what a copy of a table holds, see table.Table.Marks.
type Marks struct {
	Depth uint8  `cbor:"1,keyasint"` // of the zone
	Marks []byte `cbor:"2,keyasint" max:"1920"`
}

// Want asks for rows that the receiver said to have newer ones of. It owes them.
type Want struct {
	Zone   zone.Path `cbor:"1,keyasint" max:"200"`
	Salt   uint32    `cbor:"2,keyasint"`
	Tables []Names   `cbor:"3,keyasint" max:"9"`
}

// Names are of rows that are wanted of a table.
type Names struct {
	Depth uint8  `cbor:"1,keyasint"`
	Names []byte `cbor:"2,keyasint" max:"768"`
	// Stamps names those of which the stamps are enough.
	Stamps []byte `cbor:"3,keyasint" max:"768"`
}

// Rows brings rows: because they are new, or because the receiver lacks them. It owes nothing, and passes on what is
// news to it.
type Rows struct {
	Zone zone.Path `cbor:"1,keyasint" max:"200"` // the lowest with a row of its table
	Rows []Update  `cbor:"2,keyasint" max:"32"`
}

// Update is one row on its way.
type Update struct {
	Depth uint8  `cbor:"1,keyasint"`          // of the zone in whose table it stands
	Label string `cbor:"2,keyasint" max:"32"` // in that
	Age   uint16 `cbor:"3,keyasint"`          // seconds since it was stamped, as far as the sender knows
	// Content is a table.Content; nil where the receiver has said that it has it.
	Content engine.Message `cbor:"4,keyasint"`
	Stamp   engine.Message `cbor:"5,keyasint"` // a table.Stamp
}

// Locate asks for the table of the deepest zone that contains Home, or lies within it on the way to the receiver's own:
// by such steps a node finds its place. The receiver owes a Located.
type Locate struct {
	Home  zone.Path  `cbor:"1,keyasint" max:"200"`
	Proof cert.Chain `cbor:"2,keyasint" max:"8"` // as in Gossip
}

// Located answers a Locate: which nodes are in a zone.
type Located struct {
	Home zone.Path `cbor:"1,keyasint" max:"200"` // as asked
	Zone zone.Path `cbor:"2,keyasint" max:"200"`
	Rows []Update  `cbor:"3,keyasint" max:"192"`
}

// Move sends a member of a full zone, or of one that has become small, to another; only the zone's representative may
// say so. A node that goes finds others in the new zone by Peers.
type Move struct {
	From  zone.Path     `cbor:"1,keyasint" max:"200"`
	To    zone.Path     `cbor:"2,keyasint" max:"200"`
	Peers []engine.Peer `cbor:"3,keyasint" max:"8"`
}

// Denied answers a Locate, in a closed network, of a node with a certificate that does not do, so that people there
// learn why. It owes nothing.
type Denied struct {
	Home zone.Path `cbor:"1,keyasint" max:"200"` // as asked
	Why  Denial    `cbor:"2,keyasint"`
}

// Vocabulary is all that Astrolabe says.
var Vocabulary = engine.Vocabulary{
	Protocol: engine.Astrolabe, Name: "astrolabe",
	Messages: slices.Concat(table.Messages, []engine.MessageType{
		{Message: new(Gossip), Class: engine.Control},
		{Message: new(Compare), Class: engine.Control},
		{Message: new(Want), Class: engine.Control},
		{Message: new(Rows), Class: engine.Control},
		{Message: new(Locate), Class: engine.Control},
		{Message: new(Located), Class: engine.Control},
		{Message: new(Move), Class: engine.Control},
		{Message: new(Denied), Class: engine.Control},
	}),
}

func kind(n byte) engine.Kind { return engine.KindOf(engine.Astrolabe, n) }

// Kind returns the number that the type has on the wire, once for all.
func (*Gossip) Kind() engine.Kind  { return kind(3) }
func (*Compare) Kind() engine.Kind { return kind(4) }
func (*Want) Kind() engine.Kind    { return kind(5) }
func (*Rows) Kind() engine.Kind    { return kind(6) }
func (*Locate) Kind() engine.Kind  { return kind(7) }
func (*Located) Kind() engine.Kind { return kind(8) }
func (*Move) Kind() engine.Kind    { return kind(9) }
func (*Denied) Kind() engine.Kind  { return kind(10) }
