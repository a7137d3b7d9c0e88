package corona

import "tidings/network/engine"

// ParamsRequest asks a neighbour or a contact which parameters it uses. The receiver owes it Params.
type ParamsRequest struct{}

// Kind returns the number of ParamsRequest.
func (*ParamsRequest) Kind() engine.Kind { return engine.KindOf(engine.Corona, 42) }

// Params answers ParamsRequest: the parameters that its sender uses, and whether it has agreed on them with others. See
// Agreement.
type Params struct {
	Goal        uint8  `cbor:"1,keyasint"` // of honeycomb.Policy
	Target      uint32 `cbor:"2,keyasint"` // of honeycomb.Policy, in milliseconds
	Interval    uint32 `cbor:"3,keyasint"` // in milliseconds
	Maintenance uint32 `cbor:"4,keyasint"` // in milliseconds
	// Since is when these parameters were set, in milliseconds since 1970.
	Since   uint64 `cbor:"5,keyasint"`
	Settled bool   `cbor:"6,keyasint"`
	// HostCeiling is Config's.
	HostCeiling uint32 `cbor:"7,keyasint"`
	// Volunteers is as in Config.
	Volunteers bool `cbor:"8,keyasint"`
	// Router is a network.RouterName.
	Router uint8 `cbor:"9,keyasint"`
}

// Kind returns the number of Params.
func (*Params) Kind() engine.Kind { return engine.KindOf(engine.Corona, 43) }
