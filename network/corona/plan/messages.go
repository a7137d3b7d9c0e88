package plan

import (
	"tidings/network/corona/curve"
	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// AggregateRequest asks a contact for its Aggregate of those that share its first Bits bits.
type AggregateRequest struct {
	Bits uint8 `cbor:"1,keyasint"`
	// Sum is that of the Aggregate that the asker has; 0: none.
	Sum uint64 `cbor:"2,keyasint"`
}

// Kind returns the number of AggregateRequest.
func (*AggregateRequest) Kind() engine.Kind { return engine.KindOf(engine.Corona, 5) }

// Aggregate sums up the nodes that share the sender's first Bits bits, itself included: how many they are, and the channels they are primary of.
type Aggregate struct {
	Bits uint8 `cbor:"1,keyasint"`
	// Sum names what follows; where it is that of the AggregateRequest, nothing does.
	Sum   uint64 `cbor:"2,keyasint"`
	Nodes uint32 `cbor:"3,keyasint"`
	// Parts is how many nodes have each of the digits that may come next.
	Parts []uint32 `cbor:"4,keyasint" max:"256"`
	// Curve is what the channels use. Clusters stand for it by the paper's settings.
	Curve    curve.Curve         `cbor:"5,keyasint"`
	Clusters honeycomb.Aggregate `cbor:"6,keyasint"`
}

// Kind returns the number of Aggregate.
func (*Aggregate) Kind() engine.Kind { return engine.KindOf(engine.Corona, 6) }

// Maintenance tells a contact, of channels whose polling sets have nodes that it answers for, that these poll them, and when. Sent when something changes;
// what stays as it is is confirmed by MaintenanceDigest. A node to which nobody has confirmed an assignment for Config.AssignmentsLast stops.
type Maintenance struct {
	Assignments []Assignment `cbor:"1,keyasint" max:"256"`
}

// Kind returns the number of Maintenance.
func (*Maintenance) Kind() engine.Kind { return engine.KindOf(engine.Corona, 7) }

// Assignment tells a node of one channel: it polls it if it is in the polling set, and passes the assignment on to its contacts below those of the sender.
type Assignment struct {
	Channel engine.ID `cbor:"1,keyasint"`
	// URL is left out where the receiver should know it; one that does not asks by Unknown.
	URL string `cbor:"2,keyasint" max:"2048"`
	// Size is that of the channel's polling set.
	Size machine.Size `cbor:"3,keyasint"`
	// Term is that of the primary's decision: see Set. Who has been assigned a channel by another node lately, in a higher term, does not heed a lower one.
	Term uint32 `cbor:"4,keyasint"`
	// Stop ends the polling by the receiver and those below it.
	Stop bool `cbor:"5,keyasint"`
	// Start is when the receiver's slot begins, in milliseconds from the sending of the message, and Width how long it is. The receiver polls at its beginning,
	// if it is in the set, those below it in the rest, each once every polling interval. Random: both are to be ignored.
	Start  uint32 `cbor:"6,keyasint"`
	Width  uint32 `cbor:"7,keyasint"`
	Random bool   `cbor:"8,keyasint"`
	// Version is the latest; a poller that has an older one asks for it.
	Version uint64 `cbor:"9,keyasint"`
	// Asked is what the origin asks for; none: nothing. Wait is for how long nobody is to poll, in seconds from the sending of the message, where it asked for patience: for no
	// longer than Asked says, which goes by clocks that may be wrong.
	Asked []Asked `cbor:"10,keyasint" max:"1"`
	Wait  uint32  `cbor:"11,keyasint"`
	// Certificate is grants by which the channel can be polled by a set of that size. It is left out where the receiver should have it; one that has not asks by Unknown.
	Certificate []machine.Grant `cbor:"12,keyasint" max:"9"`
}

// Unknown answers Maintenance about channels whose URL the receiver does not know, or of which it has no certificate; the sender owes it those assignments with
// all that belongs to them.
type Unknown struct {
	Channels []engine.ID `cbor:"1,keyasint" max:"256"`
}

// Kind returns the number of Unknown.
func (*Unknown) Kind() engine.Kind { return engine.KindOf(engine.Corona, 8) }

// MaintenanceDigest sums up the assignments that the receiver has from the sender, so that those that have not changed need not be repeated. Sent each
// maintenance interval, and some time after assignments have changed. A receiver whose own sum differs sends MaintenancePull.
type MaintenanceDigest struct {
	// Sum is of all these assignments: of each, what assignmentSum makes of channel and size.
	Sum uint64 `cbor:"1,keyasint"`
	// Repeated has a bit for each part of which the assignments were just sent all: others of it that the receiver has from the sender no longer hold.
	Repeated uint32 `cbor:"2,keyasint"`
}

// Kind returns the number of MaintenanceDigest.
func (*MaintenanceDigest) Kind() engine.Kind { return engine.KindOf(engine.Corona, 20) }

// MaintenancePull asks the sender of a MaintenanceDigest for the assignments that it sums up, of each part whose sum is not the asker's. That one owes them, and
// after them a MaintenanceDigest.
type MaintenancePull struct {
	// Sums are of what the asker has from the receiver, by part; see partOf. Without them all is asked for.
	Sums []uint64 `cbor:"1,keyasint" max:"32"`
}

// Kind returns the number of MaintenancePull.
func (*MaintenancePull) Kind() engine.Kind { return engine.KindOf(engine.Corona, 21) }

// Messages are all messages of this machine.
var Messages = []engine.MessageType{
	{Message: new(AggregateRequest), Class: engine.Bulk},
	{Message: new(Aggregate), Class: engine.Bulk},
	{Message: new(Maintenance), Class: engine.Update},
	{Message: new(Unknown), Class: engine.Update},
	{Message: new(MaintenanceDigest), Class: engine.Update},
	{Message: new(MaintenancePull), Class: engine.Update},
}
