package corona

import "tidings/network/engine"

// Inquire asks the primary of channels how they are polled. A subscriber's node sends it, for its user. The receiver
// owes Facts of those channels that it is primary of and has polled.
type Inquire struct {
	Channels []engine.ID `cbor:"1,keyasint" max:"256"`
}

// Kind returns the number of Inquire.
func (*Inquire) Kind() engine.Kind { return engine.KindOf(engine.Corona, 40) }

// Facts answers Inquire.
type Facts struct {
	Facts []Fact `cbor:"1,keyasint" max:"256"`
}

// Kind returns the number of Facts.
func (*Facts) Kind() engine.Kind { return engine.KindOf(engine.Corona, 41) }

// Fact is how one channel is polled, as its primary reports.
type Fact struct {
	Channel engine.ID `cbor:"1,keyasint"`
	// Readers is the owners' count. Pollers is the counted nodes of the polling set, at least 1.
	Readers uint32 `cbor:"2,keyasint"`
	Pollers uint32 `cbor:"3,keyasint"`
	// Interval is the time between two polls of one poller, in milliseconds, above zero. It is longer than the
	// network's if the origin asks for that.
	Interval uint32 `cbor:"5,keyasint"`
	// Update is the estimated mean time between updates, in seconds.
	Update uint32 `cbor:"6,keyasint"`
	// Detection is the expected mean time from a change until it is a version, with so many pollers, in milliseconds.
	Detection uint32 `cbor:"7,keyasint"`
}
