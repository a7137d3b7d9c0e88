package corona

import (
	"tidings/network/engine"
	"tidings/network/honeycomb"
)

// Hash names a content: two contents of a channel with the same hash are the same to its
// readers. Whoever makes contents makes the hash; see Library.
type Hash [32]byte

// Subscribe asks owners of channels to count subscriptions, or no longer. It is routed to the
// first channel, which lies close to the others, or sent to who was their primary before. The
// receiver owes Node a Subscribed for those that it is the primary of, and it to itself to pass
// the others on.
type Subscribe struct {
	Node   engine.Peer `cbor:"1,keyasint"` // the subscribers' node: hearsay
	Wanted []Wanted    `cbor:"2,keyasint" max:"64"`
	Hops   uint8       `cbor:"3,keyasint"` // how often it was passed on; see maxPassed
}

// Wanted is one subscription of a Subscribe; see Subscription for its fields.
type Wanted struct {
	Channel engine.ID `cbor:"1,keyasint"`
	URL     string    `cbor:"2,keyasint" max:"2048"` // canonical
	Outside string    `cbor:"3,keyasint" max:"512"`
	Count   uint32    `cbor:"4,keyasint"`
	Stamp   uint64    `cbor:"5,keyasint"`
	// Signature is by Subscribe.Node, of the fields but for URL.
	Signature []byte `cbor:"6,keyasint" max:"64"`
}

// Subscribed acknowledges subscriptions once they are stored at all owners. It may cover several
// Subscribe messages.
type Subscribed struct {
	Entries []Acknowledged `cbor:"1,keyasint" max:"256"`
}

// Acknowledged is one acknowledged subscription.
type Acknowledged struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Outside string    `cbor:"2,keyasint" max:"512"`
	// Stamp is what the owners hold. Where it is higher than that of the subscriber's node,
	// which has lost its count, the node goes on from there.
	Stamp uint64 `cbor:"3,keyasint"`
	// Version is the channel's latest, so that a subscriber that has missed one asks for it.
	Version uint64 `cbor:"4,keyasint"`
	Count   uint32 `cbor:"5,keyasint"`
	// Refused says that it is not stored, because a bound was reached.
	Refused bool `cbor:"6,keyasint"`
}

// Subscription is one entry of an owner's table. Of two entries of one subscriber and channel
// the one with the higher Stamp holds, of equal ones that with the higher Count; a subscriber's
// node is the only one to stamp them.
type Subscription struct {
	// Node is where the subscriber is reached.
	Node engine.Peer `cbor:"1,keyasint"`
	// Outside is an address outside that Node speaks for ("xmpp:a@b"); empty: the node itself.
	Outside string `cbor:"2,keyasint" max:"512"`
	// Count is how many readers it stands for; 0: none any more. Owners count MaxCount at most.
	Count uint32 `cbor:"3,keyasint"`
	Stamp uint64 `cbor:"4,keyasint"`
	// Age is how many seconds ago it was heard from Node. It is no part of what owners compare.
	Age uint32 `cbor:"5,keyasint"`
	// Signature is by Node: see Wanted.
	Signature []byte `cbor:"6,keyasint" max:"64"`
}

// Copies gives another owner subscriptions that have just come, of several channels. The receiver
// owes a Stored.
type Copies struct {
	Number uint32 `cbor:"1,keyasint"` // the Stored repeats it
	Copies []Copy `cbor:"2,keyasint" max:"128"`
}

// Copy is subscriptions to one channel.
type Copy struct {
	Channel       engine.ID      `cbor:"1,keyasint"`
	URL           string         `cbor:"2,keyasint" max:"2048"`
	Subscriptions []Subscription `cbor:"3,keyasint" max:"64"`
}

// Stored answers Copies and Entries once they are stored.
type Stored struct {
	Number uint32 `cbor:"1,keyasint"`
}

// Orders tells a contact, of channels whose wedge it is in, that it and those below it poll them,
// and when. Sent when something changes; what stays as it is is confirmed by Standing. A member to
// which nobody has confirmed an order for Config.OrdersLast stops.
type Orders struct {
	Orders []Order `cbor:"1,keyasint" max:"256"`
}

