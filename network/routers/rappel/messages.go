package rappel

import (
	"slices"

	"tidings/network/engine"
	"tidings/network/routers/rappel/interest"
	"tidings/network/routers/rappel/window"
	"tidings/network/vivaldi"
)

// Bounds of messages.
const (
	maxChain    = 64  // ancestors
	maxFriends  = 16  // in one set
	maxEdges    = 128 // trees in one Ping
	maxChildren = 16  // that a Ping names
	maxAvoided  = 4
	maxOthers   = 4 // nodes to which a JoinForward sends besides
)

// Join asks to become the receiver's child in a topic's tree (section 4.2). It owes a JoinOK, JoinForward or JoinDeny.
type Join struct {
	Topic      engine.ID          `cbor:"1,keyasint"`
	Attempt    uint32             `cbor:"2,keyasint"` // repeated in the answer
	Coordinate vivaldi.Coordinate `cbor:"3,keyasint"`
	Have       window.Have        `cbor:"4,keyasint"`
	// Better, if not 0, refuses a place with a path from the root that is not shorter, in microseconds.
	Better uint32 `cbor:"5,keyasint"`
	// Avoid names nodes that the sender does not want to be sent to.
	Avoid []engine.ID `cbor:"6,keyasint" max:"4"`
	// Gentle refuses a place that another would have to leave.
	Gentle bool `cbor:"7,keyasint"`
}

// Place says where its sender stands in a topic's tree.
type Place struct {
	// Version is drawn at first and grows whenever what follows changes.
	Version uint32 `cbor:"1,keyasint"`
	// Chain is the sender's ancestors, its parent first, the root last; empty at the root.
	Chain []engine.Peer `cbor:"2,keyasint" max:"64"`
	// Self and Root are the coordinates of the sender and of the root.
	Self vivaldi.Coordinate `cbor:"3,keyasint"`
	Root vivaldi.Coordinate `cbor:"4,keyasint"`
	// Path is how long the way from the root to the sender is, in coordinates: microseconds of round trip.
	Path uint32 `cbor:"5,keyasint"`
}

// JoinOK admits the receiver as a child. The updates that it lacks follow; all that the sender keeps, if it has none.
type JoinOK struct {
	Topic   engine.ID `cbor:"1,keyasint"`
	Attempt uint32    `cbor:"2,keyasint"`
	Place   Place     `cbor:"3,keyasint"`
	// Epoch and Last are of the latest update that the sender knows of. A new member begins behind First.
	Epoch uint64 `cbor:"4,keyasint"`
	Last  uint64 `cbor:"5,keyasint"`
	First uint64 `cbor:"6,keyasint"`
}

// JoinForward sends a joining node on.
type JoinForward struct {
	Topic   engine.ID   `cbor:"1,keyasint"`
	Attempt uint32      `cbor:"2,keyasint"`
	To      engine.Peer `cbor:"3,keyasint"` // hearsay
	// Others can be asked for a better place than the joining node has, if To has none.
	Others []engine.Peer `cbor:"4,keyasint" max:"4"`
}

// Reasons of a JoinDeny.
const (
	NotMember uint8 = iota + 1 // the sender has not joined the topic: its filter is false, or stale
	Detached                   // the sender has no parent itself
	Ancestor                   // the receiver is above the sender
	NoBetter                   // the way from the root would be no shorter
	Full                       // no room here, and none below that the receiver does not avoid
	Invalid                    // the coordinate is none
)

// JoinDeny refuses a child.
type JoinDeny struct {
	Topic   engine.ID `cbor:"1,keyasint"`
	Attempt uint32    `cbor:"2,keyasint"`
	Why     uint8     `cbor:"3,keyasint"`
}

// Leave ends an edge of a tree: of the sender, a child, to its parent; or, with Child, of a parent to a child.
type Leave struct {
	Topic engine.ID `cbor:"1,keyasint"`
	Child bool      `cbor:"2,keyasint"` // the receiver is no longer a child
	// Forgot says that the sender was not the receiver's child to its knowledge, and has no children: it has started
	// anew.
	Forgot bool `cbor:"3,keyasint"`
}

