package feedtree

import "tidings/network/engine"

// Bounds of messages.
const (
	maxItems  = 16 // in one answer: as many signatures are checked in about a millisecond
	maxAnswer = 768 << 10
	maxWords  = 4
	maxOthers = 4
)

// Item is one published item of a feed. It goes down the tree, rests in stores, and is requested by nodes that lack it.
// Its topic is that of the event that it is, and part of what is signed.
type Item struct {
	// Number counts the items of the feed from 1. No number is left out, and none is given twice, under any key.
	Number uint64 `cbor:"1,keyasint"`
	// Time is when it was published, in milliseconds since 1970. All that a publisher signs for a
	// topic has a later time than what it signed before; see NextTime.
	Time      int64  `cbor:"2,keyasint"`
	Entry     []byte `cbor:"3,keyasint" max:"524288"` // in the Library's form
	Key       Key    `cbor:"4,keyasint"`
	Signature []byte `cbor:"5,keyasint" max:"64"`
}

// Named is an event of a topic with the address of its channel. It is for a router that, by its content, also delivers
// it to nodes that do not follow the topic. These cannot know the address otherwise.
type Named struct {
	// URL is the channel's address. If it is empty, no other node may learn it. That it is the topic's follows from
	// that.
	URL   string         `cbor:"1,keyasint" max:"2048"`
	Event engine.Message `cbor:"2,keyasint"` // an Item, a Heartbeat, a Rotation or a Revocation
}

// Carried returns the event.
func (m *Named) Carried() engine.Message { return m.Event }

// Fits reports whether a topic is that of the channel and of the key that has signed the event.
func (m *Named) Fits(topic engine.ID) bool {
	s, ok := statementOf(topic, m.Event)
	return ok && (m.URL == "" || topic == TopicOf(engine.IDOf([]byte(m.URL)), s.key.Fingerprint()))
}

// Head is an item without its entry: enough to see that it was signed.
type Head struct {
	Number    uint64 `cbor:"1,keyasint"`
	Time      int64  `cbor:"2,keyasint"`
	Hash      Hash   `cbor:"3,keyasint"`
	Key       Key    `cbor:"4,keyasint"`
	Signature []byte `cbor:"5,keyasint" max:"64"`
}

// Heartbeat says that nothing was published since the item with that Number.
type Heartbeat struct {
	Number uint64 `cbor:"1,keyasint"` // of the last item; 0: there has been none
	Time   int64  `cbor:"2,keyasint"` // as in Item
	// Silence is within how many seconds the next word comes; 0: the publisher promises nothing
	// from now on.
	Silence   uint32 `cbor:"3,keyasint"`
	Key       Key    `cbor:"4,keyasint"`
	Signature []byte `cbor:"5,keyasint" max:"64"`
}

// Rotation announces that a publisher has another key from now on, for all its feeds. The old key has signed the new
// one. The topics change with it, the numbers go on.
type Rotation struct {
	Old       Key    `cbor:"1,keyasint"`
	New       Key    `cbor:"2,keyasint"`
	Time      int64  `cbor:"3,keyasint"`          // as in Item
	Signature []byte `cbor:"4,keyasint" max:"64"` // by Old
}

// Revocation says that a key is void.
type Revocation struct {
	Key       Key    `cbor:"1,keyasint"`
	Time      int64  `cbor:"2,keyasint"` // as in Item
	Signature []byte `cbor:"3,keyasint" max:"64"`
}

// Equivocation proves that a publisher has given one number to two items. A node that learns of it notifies
// its parent and its children in the topic's tree, once.
type Equivocation struct {
	Topic  engine.ID `cbor:"1,keyasint"`
	First  Head      `cbor:"2,keyasint"`
	Second Head      `cbor:"3,keyasint"`
}

// Ask asks a node for items that it should have: a parent, another member, one of the roots. It
// owes an Items.
type Ask struct {
	Topic engine.ID `cbor:"1,keyasint"`
	From  uint64    `cbor:"2,keyasint"`
	To    uint64    `cbor:"3,keyasint"` // the last one that is wanted; 0: the latest
}

// Items answers an Ask with the first of the items that the sender has, as many as fit.
type Items struct {
	Topic engine.ID `cbor:"1,keyasint"`
	From  uint64    `cbor:"2,keyasint"` // as in the Ask
	// Items are each an *Item.
	Items []engine.Message `cbor:"3,keyasint" max:"16"`
	// Words are the latest that the publisher has said: a *Head or *Heartbeat, a *Rotation, a
	// *Revocation, an *Equivocation.
	Words []engine.Message `cbor:"4,keyasint" max:"4"`
	// Others are in the topic's tree too.
	Others []engine.Peer `cbor:"5,keyasint" max:"4"`
}