// Order is the order to poll one channel.
type Order struct {
	Channel engine.ID `cbor:"1,keyasint"`
	// URL is left out where the receiver should know it; one that does not asks by Unknown.
	URL string `cbor:"2,keyasint" max:"2048"`
	// Bits is the channel's polling level: how many leading bits pollers share with it. The
	// receiver passes the order on to its contacts below those of the sender.
	Bits uint8 `cbor:"3,keyasint"`
	// Stop ends the polling by the receiver and those below it.
	Stop bool `cbor:"4,keyasint"`
	// Start is when the receiver's slot begins, in milliseconds from the sending of the
	// message, and Width how long it is. The receiver polls at its beginning, those below
	// it in the rest, each once every polling interval. Random: both are to be ignored.
	Start  uint32 `cbor:"5,keyasint"`
	Width  uint32 `cbor:"6,keyasint"`
	Random bool   `cbor:"7,keyasint"`
	// Version is the latest; a poller that has an older one asks for it.
	Version uint64 `cbor:"8,keyasint"`
	// Interval is the least time between polls of one node in seconds, where the origin
	// asks for more than the polling interval; Wait is for how long nobody is to poll, in
	// seconds, where it asked for patience.
	Interval uint32 `cbor:"9,keyasint"`
	Wait     uint32 `cbor:"10,keyasint"`
	// Certificate is grants by which the channel can be polled at this level. It is left out
	// where the receiver should have it; one that has not asks by Unknown.
	Certificate []Grant `cbor:"11,keyasint" max:"9"`
}

// Unknown answers Orders of channels whose URL the receiver does not know, or of which it has no
// certificate; the sender owes it those orders with all that belongs to them.
type Unknown struct {
	Channels []engine.ID `cbor:"1,keyasint" max:"256"`
}

// Standing sums up the orders that the receiver has from the sender, so that those that have not
// changed need not be repeated. Sent each maintenance interval, and some time after orders have
// changed. A receiver whose own sum differs sends Repeat.
type Standing struct {
	// Sum is of all these orders: of each, what orderSum makes of channel and level.
	Sum uint64 `cbor:"1,keyasint"`
	// Repeated says that the orders were just sent all: others that the receiver has from
	// the sender no longer hold.
	Repeated bool `cbor:"2,keyasint"`
}

// Repeat asks the sender of a Standing for all orders that it stands for. That one owes them, and
// after them a Standing.
type Repeat struct{}

// Ask asks a contact for its Tally of those that share its first Bits bits.
type Ask struct {
	Bits uint8 `cbor:"1,keyasint"`
	// Sum is that of the Tally that the asker has; 0: none.
	Sum uint64 `cbor:"2,keyasint"`
}

// Tally sums up the nodes that share the sender's first Bits bits, itself included: how many
// they are, and the channels they are primary of, in clusters.
type Tally struct {
	Bits uint8 `cbor:"1,keyasint"`
	// Sum names what follows; where it is that of the Ask, nothing does.
	Sum      uint64              `cbor:"2,keyasint"`
	Nodes    uint32              `cbor:"3,keyasint"`
	Clusters honeycomb.Aggregate `cbor:"4,keyasint"`
}

// Detected tells the primary that a poll found a change. It is routed to the channel; the primary
// owes the finder the update, or the newer one that it has (Update, as to any poller).
type Detected struct {
	Update Update `cbor:"1,keyasint"` // Version is that of Base
	// Held is how the finder was given Base, where it goes round a primary that does not do
	// its work (see around.go); else empty.
	Held Header `cbor:"2,keyasint"`
}

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
	// longer than MaxPayload: then whoever needs it asks the origin.
	Payload []byte `cbor:"10,keyasint" max:"786432"`
	// Seal says who stands for FoundBy and for Version. Base and Payload need nobody: what they
	// make has the hash, or it has not.
	Seal Seal `cbor:"11,keyasint"`
}

// Seal is the signatures of an update; empty where nothing is signed.
type Seal struct {
	// Finder is where FoundBy is reached, and Found its signature; see finding. Both are empty, and
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
	Finding Hash        `cbor:"4,keyasint"` // of what the finder has signed, and its signature; zero: nobody is named
	Giver   engine.Peer `cbor:"5,keyasint"`
	Given   []byte      `cbor:"6,keyasint" max:"64"` // Giver's signature
}

// Equivocation proves that a node has given one number to two contents. Who is sent it, and did
// not know, keeps to it and owes it to the owners of the channel and to its contacts in the wedge.
type Equivocation struct {
	First  Header `cbor:"1,keyasint"`
	Second Header `cbor:"2,keyasint"`
}

