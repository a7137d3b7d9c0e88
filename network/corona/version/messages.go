package version

import (
	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// MaxPayload is the longest payload of an update, in bytes. It leaves room for the rest of the message.
const MaxPayload = 768 << 10

// Update is a version of a channel in transit.
type Update struct {
	Channel engine.ID `cbor:"1,keyasint"`
	URL     string    `cbor:"2,keyasint" max:"2048"`
	Version uint64    `cbor:"3,keyasint"`
	Base    Hash      `cbor:"4,keyasint"` // content that Payload applies to; zero: nothing
	Hash    Hash      `cbor:"5,keyasint"` // of the content
	// FoundBy is the node that saw the change, and FoundAt when, by its wall clock. Modified is when the content
	// changed, by the origin, if that is plausible. Both are in milliseconds since 1970; 0: unknown.
	FoundBy  engine.ID `cbor:"6,keyasint"`
	FoundAt  int64     `cbor:"7,keyasint"`
	Modified int64     `cbor:"8,keyasint"`
	Size     uint32    `cbor:"9,keyasint"` // of the whole document, in bytes
	// Payload is the delta or the items, in the Library's form. It is empty if longer than MaxPayload: a node that
	// needs it asks the origin. Finders omit it if the owners are sure to poll themselves.
	Payload []byte `cbor:"10,keyasint" max:"786432"`
	// Seal vouches for FoundBy and Version. Base and Payload need no signature: the hash checks what they make.
	Seal Seal `cbor:"11,keyasint"`
}

// Seal holds the signatures of an update; it is empty if nothing is signed.
type Seal struct {
	// Finder is the address of FoundBy, and Found its signature; see ReportWords. If the finder is no longer known,
	// both are empty, and so are FoundBy, FoundAt and Modified.
	Finder engine.Address `cbor:"1,keyasint"`
	Found  []byte         `cbor:"2,keyasint" max:"64"`
	// Giver is the owner that assigned the number, or one that has the version and vouches for it. Given is its
	// signature; see Header.
	Giver engine.Peer `cbor:"3,keyasint"`
	Given []byte      `cbor:"4,keyasint" max:"64"`
	// Seen are the witnesses that have seen the content at the origin; see attests.
	Seen []Attestation `cbor:"5,keyasint" max:"16"`
}

// Attestation is a witness's statement that its own poll of the origin showed a content.
type Attestation struct {
	Place     uint8       `cbor:"1,keyasint"` // number of the witness's place
	At        int64       `cbor:"2,keyasint"` // by the witness's wall clock, in milliseconds since 1970
	By        engine.Peer `cbor:"3,keyasint"`
	Signature []byte      `cbor:"4,keyasint" max:"64"` // By's; see AttestationWords
}

// Header is what an owner signs with the number that it assigns.
type Header struct {
	Channel engine.ID   `cbor:"1,keyasint"`
	Version uint64      `cbor:"2,keyasint"`
	Hash    Hash        `cbor:"3,keyasint"` // of the content
	Report  Hash        `cbor:"4,keyasint"` // hash of the finder's signed words and signature; zero: no finder is named
	Giver   engine.Peer `cbor:"5,keyasint"`
	Given   []byte      `cbor:"6,keyasint" max:"64"` // Giver's signature
}

// Detected reports a change that a poll found to the primary. It is routed to the channel. The primary owes the finder
// the update, or the newer one that it has.
type Detected struct {
	Update Update `cbor:"1,keyasint"` // Version is that of Base
	Held   Header `cbor:"2,keyasint"` // the header of Base at the finder, if this bypasses a primary; else empty
}

// Heard answers a finder: at once that its report is being checked, and later if it makes no new version. The finder
// need not repeat the report. It requests the version if that is newer than its own. Without a Hash it answers a routed
// Missing: the sender can be asked for the version.
type Heard struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Hash    Hash      `cbor:"2,keyasint"` // of what was found
	Version uint64    `cbor:"3,keyasint"` // the latest
	Quiet   uint32    `cbor:"4,keyasint"` // as in Shared
	Whole   bool      `cbor:"5,keyasint"` // the finder is to poll once more, and to report with a payload
	// it is being checked; without this answer the finder soon bypasses the primary
	Pending bool `cbor:"6,keyasint"`
}

// Verify asks a poller for a Verified. With a Hash it asks whether the poller has reported that content, as the ring
// does not authenticate the sender of a Detected. Without a Hash it asks for a poll now. Routed to a place for
// witnesses, it asks the node there, which does not know the channel.
type Verify struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Hash    Hash      `cbor:"2,keyasint"`
	// A witness needs besides: the URL, its place, proof that the host lets the channel be polled, and the version to
	// sign.
	URL         string          `cbor:"3,keyasint" max:"2048"`
	Place       uint8           `cbor:"4,keyasint"`
	Certificate []machine.Grant `cbor:"5,keyasint" max:"10"`
	Version     uint64          `cbor:"6,keyasint"`
}