// Seek asks for nodes that have the item with the number From, or later ones. It is routed toward the topic. The first
// node on the way that has them, or else the root, owes Asker a Has.
type Seek struct {
	Topic engine.ID   `cbor:"1,keyasint"`
	From  uint64      `cbor:"2,keyasint"`
	Asker engine.Peer `cbor:"3,keyasint"` // hearsay: it gets little
	Start bool        `cbor:"4,keyasint"` // the receiver is to route it
}

// Has answers a Seek: the sender can be asked.
type Has struct {
	Topic engine.ID `cbor:"1,keyasint"`
	// Last is the latest item's number; 0: the sender has none, ask Others.
	Last   uint64        `cbor:"2,keyasint"`
	Others []engine.Peer `cbor:"3,keyasint" max:"4"`
}

// Confirm asks which of the items from one number up to another the receiver has. Their publisher's node asks, where
// the router does not say. It is owed a Confirmed if there are any among the first 64 of these numbers.
type Confirm struct {
	Topic engine.ID `cbor:"1,keyasint"`
	From  uint64    `cbor:"2,keyasint"`
	To    uint64    `cbor:"3,keyasint"`
}

// Confirmed answers a Confirm.
type Confirmed struct {
	Topic   engine.ID `cbor:"1,keyasint"`
	Numbers []uint64  `cbor:"2,keyasint" max:"64"`
}

// Vocabulary is all that FeedTree says.
var Vocabulary = engine.Vocabulary{Protocol: engine.FeedTree, Name: "feedtree", Messages: []engine.MessageType{
	{Message: new(Item), Class: engine.Update},
	{Message: new(Head), Class: engine.Control},
	{Message: new(Heartbeat), Class: engine.Control},
	{Message: new(Rotation), Class: engine.Control},
	{Message: new(Revocation), Class: engine.Control},
	{Message: new(Equivocation), Class: engine.Control},
	{Message: new(Ask), Class: engine.Update},
	{Message: new(Items), Class: engine.Bulk},
	{Message: new(Seek), Class: engine.Update},
	{Message: new(Has), Class: engine.Update},
	{Message: new(Confirm), Class: engine.Control},
	{Message: new(Confirmed), Class: engine.Control},
	{Message: new(Named), Class: engine.Update},
}}

// Kind returns the number of Item.
func (*Item) Kind() engine.Kind { return engine.KindOf(engine.FeedTree, 1) }

// Kind returns the number of Head.
func (*Head) Kind() engine.Kind { return engine.KindOf(engine.FeedTree, 2) }

// Kind returns the number of Heartbeat.
func (*Heartbeat) Kind() engine.Kind { return engine.KindOf(engine.FeedTree, 3) }

// Kind returns the number of Rotation.
func (*Rotation) Kind() engine.Kind { return engine.KindOf(engine.FeedTree, 4) }

// Kind returns the number of Revocation.
func (*Revocation) Kind() engine.Kind { return engine.KindOf(engine.FeedTree, 5) }

// Kind returns the number of Equivocation.
func (*Equivocation) Kind() engine.Kind { return engine.KindOf(engine.FeedTree, 6) }

// Kind returns the number of Ask.
func (*Ask) Kind() engine.Kind { return engine.KindOf(engine.FeedTree, 10) }

// Kind returns the number of Items.
func (*Items) Kind() engine.Kind { return engine.KindOf(engine.FeedTree, 11) }

// Kind returns the number of Seek.
func (*Seek) Kind() engine.Kind { return engine.KindOf(engine.FeedTree, 12) }

// Kind returns the number of Has.
func (*Has) Kind() engine.Kind { return engine.KindOf(engine.FeedTree, 13) }

// Kind returns the number of Confirm.
func (*Confirm) Kind() engine.Kind { return engine.KindOf(engine.FeedTree, 14) }

// Kind returns the number of Confirmed.
func (*Confirmed) Kind() engine.Kind { return engine.KindOf(engine.FeedTree, 15) }

// Kind returns the number of Named.
func (*Named) Kind() engine.Kind { return engine.KindOf(engine.FeedTree, 16) }