// Ahead tells an owner that the sender has a version whose number is higher than the owner's, or
// the same for another content. The owner owes a version above it: now, if the number is signed by
// a node that could be an owner, else when the content changes next.
type Ahead struct {
	Header Header `cbor:"1,keyasint"`
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

// Got acknowledges an Update that the primary sends to subscribers: one that is new, and one that
// is not.
type Got struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Version uint64    `cbor:"2,keyasint"`
}

// Heard tells a finder that the primary has heard of what it found, which makes no new version:
// the content is known, or could not be found true. The finder need not repeat it; it asks for
// the version if that is newer than its own. Without a Hash it answers a Missing that was routed:
// the sender has the version and can be asked for it.
type Heard struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Hash    Hash      `cbor:"2,keyasint"` // of what was found
	Version uint64    `cbor:"3,keyasint"` // the latest
	Quiet   uint32    `cbor:"4,keyasint"` // as in Shared
}

// Verify asks the receiver, by a Verified, about a channel that it polls. With a Hash: whether it has
// reported that it found this content; the ring does not vouch for who sent a Detected. Without:
// what it sees if it polls at once. The primary asks so when somebody has found what it does not
// see itself.
type Verify struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Hash    Hash      `cbor:"2,keyasint"`
}

// Verified tells the hash of what the sender has found or sees; zero: nothing.
type Verified struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Hash    Hash      `cbor:"2,keyasint"`
}

// Limit tells the primary what an origin asked a poller for. It is routed to the channel. The
// primary owes the wedge new orders.
type Limit struct {
	Channel engine.ID `cbor:"1,keyasint"`
	// Wait is for how many seconds nobody is to poll; Interval is the least time between any
	// two polls, in seconds.
	Wait     uint32 `cbor:"2,keyasint"`
	Interval uint32 `cbor:"3,keyasint"`
}

// Digests lets another owner compare what both hold of channels that both should own. The
// receiver owes an answer for each: the same Digest where it holds the same, else Parts.
type Digests struct {
	Digests []Digest `cbor:"1,keyasint" max:"256"`
}

// Digest sums up what an owner holds of one channel.
type Digest struct {
	Channel engine.ID `cbor:"1,keyasint"`
	// Sum is of all subscriptions, those that ended included: equal for equal sets.
	Sum     uint64 `cbor:"2,keyasint"`
	Version uint64 `cbor:"3,keyasint"`
	Stamp   uint64 `cbor:"4,keyasint"` // of the State
	Entries uint32 `cbor:"5,keyasint"` // how many Sum is of
	// Answer says that this answers a Digest, so that nobody owes one in return.
	Answer bool `cbor:"6,keyasint"`
}

// Parts answers a Digest that differs. Subscribers are divided into 2^Bits parts by the first
// bits of a hash; the receiver finds those that differ, and owes what it holds of them, by
// Entries, and a Want for what the sender holds.
type Parts struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Bits    uint8     `cbor:"2,keyasint"`
	Sums    []uint64  `cbor:"3,keyasint" max:"1024"` // by part; none: all are zero
	State   State     `cbor:"4,keyasint"`
}

// Want answers Parts: the receiver owes what it holds of these, by Entries.
type Want struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Bits    uint8     `cbor:"2,keyasint"`
	Parts   []uint16  `cbor:"3,keyasint" max:"1024"`
}

// Entries gives another owner subscriptions of one channel. The receiver keeps of each the one
// with the higher stamp, and owes a Stored.
type Entries struct {
	Channel       engine.ID      `cbor:"1,keyasint"`
	URL           string         `cbor:"2,keyasint" max:"2048"`
	Subscriptions []Subscription `cbor:"3,keyasint" max:"1024"`
	// State is what owners know of the channel besides.
	State  State  `cbor:"4,keyasint"`
	Number uint32 `cbor:"5,keyasint"` // the Stored repeats it
}

