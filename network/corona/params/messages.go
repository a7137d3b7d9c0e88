package params

import (
	"tidings/network"
	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// Messages lists the messages by which nodes compare their settings.
var Messages = []engine.MessageType{
	{Message: new(ParamsRequest), Class: engine.Control},
	{Message: new(Params), Class: engine.Control},
}

// ParamsRequest asks a neighbour or a contact for its parameters. The receiver owes Params.
type ParamsRequest struct{}

// Kind returns the number of ParamsRequest.
func (*ParamsRequest) Kind() engine.Kind { return engine.KindOf(engine.Corona, 42) }

// Params answers ParamsRequest with the sender's Agreement, and whether it has settled on that.
type Params struct {
	Goal        uint8  `cbor:"1,keyasint"` // of honeycomb.Policy
	Target      uint32 `cbor:"2,keyasint"` // of honeycomb.Policy, in milliseconds
	Interval    uint32 `cbor:"3,keyasint"` // in milliseconds
	Maintenance uint32 `cbor:"4,keyasint"` // in milliseconds
	Since       uint64 `cbor:"5,keyasint"` // when these were set, in milliseconds since 1970
	Settled     bool   `cbor:"6,keyasint"`
	HostCeiling uint32 `cbor:"7,keyasint"`
	Volunteers  bool   `cbor:"8,keyasint"`
	Router      uint8  `cbor:"9,keyasint"` // a network.RouterName
}

// Kind returns the number of Params.
func (*Params) Kind() engine.Kind { return engine.KindOf(engine.Corona, 43) }

// message returns the answer of a node with an agreement.
func (a Agreement) message(since uint64, settled bool) *Params {
	return &Params{
		Goal: uint8(a.Policy.Goal), Target: machine.InMillis(a.Policy.Target), Interval: machine.InMillis(a.Interval),
		Maintenance: machine.InMillis(a.Maintenance),
		HostCeiling: uint32(a.HostCeiling), Volunteers: a.Volunteers, Router: uint8(a.Router), Since: since,
		Settled: settled,
	}
}

// agreement is the inverse of message.
func (m *Params) agreement() Agreement {
	return Agreement{
		Policy:   honeycomb.Policy{Goal: honeycomb.Goal(m.Goal), Target: machine.Milliseconds(m.Target)},
		Interval: machine.Milliseconds(m.Interval), Maintenance: machine.Milliseconds(m.Maintenance),
		HostCeiling: int(m.HostCeiling), Volunteers: m.Volunteers, Router: network.RouterName(m.Router),
	}
}
