package roster

import "tidings/network/engine"

// What a roster traces, besides machine.LimitHit: values with plain fields.
type (
	// Owns says that the node owns a channel from now on, as its primary or not. Leaving says that others do, and that the node
	// keeps what it has until they have it.
	Owns struct {
		Channel          engine.ID
		Primary, Leaving bool
	}

	// Forgotten says that the node holds nothing of a channel any more.
	Forgotten struct{ Channel engine.ID }

	// Expired says that subscriptions were not renewed in time.
	Expired struct {
		Channel engine.ID
		Entries int
	}

	// Unsigned says that a subscription was not taken that is not signed by the node that it names.
	Unsigned struct{ Channel, Node engine.ID }

	// Unstored says that subscriptions were acknowledged although another owner has not said that it has them.
	Unstored struct {
		Owner         engine.Peer
		Subscriptions int
	}

	// Transferred says that another owner has got what it lacked of a channel.
	Transferred struct {
		Channel engine.ID
		To      engine.Peer
	}

	// Acknowledgement says that all owners have a subscription of this node.
	Acknowledgement struct {
		Channel engine.ID
		Outside string
		Count   int
		Refused bool   // a bound was reached at an owner; it is asked again later
		Version uint64 // the latest that the owner knows; 0: none
	}
)