// State is what owners of a channel know of it besides subscriptions. Of two the one with the
// higher Version, then Stamp, holds.
type State struct {
	Version  uint64  `cbor:"1,keyasint"`
	Stamp    uint64  `cbor:"2,keyasint"`
	Hash     Hash    `cbor:"3,keyasint"`
	Size     uint32  `cbor:"4,keyasint"` // bytes
	Interval float64 `cbor:"5,keyasint"` // estimated seconds between updates
	Bits     uint8   `cbor:"6,keyasint"` // the polling level
	// Slot is when the channel's first slot begins, in milliseconds from the sending of the
	// message, so that polls stay where they are when the primary changes.
	Slot uint32 `cbor:"7,keyasint"`
	// Age is for how many seconds the version has been the latest.
	Age uint32 `cbor:"8,keyasint"`
	// Recent are the starts of hashes of earlier versions, the latest last.
	Recent []uint64 `cbor:"9,keyasint" max:"16"`
	// Wait and Least are what the origin asked for, as Wait and Interval of Limit.
	Wait  uint32 `cbor:"10,keyasint"`
	Least uint32 `cbor:"11,keyasint"`
	// Watched is for how many polling intervals the channel has been watched, those long ago
	// counting less: what Interval is estimated from.
	Watched float64 `cbor:"12,keyasint"`
}

// Missing asks for what leads from the content that the asker has to the latest version: of the
// member that gave the order, of an owner (routed), or of the primary. Who has it answers by an
// Update.
type Missing struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Base    Hash      `cbor:"2,keyasint"`
	Version uint64    `cbor:"3,keyasint"` // what the asker has
}

// Commit tells the other owners of a version before anybody else hears of it, so that its number
// is not given twice. They owe a Committed.
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

// Inquire asks the primary of channels how they are polled. Sent by a subscriber's node, for people.
// The receiver owes Facts of those channels that it is the primary of and has polled.
type Inquire struct {
	Channels []engine.ID `cbor:"1,keyasint" max:"256"`
}

// Facts answers Inquire.
type Facts struct {
	Facts []Fact `cbor:"1,keyasint" max:"256"`
}

// Fact is how one channel is polled, by its primary's word.
type Fact struct {
	Channel engine.ID `cbor:"1,keyasint"`
	// Readers are all that owners count, Pollers the nodes of the wedge, as far as they have been
	// counted: at least 1.
	Readers uint32 `cbor:"2,keyasint"`
	Pollers uint32 `cbor:"3,keyasint"`
	// Bits is the polling level.
	Bits uint8 `cbor:"4,keyasint"`
	// Interval is the time between two polls of one poller in milliseconds, longer than the
	// network's where the origin asks for that; above zero.
	Interval uint32 `cbor:"5,keyasint"`
	// Update is the estimated mean time between updates, in seconds.
	Update uint32 `cbor:"6,keyasint"`
	// Detection is the mean detection time to expect of so many pollers, in milliseconds.
	Detection uint32 `cbor:"7,keyasint"`
}

// AskTerms asks a neighbour or a contact by which terms it goes. The receiver owes it Terms.
type AskTerms struct{}

// Terms answers AskTerms: by what its sender goes, and whether it has agreed on that with others. See
// Agreement.
type Terms struct {
	Goal        uint8  `cbor:"1,keyasint"` // of honeycomb.Policy
	Target      uint32 `cbor:"2,keyasint"` // of honeycomb.Policy, in milliseconds
	Interval    uint32 `cbor:"3,keyasint"` // in milliseconds
	Maintenance uint32 `cbor:"4,keyasint"` // in milliseconds
	// Since is when these terms were set, in milliseconds since 1970.
	Since   uint64 `cbor:"5,keyasint"`
	Settled bool   `cbor:"6,keyasint"`
}

// Claims asks the owners of a host for leave to have channels of it polled: sent by the primary of the
// channels, routed to the host's key, handed on to its owners, or to owners that it knows. Those owe
// Grants, or an Ask for what they have no proof of.
type Claims struct {
	Host engine.ID   `cbor:"1,keyasint"` // its key
	Node engine.Peer `cbor:"2,keyasint"` // the primary: hearsay
	// Handed says that the receiver is meant as an owner, and need not hand it on.
	Handed bool    `cbor:"3,keyasint"`
	Claims []Claim `cbor:"4,keyasint" max:"64"`
}

// Claim is of one channel.
type Claim struct {
	URL string `cbor:"1,keyasint" max:"2048"`
	// Readers is how many the channel has.
	Readers uint32 `cbor:"2,keyasint"`
	// Bits is the polling level that the primary would choose, and Pollers how many nodes poll
	// then, as far as it knows.
	Bits    uint8  `cbor:"3,keyasint"`
	Pollers uint32 `cbor:"4,keyasint"`
	// Wait is for how many seconds the host asked to be left in peace.
	Wait uint32 `cbor:"5,keyasint"`
}