// ChangeParent makes a child find its place at another node. It was evicted (figure 4d), or its parent leaves (section
// 4.4). The child answers by Leave when it has a new parent.
type ChangeParent struct {
	Topic engine.ID   `cbor:"1,keyasint"`
	To    engine.Peer `cbor:"2,keyasint"` // hearsay
}

// Replace announces to a parent that the sender is about to leave, and that Child will join in its place. Child is
// admitted even if there is no room (section 4.4).
type Replace struct {
	Topic engine.ID   `cbor:"1,keyasint"`
	Child engine.Peer `cbor:"2,keyasint"` // hearsay
}

// Orphaned calls the children of a child that does not answer any more to the sender, its parent.
type Orphaned struct {
	Topic engine.ID `cbor:"1,keyasint"`
	Dead  engine.ID `cbor:"2,keyasint"`
}

// Versions are of what others keep of a node: its filter and its coordinate (section 3.4).
type Versions struct {
	Filter     uint32 `cbor:"1,keyasint"`
	Coordinate uint32 `cbor:"2,keyasint"`
}

// Edge is a tree in which the sender of a Ping is the receiver's child.
type Edge struct {
	Topic   engine.ID `cbor:"1,keyasint"`
	Version uint32    `cbor:"2,keyasint"` // of the receiver's Place as it is known
	Epoch   uint64    `cbor:"3,keyasint"` // of the latest update known
	Last    uint64    `cbor:"4,keyasint"`
	// Children are the sender's, if Family: they have changed.
	Family   bool          `cbor:"5,keyasint"`
	Children []engine.Peer `cbor:"6,keyasint" max:"16"`
}

// Ping asks a neighbour whether it is alive: a friend, a parent or both (sections 3.3, 4.1). It owes an Ack at once.
type Ping struct {
	Number uint32 `cbor:"1,keyasint"` // drawn, so that nobody can answer before it came
	// Fan says that the receiver is a friend of the sender.
	Fan      bool     `cbor:"2,keyasint"`
	Versions Versions `cbor:"3,keyasint"`
	// Set is the version of the sender's friends set. Told says that Friends is the set, because it was not sent
	// before.
	Set     uint32        `cbor:"4,keyasint"`
	Told    bool          `cbor:"5,keyasint"`
	Friends []engine.Peer `cbor:"6,keyasint" max:"16"`
	// Known is the version of the receiver's friends set that the sender has.
	Known uint32 `cbor:"7,keyasint"`
	Edges []Edge `cbor:"8,keyasint" max:"128"`
	// Needed says, with Fan, that no other friend of the sender covers all that the receiver does.
	Needed bool `cbor:"9,keyasint"`
}

// News is what a parent knows of a tree and its child did not. If its place has changed, a Placed follows.
type News struct {
	Topic engine.ID `cbor:"1,keyasint"`
	// Gone says that the receiver is no child of the sender.
	Gone  bool   `cbor:"2,keyasint"`
	Epoch uint64 `cbor:"3,keyasint"`
	Last  uint64 `cbor:"4,keyasint"`
}

// Placed announces to a child that its parent's place has changed.
type Placed struct {
	Topic engine.ID `cbor:"1,keyasint"`
	Place Place     `cbor:"2,keyasint"`
}

// Ack answers a Ping.
type Ack struct {
	Number   uint32        `cbor:"1,keyasint"`
	Versions Versions      `cbor:"2,keyasint"`
	Set      uint32        `cbor:"3,keyasint"` // as in Ping
	Told     bool          `cbor:"4,keyasint"`
	Friends  []engine.Peer `cbor:"5,keyasint" max:"16"`
	// NoFriend says that the receiver is no fan of the sender.
	NoFriend bool   `cbor:"6,keyasint"`
	News     []News `cbor:"7,keyasint" max:"128"`
}

// ProfileRequest asks for a Profile.
type ProfileRequest struct {
	Number uint32 `cbor:"1,keyasint"`
}

// Profile is what others keep of its sender.
type Profile struct {
	Number     uint32               `cbor:"1,keyasint"`
	Versions   Versions             `cbor:"2,keyasint"`
	Filter     [interest.Bytes]byte `cbor:"3,keyasint"`
	Coordinate vivaldi.Coordinate   `cbor:"4,keyasint"`
}

