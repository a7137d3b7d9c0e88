package scribe

import "tidings/network/engine"

// Bounds of messages.
const (
	maxRoots   = 9
	maxPath    = 64  // nodes between a member and the root
	maxHave    = 64  // events
	maxTopics  = 256 // in one message
	maxAvoided = 4
)

// Group names a tree: its events are those of Topic; its root is the node closest to Key, such as
// the node that publishes. A zero Key stands for the topic itself.
type Group struct {
	Topic engine.ID `cbor:"1,keyasint"`
	Key   engine.ID `cbor:"2,keyasint"`
}

// Join asks to admit Child as a child. It is routed toward the group's key, and ends at the first
// node that admits it: that one owes Child a Joined, and joins itself if it is not in the
// group (section 3.2). Sent directly, it asks that very node.
type Join struct {
	Group Group       `cbor:"1,keyasint"`
	Child engine.Peer `cbor:"2,keyasint"` // hearsay
	// Have names the latest events that Child has. Since is for how many seconds back it wants what it lacks: the
	// parent sends that.
	Have  []uint64 `cbor:"3,keyasint" max:"64"`
	Since uint32   `cbor:"4,keyasint"`
}

// Detour asks a node to admit Child, or to route the Join on by itself: the way from Child to
// the root leads over a node that it does not trust. The receiver does not use those either.
type Detour struct {
	Join  Join        `cbor:"1,keyasint"`
	Avoid []engine.ID `cbor:"2,keyasint" max:"4"`
	Hops  uint8       `cbor:"3,keyasint"`
}

// Joined says to a child that it is one.
type Joined struct {
	Group Group `cbor:"1,keyasint"`
	// Line names the numbering of the sender's Disseminates to this child, and Sent is how many there
	// have been.
	Line uint32 `cbor:"2,keyasint"`
	Sent uint64 `cbor:"3,keyasint"`
	Path Path   `cbor:"4,keyasint"`
	// Missed is how many Missed follow.
	Missed uint8 `cbor:"5,keyasint"`
}

// Path says to children which nodes are above them: the starts of the IDs of the sender and its ancestors,
// itself first. Rooted: the last is the root. A node that finds itself there is in a circle and
// leaves it.
type Path struct {
	Nodes  []uint64 `cbor:"1,keyasint" max:"64"`
	Rooted bool     `cbor:"2,keyasint"`
}

// Above says to a child that the path has changed.
type Above struct {
	Group Group `cbor:"1,keyasint"`
	Path  Path  `cbor:"2,keyasint"`
}

// Leave says to a parent that the sender is no longer its child, or to a child that it no longer is one.
type Leave struct {
	Groups []Group `cbor:"1,keyasint" max:"256"`
}

// Move has a child become the child of one of its siblings: the sender has too many (section
// 3.4, the bottleneck remover). It stays a child until it leaves, or for a while.
type Move struct {
	Group    Group     `cbor:"1,keyasint"`
	Siblings []Sibling `cbor:"2,keyasint" max:"64"`
}

// Sibling is one of the children of the sender of a Move.
type Sibling struct {
	Peer engine.Peer `cbor:"1,keyasint"`
	RTT  uint32      `cbor:"2,keyasint"` // between it and the sender, in microseconds; 0: not known
}

// Probe asks for a Probed at once: the round trip is measured.
type Probe struct {
	Number uint64 `cbor:"1,keyasint"`
}

// Probed answers a Probe.
type Probed struct {
	Number uint64 `cbor:"1,keyasint"`
}

// Event is one event of a topic. Its source numbers its events of the topic from 1. Stream names the
// numbering: a number that the source has drawn, anew when it has forgotten the last one. Both are
// hearsay.
type Event struct {
	Topic   engine.ID      `cbor:"1,keyasint"`
	Stream  uint64         `cbor:"2,keyasint"`
	Number  uint64         `cbor:"3,keyasint"`
	Payload engine.Message `cbor:"4,keyasint"`
}

