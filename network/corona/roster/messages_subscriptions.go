package roster

import "tidings/network/engine"

// Subscribe asks owners of channels to count subscriptions, or no longer. It is routed to the first channel, which is
// close to the others, or sent to their previous primary. The receiver owes Node a Subscribed for those that it is the
// primary of, and passes the others on.
type Subscribe struct {
	Node   engine.Peer `cbor:"1,keyasint"` // the subscribers' node, unverified
	Wanted []Wanted    `cbor:"2,keyasint" max:"64"`
	Hops   uint8       `cbor:"3,keyasint"` // how often it was passed on; see maxPassed
}

// Kind returns the number of Subscribe.
func (*Subscribe) Kind() engine.Kind { return engine.KindOf(engine.Corona, 1) }

// Wanted is one subscription of a Subscribe; see Subscription for its fields.
type Wanted struct {
	Channel   engine.ID `cbor:"1,keyasint"`
	URL       string    `cbor:"2,keyasint" max:"2048"` // canonical
	Outside   string    `cbor:"3,keyasint" max:"512"`
	Count     uint32    `cbor:"4,keyasint"`
	Stamp     uint64    `cbor:"5,keyasint"`
	Signature []byte    `cbor:"6,keyasint" max:"64"` // by Subscribe.Node, of the fields except URL and Renewed
	// Renewed says that all owners have acknowledged this Count, and nothing else since: an earlier change may still be
	// on its way to them unless they have.
	Renewed bool `cbor:"7,keyasint"`
}

// Subscribed acknowledges subscriptions once they are stored at all owners. It may cover several Subscribe messages.
type Subscribed struct {
	Entries []Acknowledged `cbor:"1,keyasint" max:"256"`
}

// Kind returns the number of Subscribed.
func (*Subscribed) Kind() engine.Kind { return engine.KindOf(engine.Corona, 2) }

// Acknowledged is one acknowledged subscription.
type Acknowledged struct {
	Channel engine.ID `cbor:"1,keyasint"`
	Outside string    `cbor:"2,keyasint" max:"512"`
	// Stamp is the owners' stamp. If it is higher than that of the subscriber's node, which has lost its count, the
	// node continues from there.
	Stamp   uint64 `cbor:"3,keyasint"`
	Version uint64 `cbor:"4,keyasint"` // the latest, so that a subscriber that has missed one requests it
	Count   uint32 `cbor:"5,keyasint"`
	Refused bool   `cbor:"6,keyasint"` // it is not stored, because a bound was reached
	// a tree of the network's router carries versions, which the subscriber's node is to join
	Routed bool `cbor:"7,keyasint"`
}

// Subscription is one entry of an owner's table. Of two entries of one subscriber and channel the one with the higher
// Stamp holds, of equal stamps the one with the higher Count. Only a subscriber's node stamps them.
type Subscription struct {
	Node engine.Peer `cbor:"1,keyasint"` // where the subscriber is reached
	// an address outside that Node speaks for ("xmpp:a@b"); empty: the node itself
	Outside   string `cbor:"2,keyasint" max:"512"`
	Count     uint32 `cbor:"3,keyasint"` // number of its readers; 0: it has ended. Owners count at most MaxCount
	Stamp     uint64 `cbor:"4,keyasint"`
	Age       uint32 `cbor:"5,keyasint"`          // seconds since Node last renewed it. Owners do not compare it
	Signature []byte `cbor:"6,keyasint" max:"64"` // by Node: see Wanted
}

// Copies sends another owner new subscriptions, of several channels. The receiver owes a Stored.
type Copies struct {
	Number uint32 `cbor:"1,keyasint"` // the Stored repeats it
	Copies []Copy `cbor:"2,keyasint" max:"128"`
}

// Kind returns the number of Copies.
func (*Copies) Kind() engine.Kind { return engine.KindOf(engine.Corona, 14) }

// Copy holds subscriptions to one channel.
type Copy struct {
	Channel       engine.ID      `cbor:"1,keyasint"`
	URL           string         `cbor:"2,keyasint" max:"2048"`
	Subscriptions []Subscription `cbor:"3,keyasint" max:"64"`
}

// Stored answers Copies and Entries once they are stored.
type Stored struct {
	Number uint32 `cbor:"1,keyasint"`
}

// Kind returns the number of Stored.
func (*Stored) Kind() engine.Kind { return engine.KindOf(engine.Corona, 15) }
