package report

import (
	"tidings/network/corona/version/update"
	"tidings/network/engine"
)

// Detected reports a change that a poll found to the primary. It is routed to the channel. The primary owes the finder
// the update, or the newer one that it has.
type Detected struct {
	Update update.Update `cbor:"1,keyasint"` // Version is that of Base
	Held   update.Header `cbor:"2,keyasint"` // the header of Base at the finder, if this bypasses a primary; else empty
}

// Heard answers a finder: at once that its report is being checked, and later if it makes no new version. The finder
// need not repeat the report. It requests the version if that is newer than its own. Without a Hash it answers a routed
// deliver.Missing: the sender can be asked for the version.
type Heard struct {
	Channel engine.ID   `cbor:"1,keyasint"`
	Hash    update.Hash `cbor:"2,keyasint"` // of what was found
	Version uint64      `cbor:"3,keyasint"` // the latest
	Quiet   uint32      `cbor:"4,keyasint"` // as in deliver.Shared
	Whole   bool        `cbor:"5,keyasint"` // the finder is to poll once more, and to report with a payload
	// it is being checked; without this answer the finder soon bypasses the primary
	Pending bool `cbor:"6,keyasint"`
}

// Limit reports to the primary what an origin asked of a poller, in seconds. It is routed to the channel. The primary
// owes the pollers new assignments.
type Limit struct {
	Channel  engine.ID `cbor:"1,keyasint"`
	Wait     uint32    `cbor:"2,keyasint"` // for so long no node is to poll
	Interval uint32    `cbor:"3,keyasint"` // the least time between any two polls
}

// Kind and the methods below return the numbers of messages.
func (*Detected) Kind() engine.Kind { return engine.KindOf(engine.Corona, 13) }
func (*Heard) Kind() engine.Kind    { return engine.KindOf(engine.Corona, 32) }
func (*Limit) Kind() engine.Kind    { return engine.KindOf(engine.Corona, 35) }

// Messages lists all messages of this package.
var Messages = []engine.MessageType{
	{Message: new(Detected), Class: engine.Update},
	{Message: new(Heard), Class: engine.Update},
	{Message: new(Limit), Class: engine.Update},
}