// AskProof asks a primary for proof of readers, by Proofs.
type AskProof struct {
	Host engine.ID `cbor:"1,keyasint"`
	Asks []AskFor  `cbor:"2,keyasint" max:"64"`
}

// AskFor is of one channel.
type AskFor struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Nonce   uint64    `cbor:"2,keyasint"` // says which subscriptions are to prove it; see sampleSize
}

// Proof claims a channel with proof of its readers. The receiver owes Grants.
type Proof struct {
	Host          engine.ID      `cbor:"1,keyasint"`
	Claim         Claim          `cbor:"2,keyasint"`
	Nonce         uint64         `cbor:"3,keyasint"`
	Subscriptions []Subscription `cbor:"4,keyasint" max:"64"` // signed
}

// Grants tells a primary what an owner of a host has granted its channels.
type Grants struct {
	Host   engine.ID `cbor:"1,keyasint"`
	Grants []Grant   `cbor:"2,keyasint" max:"64"`
	// Wait is for how many seconds the host is to be left in peace, as at least two primaries have
	// said; 0: nothing is known.
	Wait uint32 `cbor:"3,keyasint"`
}

// Grant lets a channel be polled by the nodes that share so many first bits with it.
type Grant struct {
	// Owner is who has granted it; zero: who sends the message.
	Owner engine.Peer `cbor:"1,keyasint"`
	// Channel is left out in a certificate.
	Channel engine.ID `cbor:"2,keyasint"`
	// Bits is the least polling level.
	Bits uint8 `cbor:"3,keyasint"`
	// Every is the least time between two polls of a primary that polls alone, in seconds; 0:
	// the polling interval.
	Every uint32 `cbor:"4,keyasint"`
	// Until is when the grant ends, in seconds since 1970.
	Until int64 `cbor:"5,keyasint"`
	// Signature is by Owner.
	Signature []byte `cbor:"6,keyasint" max:"64"`
}

// Vocabulary is all that Corona says.
var Vocabulary = engine.Vocabulary{Protocol: engine.Corona, Name: "corona", Messages: []engine.MessageType{
	{Message: new(Subscribe), Class: engine.Update},
	{Message: new(Subscribed), Class: engine.Update},
	{Message: new(Copies), Class: engine.Update},
	{Message: new(Stored), Class: engine.Update},
	{Message: new(Digests), Class: engine.Bulk},
	{Message: new(Parts), Class: engine.Bulk},
	{Message: new(Want), Class: engine.Bulk},
	{Message: new(Entries), Class: engine.Bulk},
	{Message: new(Ask), Class: engine.Bulk},
	{Message: new(Tally), Class: engine.Bulk},
	{Message: new(Orders), Class: engine.Update},
	{Message: new(Unknown), Class: engine.Update},
	{Message: new(Update), Class: engine.Update},
	{Message: new(Missing), Class: engine.Update},
	{Message: new(Commit), Class: engine.Control},
	{Message: new(Committed), Class: engine.Control},
	{Message: new(Detected), Class: engine.Update},
	{Message: new(Shared), Class: engine.Update},
	{Message: new(Got), Class: engine.Update},
	{Message: new(Heard), Class: engine.Update},
	{Message: new(Verify), Class: engine.Update},
	{Message: new(Verified), Class: engine.Update},
	{Message: new(Limit), Class: engine.Update},
	{Message: new(Standing), Class: engine.Update},
	{Message: new(Repeat), Class: engine.Update},
	{Message: new(Inquire), Class: engine.Bulk},
	{Message: new(Facts), Class: engine.Bulk},
	{Message: new(Ahead), Class: engine.Update},
	{Message: new(Equivocation), Class: engine.Control},
	{Message: new(AskTerms), Class: engine.Control},
	{Message: new(Terms), Class: engine.Control},
	{Message: new(Claims), Class: engine.Update},
	{Message: new(AskProof), Class: engine.Update},
	{Message: new(Proof), Class: engine.Bulk},
	{Message: new(Grants), Class: engine.Update},
}}

// Kind returns the number of Subscribe.
func (*Subscribe) Kind() engine.Kind { return engine.KindOf(engine.Corona, 1) }

// Kind returns the number of Subscribed.
func (*Subscribed) Kind() engine.Kind { return engine.KindOf(engine.Corona, 2) }