// FriendRequest asks the receiver to be the sender's friend: to have the sender for a fan (section 3.4). It owes a
// FriendReply.
type FriendRequest struct {
	Number   uint32   `cbor:"1,keyasint"`
	Versions Versions `cbor:"2,keyasint"`
	Needed   bool     `cbor:"3,keyasint"` // as in Ping
}

// FriendReply grants or denies friendship, and names the sender's friends.
type FriendReply struct {
	Number   uint32        `cbor:"1,keyasint"`
	OK       bool          `cbor:"2,keyasint"`
	Versions Versions      `cbor:"3,keyasint"`
	Set      uint32        `cbor:"4,keyasint"` // as in Ping
	Friends  []engine.Peer `cbor:"5,keyasint" max:"16"`
}

// Unfriend ends what a FriendReply began: of a fan, to its friend.
type Unfriend struct{}

// Update carries an event down the tree, or answers a Pull.
type Update struct {
	Topic engine.ID      `cbor:"1,keyasint"`
	Stamp window.Stamp   `cbor:"2,keyasint"`
	Event engine.Message `cbor:"3,keyasint"`
}

// Carried returns the event.
func (m *Update) Carried() engine.Message { return m.Event }

// Void goes down the tree at intervals and says which update was the latest: the void update of section 4.1.
type Void struct {
	Topic engine.ID    `cbor:"1,keyasint"`
	Stamp window.Stamp `cbor:"2,keyasint"`
}

// Pull asks an ancestor for the updates that the sender lacks, as Updates, and a Pulled behind them.
type Pull struct {
	Topic engine.ID   `cbor:"1,keyasint"`
	Have  window.Have `cbor:"2,keyasint"`
}

// Pulled answers a Pull: so many Updates were sent.
type Pulled struct {
	Topic engine.ID `cbor:"1,keyasint"`
	Epoch uint64    `cbor:"2,keyasint"` // of the latest update that the sender knows of
	Last  uint64    `cbor:"3,keyasint"`
	Sent  uint8     `cbor:"4,keyasint"`
	// Gone says that the sender has nothing to do with the topic.
	Gone bool `cbor:"5,keyasint"`
}

// Publish gives an event to the root (section 2: secondary publishers). It owes a Published.
type Publish struct {
	Topic engine.ID      `cbor:"1,keyasint"`
	Event engine.Message `cbor:"2,keyasint"`
}

// Carried returns the event.
func (m *Publish) Carried() engine.Message { return m.Event }

// Taken confirms to a publisher that the root has numbered its event, or reports that it is Refused.
type Taken struct {
	Topic   engine.ID `cbor:"1,keyasint"`
	Digest  uint64    `cbor:"2,keyasint"`
	Refused bool      `cbor:"3,keyasint"`
}

// Vocabulary is all that Rappel says.
var Vocabulary = engine.Vocabulary{Protocol: engine.Rappel, Name: "rappel", Messages: slices.Concat(
	of(engine.Control, new(Join), new(JoinOK), new(JoinForward), new(JoinDeny), new(Leave), new(ChangeParent),
		new(Replace),
		new(Orphaned), new(Ping), new(Ack), new(Placed)),
	of(engine.Bulk, new(ProfileRequest), new(Profile), new(FriendRequest), new(FriendReply), new(Unfriend)),
	of(engine.Update, new(Update), new(Void), new(Pull), new(Pulled), new(Publish), new(Taken)),
)}

func of(class engine.Class, messages ...engine.Message) (list []engine.MessageType) {
	for _, m := range messages {
		list = append(list, engine.MessageType{Message: m, Class: class})
	}
	return list
}

