package corona

import "tidings/network/engine"

// Detected tells the primary that a poll found a change. It is routed to the channel; the primary
// owes the finder the update, or the newer one that it has (Update, as to any poller).
type Detected struct {
	Update Update `cbor:"1,keyasint"` // Version is that of Base
	// Held is how the finder was given Base, where it bypasses a primary that does not do
	// its work (see bypass.go); else empty.
	Held Header `cbor:"2,keyasint"`
}

// Kind returns the number of Detected.
func (*Detected) Kind() engine.Kind { return engine.KindOf(engine.Corona, 13) }

// Update is a version of a channel on its way.
type Update struct {
	Channel engine.ID `cbor:"1,keyasint"`
	URL     string    `cbor:"2,keyasint" max:"2048"`
	Version uint64    `cbor:"3,keyasint"`
	Base    Hash      `cbor:"4,keyasint"` // content that Payload is to be applied to; zero: to nothing
	Hash    Hash      `cbor:"5,keyasint"` // of the content
	// FoundBy is the node that saw the change, and FoundAt when, by its wall clock, in
	// milliseconds since 1970.
	FoundBy engine.ID `cbor:"6,keyasint"`
	FoundAt int64     `cbor:"7,keyasint"`
	// Modified is when the origin says that it changed, where it can be believed, in
	// milliseconds since 1970; 0: unknown.
	Modified int64 `cbor:"8,keyasint"`
	// Size is the length of the whole document in bytes.
	Size uint32 `cbor:"9,keyasint"`
	// Payload is the delta or the items, in the Library's form. It is empty where it is
	// longer than MaxPayload: then whoever needs it asks the origin. Finders leave it out where
	// the owners are sure to poll themselves.
	Payload []byte `cbor:"10,keyasint" max:"786432"`
	// Seal says who stands for FoundBy and for Version. Base and Payload need nobody: what they
	// make has the hash, or it has not.
	Seal Seal `cbor:"11,keyasint"`
}

// Kind returns the number of Update.
func (*Update) Kind() engine.Kind { return engine.KindOf(engine.Corona, 9) }

// Seal is the signatures of an update; empty where nothing is signed.
type Seal struct {
	// Finder is where FoundBy is reached, and Found its signature; see report. Both are empty, and
	// with them FoundBy, FoundAt and Modified, where it is not known any more who has found the
	// version.
	Finder engine.Address `cbor:"1,keyasint"`
	Found  []byte         `cbor:"2,keyasint" max:"64"`
	// Giver is the owner that gave the number, or one that has the version and vouches for
	// it, and Given its signature; see Header.
	Giver engine.Peer `cbor:"3,keyasint"`
	Given []byte      `cbor:"4,keyasint" max:"64"`
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

// Shared hands an update down the wedge, from the primary to its contacts there, from them to
// their contacts below, and so on. The receiver passes it on to those that share more bits with
// it than the sender does, a digit at least.
type Shared struct {
	Update Update `cbor:"1,keyasint"`
	// Quiet is for how many seconds nobody need report further changes: the channel's content
	// differs from request to request.
	Quiet uint32 `cbor:"2,keyasint"`
}

// Kind returns the number of Shared.
func (*Shared) Kind() engine.Kind { return engine.KindOf(engine.Corona, 30) }

// Routed tells a subscriber, from the primary, that the channel's versions will come down the tree
// of the network's router. The subscriber joins that, and owes a Got.
type Routed struct {
	Channel engine.ID `cbor:"1,keyasint"`
}

// Kind returns the number of Routed.
func (*Routed) Kind() engine.Kind { return engine.KindOf(engine.Corona, 36) }

// Got acknowledges an Update that the primary sends to subscribers: one that is new, and one that
// is not. It acknowledges a Routed too, where Version is 0.
type Got struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Version uint64    `cbor:"2,keyasint"`
}

// Kind returns the number of Got.
func (*Got) Kind() engine.Kind { return engine.KindOf(engine.Corona, 31) }

// Heard tells a finder that the primary has heard of what it found: at once that it is checked, and
// later, if it makes no new version, so: the content is known, or could not be found true. The finder
// need not repeat it; it asks for the version if that is newer than its own. Without a Hash it answers a
// Missing that was routed: the sender has the version and can be asked for it.
type Heard struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Hash    Hash      `cbor:"2,keyasint"` // of what was found
	Version uint64    `cbor:"3,keyasint"` // the latest
	Quiet   uint32    `cbor:"4,keyasint"` // as in Shared
	// Whole asks the finder to poll once more, and to tell what it finds with its payload.
	Whole bool `cbor:"5,keyasint"`
	// Pending says that it is being checked: nothing is decided. A finder that is not even told that
	// bypasses the primary soon.
	Pending bool `cbor:"6,keyasint"`
}

// Kind returns the number of Heard.
func (*Heard) Kind() engine.Kind { return engine.KindOf(engine.Corona, 32) }

// Verify asks the receiver, by a Verified, about a channel that it polls. With a Hash: whether it has
// reported that it found this content; the ring does not vouch for who sent a Detected. Without:
// what it sees if it polls at once. The primary asks so when somebody has found what it does not
// see itself.
type Verify struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Hash    Hash      `cbor:"2,keyasint"`
}

// Kind returns the number of Verify.
func (*Verify) Kind() engine.Kind { return engine.KindOf(engine.Corona, 33) }

// Verified tells the hash of what the sender has found or sees; zero: nothing.
type Verified struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Hash    Hash      `cbor:"2,keyasint"`
}

// Kind returns the number of Verified.
func (*Verified) Kind() engine.Kind { return engine.KindOf(engine.Corona, 34) }

// Limit tells the primary what an origin asked a poller for. It is routed to the channel. The
// primary owes the wedge new assignments.
type Limit struct {
	Channel engine.ID `cbor:"1,keyasint"`
	// Wait is for how many seconds nobody is to poll; Interval is the least time between any
	// two polls, in seconds.
	Wait     uint32 `cbor:"2,keyasint"`
	Interval uint32 `cbor:"3,keyasint"`
}

// Kind returns the number of Limit.
func (*Limit) Kind() engine.Kind { return engine.KindOf(engine.Corona, 35) }

// Missing asks for what leads from the content that the asker has to the latest version: of the
// member that sent the assignment, of an owner (routed), or of the primary. Who has it answers by an
// Update.
type Missing struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Base    Hash      `cbor:"2,keyasint"`
	Version uint64    `cbor:"3,keyasint"` // what the asker has
}

// Kind returns the number of Missing.
func (*Missing) Kind() engine.Kind { return engine.KindOf(engine.Corona, 10) }

// Equivocation proves that a node has given one number to two contents. Who is sent it, and did
// not know, keeps to it and owes it to the owners of the channel and to its contacts in the wedge.
type Equivocation struct {
	First  Header `cbor:"1,keyasint"`
	Second Header `cbor:"2,keyasint"`
}

// Kind returns the number of Equivocation.
func (*Equivocation) Kind() engine.Kind { return engine.KindOf(engine.Corona, 61) }

// Ahead tells an owner that the sender has a version whose number is higher than the owner's, or
// the same for another content. The owner owes a version above it: now, if the number is signed by
// a node that could be an owner, else when the content changes next.
type Ahead struct {
	Header Header `cbor:"1,keyasint"`
}

// Kind returns the number of Ahead.
func (*Ahead) Kind() engine.Kind { return engine.KindOf(engine.Corona, 60) }
