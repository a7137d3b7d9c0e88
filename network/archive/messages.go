package archive

import "tidings/network/engine"

// Bounds of messages.
const (
	maxItem     = 640 << 10 // bytes
	maxReplicas = 8
	maxNames    = 16 // in a Fetch
	maxList     = 64 // items in a Have or an Offer
	maxParts    = 16 // of a Compare
	maxClosest  = 16 // nodes in a Where
)

// Find asks which nodes own an item, and which have it. It is routed to a point at the item's key or near it. If Start
// is set, it goes over another node first: the receiver must route it. A node that has the item, or knows its owners
// for sure, ends it and owes Asker a Where.
type Find struct {
	Name  Name        `cbor:"1,keyasint"`
	Asker engine.Peer `cbor:"2,keyasint"` // hearsay
	Start bool        `cbor:"3,keyasint"`
	// Owners means that the owners are wanted: a node that has the item and does not know them passes the message on.
	Owners bool `cbor:"4,keyasint"`
	// Most is how many of the nodes closest to the key Asker wants to learn of, the owners first.
	Most   uint8     `cbor:"5,keyasint"`
	Toward engine.ID `cbor:"6,keyasint"`
}

// Where answers a Find.
type Where struct {
	Name    Name          `cbor:"1,keyasint"`
	Has     bool          `cbor:"2,keyasint"` // the sender has the item
	Closest []engine.Peer `cbor:"3,keyasint" max:"16"`
}

// Fetch asks for items. The receiver owes an Item for each that it has and a Fetched at the end.
type Fetch struct {
	Number uint64 `cbor:"1,keyasint"` // drawn at random
	Names  []Name `cbor:"2,keyasint" max:"16"`
}

// Item is an item that was asked for by a Fetch.
type Item struct {
	Name  Name   `cbor:"1,keyasint"`
	Bytes []byte `cbor:"2,keyasint" max:"655360"`
}

// Fetched is the end of the answer to a Fetch. Items that were neither sent nor named in None can be requested again.
// They were too much at once, or are not on the sender's disk yet. If Busy is set, nothing was sent for such a reason,
// or since the sender serves too many others.
type Fetched struct {
	Number uint64 `cbor:"1,keyasint"`
	None   []Name `cbor:"2,keyasint" max:"16"` // what the sender does not have
	Busy   bool   `cbor:"3,keyasint"`
}

// Give gives a new item to one of its owners. The owner owes a Taken, and an Offer to the other owners.
type Give struct {
	Name  Name   `cbor:"1,keyasint"`
	Bytes []byte `cbor:"2,keyasint" max:"655360"`
}

// Taken confirms to the inserting node that the sender has an item, or reports why not. It comes from each owner.
type Taken struct {
	Name    Name          `cbor:"1,keyasint"`
	Refusal Refusal       `cbor:"2,keyasint"`
	Owners  []engine.Peer `cbor:"3,keyasint" max:"8"` // as far as the sender knows them, if it is none
}

// Offer says that the sender has items, which the receiver may lack. It fetches those that it owns, and owes an
// Offered. That is due at once for what it has, and for what it lacks as soon as it has that.
type Offer struct {
	Number uint64 `cbor:"1,keyasint"` // drawn at random
	Items  []Held `cbor:"2,keyasint" max:"64"`
	// Inserter is the node that inserts the items. Each node that has them owes it a Taken. Zero: none. It is hearsay.
	Inserter engine.Peer `cbor:"3,keyasint"`
}

// Offered answers an Offer: bit i of Has says that the sender has the i-th item on its disk. Several can follow one
// Offer.
type Offered struct {
	Number uint64 `cbor:"1,keyasint"`
	Has    uint64 `cbor:"2,keyasint"`
}

// Part is what a node has between two points of the ring, going upwards: without the first, with the
// last. The whole ring, if they are the same.
type Part struct {
	From  engine.ID `cbor:"1,keyasint"`
	To    engine.ID `cbor:"2,keyasint"`
	Count uint32    `cbor:"3,keyasint"`
	Sum   uint64    `cbor:"4,keyasint"` // of hashes of names and prints, modulo 2^64
}

// Compare says to a co-owner what the sender has. The receiver compares each part with what it has itself. If a part
// differs, it owes a Compare with smaller parts, or Haves; if none does, an Equal.
type Compare struct {
	Parts []Part `cbor:"1,keyasint" max:"16"`
}

// Equal answers a Compare: the receiver has the same.
type Equal struct{}

// Have lists all that the sender has on its disk between two points of the ring. The receiver fetches what it
// lacks, and owes an Offer of what the sender lacks.
type Have struct {
	From  engine.ID `cbor:"1,keyasint"`
	To    engine.ID `cbor:"2,keyasint"`
	Items []Held    `cbor:"3,keyasint" max:"64"` // by key, from From upwards
}

// Vocabulary is all that nodes of the archive say.
var Vocabulary = engine.Vocabulary{Protocol: engine.Archive, Name: "archive", Messages: []engine.MessageType{
	{Message: new(Find), Class: engine.Bulk},
	{Message: new(Where), Class: engine.Bulk},
	{Message: new(Fetch), Class: engine.Bulk},
	{Message: new(Item), Class: engine.Bulk},
	{Message: new(Fetched), Class: engine.Bulk},
	{Message: new(Give), Class: engine.Bulk},
	{Message: new(Taken), Class: engine.Bulk},
	{Message: new(Offer), Class: engine.Bulk},
	{Message: new(Offered), Class: engine.Bulk},
	{Message: new(Compare), Class: engine.Bulk},
	{Message: new(Equal), Class: engine.Bulk},
	{Message: new(Have), Class: engine.Bulk},
}}

// The kinds of the messages above.
func (*Find) Kind() engine.Kind    { return engine.KindOf(engine.Archive, 1) }
func (*Where) Kind() engine.Kind   { return engine.KindOf(engine.Archive, 2) }
func (*Fetch) Kind() engine.Kind   { return engine.KindOf(engine.Archive, 3) }
func (*Item) Kind() engine.Kind    { return engine.KindOf(engine.Archive, 4) }
func (*Fetched) Kind() engine.Kind { return engine.KindOf(engine.Archive, 5) }
func (*Give) Kind() engine.Kind    { return engine.KindOf(engine.Archive, 6) }
func (*Taken) Kind() engine.Kind   { return engine.KindOf(engine.Archive, 7) }
func (*Offer) Kind() engine.Kind   { return engine.KindOf(engine.Archive, 8) }
func (*Offered) Kind() engine.Kind { return engine.KindOf(engine.Archive, 9) }
func (*Compare) Kind() engine.Kind { return engine.KindOf(engine.Archive, 10) }
func (*Equal) Kind() engine.Kind   { return engine.KindOf(engine.Archive, 11) }
func (*Have) Kind() engine.Kind    { return engine.KindOf(engine.Archive, 12) }