// Verified carries the hash of what the sender has found or sees; zero: nothing. A witness signs it.
type Verified struct {
	Channel engine.ID   `cbor:"1,keyasint"`
	Hash    Hash        `cbor:"2,keyasint"`
	Seen    Attestation `cbor:"3,keyasint"`
}

// Commit announces a version to the other owners before any other node learns of it, so that its number is not assigned
// twice. They owe a Committed.
type Commit struct {
	Channel engine.ID `cbor:"1,keyasint"`
	State   State     `cbor:"2,keyasint"`
	Header  Header    `cbor:"3,keyasint"` // of the version, so that owners notice another one with this number
}

// Committed answers a Commit.
type Committed struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Version uint64    `cbor:"2,keyasint"`
}

// Shared passes an update down the polling set, from the primary to the nodes below it, and so on.
type Shared struct {
	Update Update `cbor:"1,keyasint"`
	// for so many seconds changes need not be reported: the content differs from request to request
	Quiet uint32 `cbor:"2,keyasint"`
}

// Got acknowledges an Update that the primary sends to subscribers, new or not. With Version 0 it acknowledges a
// Routed.
type Got struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Version uint64    `cbor:"2,keyasint"`
}

// Routed announces to a subscriber, from the primary, that versions come by the tree of the network's router. It joins
// the tree, and owes a Got.
type Routed struct {
	Channel engine.ID `cbor:"1,keyasint"`
}

// Missing requests, as an Update, the change from a content to the latest version.
type Missing struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Base    Hash      `cbor:"2,keyasint"`
	Version uint64    `cbor:"3,keyasint"` // that the requester has
}

// Limit reports to the primary what an origin asked of a poller, in seconds. It is routed to the channel. The primary
// owes the pollers new assignments.
type Limit struct {
	Channel  engine.ID `cbor:"1,keyasint"`
	Wait     uint32    `cbor:"2,keyasint"` // for so long no node is to poll
	Interval uint32    `cbor:"3,keyasint"` // the least time between any two polls
}

// Equivocation proves that a node has assigned one number to two contents. A node to which this is new owes it to the
// channel's owners and its contacts in the polling set.
type Equivocation struct {
	First  Header `cbor:"1,keyasint"`
	Second Header `cbor:"2,keyasint"`
}

// Ahead reports to an owner that the sender has a higher number, or the same for another content. The owner owes a
// version above it: now, if a node that could be an owner has signed, else at the next change.
type Ahead struct {
	Header Header `cbor:"1,keyasint"`
}

// Kind and the methods below return the numbers of messages.
func (*Update) Kind() engine.Kind       { return engine.KindOf(engine.Corona, 9) }
func (*Detected) Kind() engine.Kind     { return engine.KindOf(engine.Corona, 13) }
func (*Heard) Kind() engine.Kind        { return engine.KindOf(engine.Corona, 32) }
func (*Verify) Kind() engine.Kind       { return engine.KindOf(engine.Corona, 33) }
func (*Verified) Kind() engine.Kind     { return engine.KindOf(engine.Corona, 34) }
func (*Commit) Kind() engine.Kind       { return engine.KindOf(engine.Corona, 11) }
func (*Committed) Kind() engine.Kind    { return engine.KindOf(engine.Corona, 12) }
func (*Shared) Kind() engine.Kind       { return engine.KindOf(engine.Corona, 30) }
func (*Got) Kind() engine.Kind          { return engine.KindOf(engine.Corona, 31) }
func (*Routed) Kind() engine.Kind       { return engine.KindOf(engine.Corona, 36) }
func (*Missing) Kind() engine.Kind      { return engine.KindOf(engine.Corona, 10) }
func (*Limit) Kind() engine.Kind        { return engine.KindOf(engine.Corona, 35) }
func (*Equivocation) Kind() engine.Kind { return engine.KindOf(engine.Corona, 61) }
func (*Ahead) Kind() engine.Kind        { return engine.KindOf(engine.Corona, 60) }

// Messages lists all messages of this package.
var Messages = []engine.MessageType{
	{Message: new(Update), Class: engine.Update},
	{Message: new(Missing), Class: engine.Update},
	{Message: new(Commit), Class: engine.Control},
	{Message: new(Committed), Class: engine.Control},
	{Message: new(Detected), Class: engine.Update},
	{Message: new(Shared), Class: engine.Update},
	{Message: new(Got), Class: engine.Update},
	{Message: new(Routed), Class: engine.Update},
	{Message: new(Heard), Class: engine.Update},
	{Message: new(Verify), Class: engine.Update},
	{Message: new(Verified), Class: engine.Update},
	{Message: new(Limit), Class: engine.Update},
	{Message: new(Ahead), Class: engine.Update},
	{Message: new(Equivocation), Class: engine.Control},
}
