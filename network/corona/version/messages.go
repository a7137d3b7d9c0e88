package version

import (
	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// MaxPayload is the longest payload of an update, in bytes: what leaves room in a message for the rest.
const MaxPayload = 768 << 10

// Update is a version of a channel on its way.
type Update struct {
	Channel engine.ID `cbor:"1,keyasint"`
	URL     string    `cbor:"2,keyasint" max:"2048"`
	Version uint64    `cbor:"3,keyasint"`
	Base    Hash      `cbor:"4,keyasint"` // content that Payload is to be applied to; zero: to nothing
	Hash    Hash      `cbor:"5,keyasint"` // of the content
	// FoundBy is the node that saw the change, FoundAt when, by its wall clock, and Modified when the origin says that it changed, where that can be
	// believed; both in milliseconds since 1970, 0: unknown.
	FoundBy  engine.ID `cbor:"6,keyasint"`
	FoundAt  int64     `cbor:"7,keyasint"`
	Modified int64     `cbor:"8,keyasint"`
	Size     uint32    `cbor:"9,keyasint"` // of the whole document, in bytes
	// Payload is the delta or the items, in the Library's form. It is empty where it is longer than MaxPayload: then whoever needs it asks the origin.
	// Finders leave it out where the owners are sure to poll themselves.
	Payload []byte `cbor:"10,keyasint" max:"786432"`
	// Seal says who stands for FoundBy and for Version. Base and Payload need nobody: what they make has the hash, or it has not.
	Seal Seal `cbor:"11,keyasint"`
}

// Seal is the signatures of an update; empty where nothing is signed.
type Seal struct {
	// Finder is where FoundBy is reached, and Found its signature; see ReportWords. Both are empty, and with them FoundBy, FoundAt and Modified, where
	// it is not known any more who has found the version.
	Finder engine.Address `cbor:"1,keyasint"`
	Found  []byte         `cbor:"2,keyasint" max:"64"`
	// Giver is the owner that gave the number, or one that has the version and vouches for it, and Given its signature; see Header.
	Giver engine.Peer `cbor:"3,keyasint"`
	Given []byte      `cbor:"4,keyasint" max:"64"`
	// Seen says which witnesses have seen the content at the origin; see attests.
	Seen []Attestation `cbor:"5,keyasint" max:"16"`
}

// Attestation says that a node has seen a content at the origin, by a poll of its own that it made as a witness.
type Attestation struct {
	Place     uint8       `cbor:"1,keyasint"` // of the channel's places for witnesses, by number
	At        int64       `cbor:"2,keyasint"` // when, by the witness's wall clock, in milliseconds since 1970
	By        engine.Peer `cbor:"3,keyasint"`
	Signature []byte      `cbor:"4,keyasint" max:"64"` // By's; see AttestationWords
}

// Header is what an owner signs when it gives a version.
type Header struct {
	Channel engine.ID   `cbor:"1,keyasint"`
	Version uint64      `cbor:"2,keyasint"`
	Hash    Hash        `cbor:"3,keyasint"` // of the content
	Report  Hash        `cbor:"4,keyasint"` // of what the finder has signed, and its signature; zero: nobody is named
	Giver   engine.Peer `cbor:"5,keyasint"`
	Given   []byte      `cbor:"6,keyasint" max:"64"` // Giver's signature
}

// Detected tells the primary that a poll found a change. It is routed to the channel; the primary owes the finder the update, or the newer one that it has.
type Detected struct {
	Update Update `cbor:"1,keyasint"` // Version is that of Base
	Held   Header `cbor:"2,keyasint"` // how the finder was given Base, where it bypasses a primary; else empty
}

// Heard tells a finder that an owner has heard of what it found: at once that it is checked, and later, if it makes no new version, so. The finder need not
// repeat it; it asks for the version if that is newer than its own. Without a Hash it answers a Missing that was routed: the sender can be asked for it.
type Heard struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Hash    Hash      `cbor:"2,keyasint"` // of what was found
	Version uint64    `cbor:"3,keyasint"` // the latest
	Quiet   uint32    `cbor:"4,keyasint"` // as in Shared
	Whole   bool      `cbor:"5,keyasint"` // the finder is to poll once more, and to tell what it finds with its payload
	Pending bool      `cbor:"6,keyasint"` // it is being checked; a finder that is not even told that bypasses the primary soon
}

// Verify asks a poller, by a Verified: with a Hash, whether it has reported that content, as the ring does not vouch for who sent a Detected; without, what it
// sees if it polls at once. Routed to a place for witnesses, it asks the node there, which knows nothing of the channel.
type Verify struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Hash    Hash      `cbor:"2,keyasint"`
	// What a witness has to know besides: the URL, which place it stands at, that the host lets the channel be polled, and for which version it is to sign.
	URL         string          `cbor:"3,keyasint" max:"2048"`
	Place       uint8           `cbor:"4,keyasint"`
	Certificate []machine.Grant `cbor:"5,keyasint" max:"10"`
	Version     uint64          `cbor:"6,keyasint"`
}

// Verified tells the hash of what the sender has found or sees; zero: nothing. A witness signs it.
type Verified struct {
	Channel engine.ID   `cbor:"1,keyasint"`
	Hash    Hash        `cbor:"2,keyasint"`
	Seen    Attestation `cbor:"3,keyasint"`
}

// Commit tells the other owners of a version before anybody else hears of it, so that its number is not given twice. They owe a Committed.
type Commit struct {
	Channel engine.ID `cbor:"1,keyasint"`
	State   State     `cbor:"2,keyasint"`
	Header  Header    `cbor:"3,keyasint"` // of the version, so that the owners can tell if others get another
}

// Committed answers a Commit.
type Committed struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Version uint64    `cbor:"2,keyasint"`
}

// Shared hands an update down the polling set, from the primary to those below it, from them to those below them, and so on.
type Shared struct {
	Update Update `cbor:"1,keyasint"`
	Quiet  uint32 `cbor:"2,keyasint"` // for so many seconds nobody need report changes: the content differs from request to request
}

// Got acknowledges an Update that the primary sends to subscribers, new or not. It acknowledges a Routed too, where Version is 0.
type Got struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Version uint64    `cbor:"2,keyasint"`
}

// Routed tells a subscriber, from the primary, that versions will come down the tree of the network's router. It joins that, and owes a Got.
type Routed struct {
	Channel engine.ID `cbor:"1,keyasint"`
}

// Missing asks whoever may have it for what leads from a content to the latest version, by an Update.
type Missing struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Base    Hash      `cbor:"2,keyasint"`
	Version uint64    `cbor:"3,keyasint"` // what the asker has
}

// Limit tells the primary what an origin asked a poller for, in seconds. It is routed to the channel. The primary owes the pollers new assignments.
type Limit struct {
	Channel  engine.ID `cbor:"1,keyasint"`
	Wait     uint32    `cbor:"2,keyasint"` // nobody is to poll for so long
	Interval uint32    `cbor:"3,keyasint"` // the least time between any two polls
}

// Equivocation proves that a node has given one number to two contents. Who did not know owes it to the channel's owners and its contacts in the polling set.
type Equivocation struct {
	First  Header `cbor:"1,keyasint"`
	Second Header `cbor:"2,keyasint"`
}

// Ahead tells an owner that the sender has a higher number, or the same for another content. The owner owes a version above it: now, if a node that could be an
// owner has signed, else when the content changes next.
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

// Messages is all of them.
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
