package plan

import (
	"tidings/network/corona/curve"
	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// AggregateRequest asks a contact for its Aggregate of the nodes that share its first Bits bits.
type AggregateRequest struct {
	Bits uint8 `cbor:"1,keyasint"`
	// Sum is that of the requester's Aggregate; 0: it has none.
	Sum uint64 `cbor:"2,keyasint"`
}

// Kind returns the number of AggregateRequest.
func (*AggregateRequest) Kind() engine.Kind { return engine.KindOf(engine.Corona, 5) }

// Aggregate sums up the nodes that share the sender's first Bits bits, itself included: their number, and the channels
// they are primary of.
type Aggregate struct {
	Bits uint8 `cbor:"1,keyasint"`
	// Sum identifies the contents. If it is that of the AggregateRequest, they are left out.
	Sum   uint64 `cbor:"2,keyasint"`
	Nodes uint32 `cbor:"3,keyasint"`
	// Parts is how many nodes have each of the possible next digits.
	Parts []uint32 `cbor:"4,keyasint" max:"256"`
	// Curve sums up what the channels use. In experiments with another Optimizer Other replaces it.
	Curve curve.Curve    `cbor:"5,keyasint"`
	Other engine.Message `cbor:"6,keyasint"`
}

// Kind returns the number of Aggregate.
func (*Aggregate) Kind() engine.Kind { return engine.KindOf(engine.Corona, 6) }

// Maintenance assigns channels, and slots, to the nodes that a contact answers for. It is sent when something changes;
// MaintenanceDigest confirms the rest. A node without a confirmation for Config.AssignmentsLast stops.
type Maintenance struct {
	Assignments []Assignment `cbor:"1,keyasint" max:"256"`
}

// Kind returns the number of Maintenance.
func (*Maintenance) Kind() engine.Kind { return engine.KindOf(engine.Corona, 7) }

// Assignment assigns one channel. A receiver in the polling set polls it. Each receiver passes it on to its contacts
// below those of the sender.
type Assignment struct {
	Channel engine.ID `cbor:"1,keyasint"`
	// URL is left out if the receiver should know it; one that does not replies with Unknown.
	URL string `cbor:"2,keyasint" max:"2048"`
	// Size is that of the channel's polling set.
	Size machine.Size `cbor:"3,keyasint"`
	// Term is that of the primary's decision: see Set. A node that was recently assigned a channel in a higher term by
	// another node ignores a lower one.
	Term uint32 `cbor:"4,keyasint"`
	// Stop ends the polling by the receiver and the nodes below it.
	Stop bool `cbor:"5,keyasint"`
	// Start is when the receiver's slot begins, in milliseconds from the sending of the message, and Width its length.
	// If it is in the set, the receiver polls at its beginning, and those below it in the rest, each once every polling
	// interval.
	Start uint32 `cbor:"6,keyasint"`
	Width uint32 `cbor:"7,keyasint"`
	// Version is the latest; a poller with an older one requests it.
	Version uint64 `cbor:"9,keyasint"`
	// Asked is what the origin asks for; none: nothing. Wait is for how long no node is to poll, in seconds from the
	// sending of the message. Asked bounds it too, by clocks that may be wrong.
	Asked []Asked `cbor:"10,keyasint" max:"1"`
	Wait  uint32  `cbor:"11,keyasint"`
}

// Unknown answers Maintenance about channels of which the receiver lacks the URL. The sender owes those assignments in
// full.
type Unknown struct {
	Channels []engine.ID `cbor:"1,keyasint" max:"256"`
}

// Kind returns the number of Unknown.
func (*Unknown) Kind() engine.Kind { return engine.KindOf(engine.Corona, 8) }

// MaintenanceDigest sums up the receiver's assignments from the sender, so that unchanged ones need not be repeated. It
// is sent each maintenance interval, and some time after assignments have changed. A receiver with another sum
// sends MaintenancePull.
type MaintenanceDigest struct {
	// Sum is the sum of assignmentSum over all these assignments.
	Sum uint64 `cbor:"1,keyasint"`
	// Repeated has a bit for each part of which all assignments were just sent: the sender's other assignments in it no
	// longer hold.
	Repeated uint32 `cbor:"2,keyasint"`
}

// Kind returns the number of MaintenanceDigest.
func (*MaintenanceDigest) Kind() engine.Kind { return engine.KindOf(engine.Corona, 20) }

// MaintenancePull requests the assignments that a MaintenanceDigest sums up, of each part with another sum. The
// receiver owes them, and after them a MaintenanceDigest.
type MaintenancePull struct {
	// Sums are those of the requester's assignments from the receiver, by part; see partOf. Without them all are
	// requested.
	Sums []uint64 `cbor:"1,keyasint" max:"32"`
}

// Kind returns the number of MaintenancePull.
func (*MaintenancePull) Kind() engine.Kind { return engine.KindOf(engine.Corona, 21) }

// Messages lists all messages of this machine.
var Messages = []engine.MessageType{
	{Message: new(AggregateRequest), Class: engine.Bulk},
	{Message: new(Aggregate), Class: engine.Bulk},
	{Message: new(Maintenance), Class: engine.Update},
	{Message: new(Unknown), Class: engine.Update},
	{Message: new(MaintenanceDigest), Class: engine.Update},
	{Message: new(MaintenancePull), Class: engine.Update},
}
