package roster

import (
	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// Digests lets another owner compare what both hold of channels that both should own. The receiver owes an answer for
// each: the same Digest if it holds the same, else Parts.
type Digests struct {
	Digests []Digest `cbor:"1,keyasint" max:"256"`
}

// Kind returns the number of Digests.
func (*Digests) Kind() engine.Kind { return engine.KindOf(engine.Corona, 3) }

// Digest sums up an owner's table of one channel.
type Digest struct {
	Channel engine.ID `cbor:"1,keyasint"`
	// Sum is over all subscriptions, including ended ones: equal for equal sets.
	Sum     uint64 `cbor:"2,keyasint"`
	Version uint64 `cbor:"3,keyasint"`
	Stamp   uint64 `cbor:"4,keyasint"` // of the State
	Entries uint32 `cbor:"5,keyasint"` // number of subscriptions in Sum
	// Answer: this answers a Digest, so that no answer is owed.
	Answer bool `cbor:"6,keyasint"`
}

// Parts answers a Digest that differs. Subscribers are divided into 2^Bits parts by the first bits of a hash. The
// receiver finds the parts that differ. It owes its own Entries of them, and a Want for the sender's.
type Parts struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Bits    uint8     `cbor:"2,keyasint"`
	Sums    []uint64  `cbor:"3,keyasint" max:"1024"` // by part; none: all are zero
	State   State     `cbor:"4,keyasint"`
}

// Kind returns the number of Parts.
func (*Parts) Kind() engine.Kind { return engine.KindOf(engine.Corona, 16) }

// Want answers Parts: the receiver owes its Entries of these parts.
type Want struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Bits    uint8     `cbor:"2,keyasint"`
	Parts   []uint16  `cbor:"3,keyasint" max:"1024"`
}

// Kind returns the number of Want.
func (*Want) Kind() engine.Kind { return engine.KindOf(engine.Corona, 17) }

// Entries sends another owner subscriptions of one channel. The receiver keeps of each the one with the higher stamp,
// and owes a Stored.
type Entries struct {
	Channel       engine.ID      `cbor:"1,keyasint"`
	URL           string         `cbor:"2,keyasint" max:"2048"`
	Subscriptions []Subscription `cbor:"3,keyasint" max:"1024"`
	State         State          `cbor:"4,keyasint"`
	Number        uint32         `cbor:"5,keyasint"` // the Stored repeats it
}

// Kind returns the number of Entries.
func (*Entries) Kind() engine.Kind { return engine.KindOf(engine.Corona, 4) }

// State is the owners' knowledge of a channel besides subscriptions. Of two the one with the higher Version, then
// Stamp, holds.
type State struct {
	Version  uint64       `cbor:"1,keyasint"`
	Stamp    uint64       `cbor:"2,keyasint"`
	Hash     machine.Hash `cbor:"3,keyasint"`
	Size     uint32       `cbor:"4,keyasint"` // bytes
	Interval float64      `cbor:"5,keyasint"` // estimated seconds between updates
	Set      machine.Size `cbor:"6,keyasint"` // of the polling set
	Term     uint32       `cbor:"7,keyasint"` // counts the primaries' decisions on that
	// Slot is when the channel's first slot begins, in milliseconds from the sending of the message. So polls keep
	// their times when the primary changes.
	Slot uint32 `cbor:"8,keyasint"`
	// Age is for how many seconds the version has been the latest.
	Age uint32 `cbor:"9,keyasint"`
	// Recent are the starts of hashes of earlier versions, the latest last.
	Recent []uint64 `cbor:"10,keyasint" max:"16"`
	// Wait and Least are the origin's wishes, as Wait and Interval of Limit.
	Wait  uint32 `cbor:"11,keyasint"`
	Least uint32 `cbor:"12,keyasint"`
	// Watched is for how many polling intervals the channel has been watched, the basis of Interval. Those long ago
	// count less.
	Watched float64 `cbor:"13,keyasint"`
	// Routed: a tree carries versions to subscribers, and all were sent a Routed.
	Routed bool `cbor:"14,keyasint"`
}