// Publish sends an event to a root of a group. It is routed to the key, or sent to roots that are known. Each root that
// accepts it owes the publisher a Taken.
type Publish struct {
	Key   engine.ID   `cbor:"1,keyasint"` // as in Group
	From  engine.Peer `cbor:"2,keyasint"` // the publisher, if it is routed; hearsay
	Event Event       `cbor:"3,keyasint"`
}

// Carried returns what is published.
func (m *Publish) Carried() engine.Message { return m.Event.Payload }

// IHave says that the sender has an event, and that the receiver will soon receive it. Sent to a parent, it says that
// the event need not be sent down to the sender. A root owes the sender a Taken as soon as it has the event. It owes an
// IWant if the event does not come down the tree.
type IHave struct {
	Group Group  `cbor:"1,keyasint"`
	Name  uint64 `cbor:"2,keyasint"` // the digest of the event; see network.Member
}

// IWant asks the publisher for an event of which it sent an IHave. It owes a Publish.
type IWant struct {
	Group Group  `cbor:"1,keyasint"`
	Name  uint64 `cbor:"2,keyasint"`
}

// Taken confirms to the publisher of an event that a root has it. Roots names the roots in two cases where the
// publisher may not know them: it routed the event, or it sent the event unasked to a root that is not the closest.
type Taken struct {
	Group Group         `cbor:"1,keyasint"`
	Name  uint64        `cbor:"2,keyasint"`
	Roots []engine.Peer `cbor:"3,keyasint" max:"9"`
}

// Disseminate sends an event down the tree. All Disseminates from one node to another are numbered, whatever their
// groups. So a lost one shows with the next, or with the next Heartbeat. Without an Event it answers a Resend: the
// sender has it no longer.
type Disseminate struct {
	Line   uint32    `cbor:"1,keyasint"`
	Number uint64    `cbor:"2,keyasint"`
	Key    engine.ID `cbor:"3,keyasint"` // as in Group
	Gone   bool      `cbor:"4,keyasint"`
	Event  Event     `cbor:"5,keyasint"`
}

// Carried returns what is handed down.
func (m *Disseminate) Carried() engine.Message { return m.Event.Payload }

// Resend requests Disseminates from a parent that did not arrive. Counting down from Last, they are the ones with a set
// bit in Missing; bit 0 stands for Last.
type Resend struct {
	Line    uint32 `cbor:"1,keyasint"`
	Last    uint64 `cbor:"2,keyasint"`
	Missing uint64 `cbor:"3,keyasint"`
}

// Heard acknowledges to a parent all its Disseminates up to Last. The sender requests those that it misses by a Resend,
// which acknowledges as much.
type Heard struct {
	Line uint32 `cbor:"1,keyasint"`
	Last uint64 `cbor:"2,keyasint"`
}

// Heartbeat says to a child, every Config.Heartbeat, that its parent is there, and how many Disseminates it has sent.
// Sum is of the hashes of the groups in which the parent has the receiver as a child. The receiver sends its Groups if
// Sum differs from what it knows. Unheard says that the parent has no Heard for its latest Disseminate; then the
// receiver owes one.
type Heartbeat struct {
	Line uint32 `cbor:"1,keyasint"`
	Sent uint64 `cbor:"2,keyasint"`
	Sum  uint64 `cbor:"3,keyasint"`

	Unheard bool `cbor:"4,keyasint"`
}

// Groups says to a parent in which groups the sender is its child. Of the topics between First and Last these are all.
// The receiver drops the other groups. It names groups that it does not know in a Leave.
type Groups struct {
	First  engine.ID `cbor:"1,keyasint"`
	Last   engine.ID `cbor:"2,keyasint"`
	Groups []Group   `cbor:"3,keyasint" max:"256"`
}

// Ask asks which nodes the roots of a group are. It is routed toward the key, over a random node first;
// a node that knows for sure owes Asker a Roots.
type Ask struct {
	Group Group       `cbor:"1,keyasint"`
	Asker engine.Peer `cbor:"2,keyasint"` // hearsay
	Start bool        `cbor:"3,keyasint"` // the receiver is to route it
}