// Kind returns the number of Digests.
func (*Digests) Kind() engine.Kind { return engine.KindOf(engine.Corona, 3) }

// Kind returns the number of Entries.
func (*Entries) Kind() engine.Kind { return engine.KindOf(engine.Corona, 4) }

// Kind returns the number of Ask.
func (*Ask) Kind() engine.Kind { return engine.KindOf(engine.Corona, 5) }

// Kind returns the number of Tally.
func (*Tally) Kind() engine.Kind { return engine.KindOf(engine.Corona, 6) }

// Kind returns the number of Orders.
func (*Orders) Kind() engine.Kind { return engine.KindOf(engine.Corona, 7) }

// Kind returns the number of Unknown.
func (*Unknown) Kind() engine.Kind { return engine.KindOf(engine.Corona, 8) }

// Kind returns the number of Update.
func (*Update) Kind() engine.Kind { return engine.KindOf(engine.Corona, 9) }

// Kind returns the number of Missing.
func (*Missing) Kind() engine.Kind { return engine.KindOf(engine.Corona, 10) }

// Kind returns the number of Commit.
func (*Commit) Kind() engine.Kind { return engine.KindOf(engine.Corona, 11) }

// Kind returns the number of Committed.
func (*Committed) Kind() engine.Kind { return engine.KindOf(engine.Corona, 12) }

// Kind returns the number of Detected.
func (*Detected) Kind() engine.Kind { return engine.KindOf(engine.Corona, 13) }

// Kind returns the number of Copies.
func (*Copies) Kind() engine.Kind { return engine.KindOf(engine.Corona, 14) }

// Kind returns the number of Stored.
func (*Stored) Kind() engine.Kind { return engine.KindOf(engine.Corona, 15) }

// Kind returns the number of Parts.
func (*Parts) Kind() engine.Kind { return engine.KindOf(engine.Corona, 16) }

// Kind returns the number of Want.
func (*Want) Kind() engine.Kind { return engine.KindOf(engine.Corona, 17) }

// Kind returns the number of Standing.
func (*Standing) Kind() engine.Kind { return engine.KindOf(engine.Corona, 20) }

// Kind returns the number of Repeat.
func (*Repeat) Kind() engine.Kind { return engine.KindOf(engine.Corona, 21) }

// Kind returns the number of Shared.
func (*Shared) Kind() engine.Kind { return engine.KindOf(engine.Corona, 30) }

// Kind returns the number of Got.
func (*Got) Kind() engine.Kind { return engine.KindOf(engine.Corona, 31) }

// Kind returns the number of Heard.
func (*Heard) Kind() engine.Kind { return engine.KindOf(engine.Corona, 32) }

// Kind returns the number of Verify.
func (*Verify) Kind() engine.Kind { return engine.KindOf(engine.Corona, 33) }

// Kind returns the number of Verified.
func (*Verified) Kind() engine.Kind { return engine.KindOf(engine.Corona, 34) }

// Kind returns the number of Limit.
func (*Limit) Kind() engine.Kind { return engine.KindOf(engine.Corona, 35) }

// Kind returns the number of Inquire.
func (*Inquire) Kind() engine.Kind { return engine.KindOf(engine.Corona, 40) }

// Kind returns the number of Facts.
func (*Facts) Kind() engine.Kind { return engine.KindOf(engine.Corona, 41) }

// Kind returns the number of Ahead.
func (*Ahead) Kind() engine.Kind { return engine.KindOf(engine.Corona, 60) }

// Kind returns the number of Equivocation.
func (*Equivocation) Kind() engine.Kind { return engine.KindOf(engine.Corona, 61) }

// Kind returns the number of AskTerms.
func (*AskTerms) Kind() engine.Kind { return engine.KindOf(engine.Corona, 42) }

// Kind returns the number of Terms.
func (*Terms) Kind() engine.Kind { return engine.KindOf(engine.Corona, 43) }

// Kind returns the number of Claims.
func (*Claims) Kind() engine.Kind { return engine.KindOf(engine.Corona, 50) }

// Kind returns the number of AskProof.
func (*AskProof) Kind() engine.Kind { return engine.KindOf(engine.Corona, 51) }

// Kind returns the number of Proof.
func (*Proof) Kind() engine.Kind { return engine.KindOf(engine.Corona, 52) }

// Kind returns the number of Grants.
func (*Grants) Kind() engine.Kind { return engine.KindOf(engine.Corona, 53) }