// Kind returns the number that the type has on the wire, once for all.
func (*Join) Kind() engine.Kind           { return engine.KindOf(engine.Rappel, 1) }
func (*JoinOK) Kind() engine.Kind         { return engine.KindOf(engine.Rappel, 2) }
func (*JoinForward) Kind() engine.Kind    { return engine.KindOf(engine.Rappel, 3) }
func (*JoinDeny) Kind() engine.Kind       { return engine.KindOf(engine.Rappel, 4) }
func (*Leave) Kind() engine.Kind          { return engine.KindOf(engine.Rappel, 5) }
func (*ChangeParent) Kind() engine.Kind   { return engine.KindOf(engine.Rappel, 6) }
func (*Replace) Kind() engine.Kind        { return engine.KindOf(engine.Rappel, 7) }
func (*Orphaned) Kind() engine.Kind       { return engine.KindOf(engine.Rappel, 8) }
func (*Ping) Kind() engine.Kind           { return engine.KindOf(engine.Rappel, 9) }
func (*Ack) Kind() engine.Kind            { return engine.KindOf(engine.Rappel, 10) }
func (*ProfileRequest) Kind() engine.Kind { return engine.KindOf(engine.Rappel, 11) }
func (*Profile) Kind() engine.Kind        { return engine.KindOf(engine.Rappel, 12) }
func (*FriendRequest) Kind() engine.Kind  { return engine.KindOf(engine.Rappel, 13) }
func (*FriendReply) Kind() engine.Kind    { return engine.KindOf(engine.Rappel, 14) }
func (*Unfriend) Kind() engine.Kind       { return engine.KindOf(engine.Rappel, 15) }
func (*Update) Kind() engine.Kind         { return engine.KindOf(engine.Rappel, 16) }
func (*Void) Kind() engine.Kind           { return engine.KindOf(engine.Rappel, 17) }
func (*Pull) Kind() engine.Kind           { return engine.KindOf(engine.Rappel, 18) }
func (*Pulled) Kind() engine.Kind         { return engine.KindOf(engine.Rappel, 19) }
func (*Publish) Kind() engine.Kind        { return engine.KindOf(engine.Rappel, 20) }
func (*Taken) Kind() engine.Kind          { return engine.KindOf(engine.Rappel, 21) }
func (*Placed) Kind() engine.Kind         { return engine.KindOf(engine.Rappel, 22) }

// treeMessage is a message about a topic's tree, between nodes that are in it or want to be.
type treeMessage interface {
	engine.Message
	about() engine.ID
	to(t *tree, from engine.Peer) // has the part of the tree handle it
}

func (m *JoinOK) about() engine.ID       { return m.Topic }
func (m *JoinForward) about() engine.ID  { return m.Topic }
func (m *JoinDeny) about() engine.ID     { return m.Topic }
func (m *Leave) about() engine.ID        { return m.Topic }
func (m *ChangeParent) about() engine.ID { return m.Topic }
func (m *Replace) about() engine.ID      { return m.Topic }
func (m *Orphaned) about() engine.ID     { return m.Topic }
func (m *Placed) about() engine.ID       { return m.Topic }
func (m *Update) about() engine.ID       { return m.Topic }
func (m *Void) about() engine.ID         { return m.Topic }
func (m *Pull) about() engine.ID         { return m.Topic }
func (m *Pulled) about() engine.ID       { return m.Topic }

func (m *JoinOK) to(t *tree, from engine.Peer)       { t.seeking.onJoinOK(from, m) }
func (m *JoinForward) to(t *tree, from engine.Peer)  { t.seeking.onJoinForward(from, m) }
func (m *JoinDeny) to(t *tree, from engine.Peer)     { t.seeking.onJoinDeny(from, m) }
func (m *Leave) to(t *tree, from engine.Peer)        { t.onLeave(from, m) }
func (m *ChangeParent) to(t *tree, from engine.Peer) { t.onChangeParent(from, m) }
func (m *Replace) to(t *tree, from engine.Peer)      { t.children.onReplace(from, m) }
func (m *Orphaned) to(t *tree, from engine.Peer)     { t.onOrphaned(from, m) }
func (m *Placed) to(t *tree, from engine.Peer)       { t.onPlaced(from, m) }
func (m *Update) to(t *tree, from engine.Peer)       { t.feed.onUpdate(from, m) }
func (m *Void) to(t *tree, from engine.Peer)         { t.feed.onVoid(from, m) }
func (m *Pull) to(t *tree, from engine.Peer)         { t.feed.onPull(from, m) }
func (m *Pulled) to(t *tree, from engine.Peer)       { t.feed.onPulled(from, m) }