// Roots answers an Ask, closest first.
type Roots struct {
	Group Group         `cbor:"1,keyasint"`
	Roots []engine.Peer `cbor:"2,keyasint" max:"9"`
}

// Compare asks for the events that the sender lacks, as Missed, and a Compared at their end.
type Compare struct {
	Group Group    `cbor:"1,keyasint"`
	Have  []uint64 `cbor:"2,keyasint" max:"64"` // as in Join
	Since uint32   `cbor:"3,keyasint"`          // as in Join
}

// Compared answers a Compare: so many Missed have been sent.
type Compared struct {
	Group  Group  `cbor:"1,keyasint"`
	Missed uint8  `cbor:"2,keyasint"`
	Again  uint32 `cbor:"3,keyasint"` // after how many seconds to ask again, at least
}

// Missed is an event that the receiver lacks.
type Missed struct {
	Key   engine.ID `cbor:"1,keyasint"` // as in Group
	Age   uint32    `cbor:"2,keyasint"` // for how many milliseconds the sender has had it
	Event Event     `cbor:"3,keyasint"`
}

// Carried returns what was missed.
func (m *Missed) Carried() engine.Message { return m.Event.Payload }

// Vocabulary is all that Scribe says.
var Vocabulary = engine.Vocabulary{Protocol: engine.Scribe, Name: "scribe", Messages: []engine.MessageType{
	{Message: new(Join), Class: engine.Control},
	{Message: new(Detour), Class: engine.Control},
	{Message: new(Joined), Class: engine.Control},
	{Message: new(Above), Class: engine.Control},
	{Message: new(Leave), Class: engine.Control},
	{Message: new(Move), Class: engine.Control},
	{Message: new(Probe), Class: engine.Control},
	{Message: new(Probed), Class: engine.Control},
	{Message: new(Publish), Class: engine.Update},
	{Message: new(IHave), Class: engine.Update},
	{Message: new(IWant), Class: engine.Update},
	{Message: new(Taken), Class: engine.Update},
	{Message: new(Disseminate), Class: engine.Update},
	{Message: new(Resend), Class: engine.Update},
	{Message: new(Heard), Class: engine.Control},
	{Message: new(Heartbeat), Class: engine.Control},
	{Message: new(Groups), Class: engine.Control},
	{Message: new(Ask), Class: engine.Bulk},
	{Message: new(Roots), Class: engine.Bulk},
	{Message: new(Compare), Class: engine.Bulk},
	{Message: new(Compared), Class: engine.Bulk},
	{Message: new(Missed), Class: engine.Update},
}}

// Kind returns the number of Join.
func (*Join) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 1) }

// Kind returns the number of Detour.
func (*Detour) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 2) }

// Kind returns the number of Joined.
func (*Joined) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 3) }

// Kind returns the number of Above.
func (*Above) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 4) }

// Kind returns the number of Leave.
func (*Leave) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 5) }

// Kind returns the number of Move.
func (*Move) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 6) }

// Kind returns the number of Probe.
func (*Probe) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 7) }

// Kind returns the number of Probed.
func (*Probed) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 8) }

// Kind returns the number of Publish.
func (*Publish) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 10) }

// Kind returns the number of Taken.
func (*Taken) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 11) }

// Kind returns the number of Disseminate.
func (*Disseminate) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 12) }

// Kind returns the number of Resend.
func (*Resend) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 13) }

// Kind returns the number of Heartbeat.
func (*Heartbeat) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 14) }

// Kind returns the number of Groups.
func (*Groups) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 15) }

// Kind returns the number of Heard.
func (*Heard) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 18) }

// Kind returns the number of IHave.
func (*IHave) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 16) }

// Kind returns the number of IWant.
func (*IWant) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 17) }

// Kind returns the number of Ask.
func (*Ask) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 20) }

// Kind returns the number of Roots.
func (*Roots) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 21) }

// Kind returns the number of Compare.
func (*Compare) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 22) }

// Kind returns the number of Compared.
func (*Compared) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 23) }

// Kind returns the number of Missed.
func (*Missed) Kind() engine.Kind { return engine.KindOf(engine.Scribe, 24) }
