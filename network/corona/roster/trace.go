package roster

import "tidings/network/engine"

// Trace events of a roster, besides machine.LimitHit: values with plain fields.
type (
	// Owns reports that the node owns a channel from now on, as its primary or not. Leaving: others own it, and the
	// node keeps its data until they have it.
	Owns struct {
		Channel          engine.ID
		Primary, Leaving bool
	}

	// Forgotten reports that the node has dropped its record of a channel.
	Forgotten struct{ Channel engine.ID }

	// Expired reports that subscriptions were not renewed in time.
	Expired struct {
		Channel engine.ID
		Entries int
	}

	// Unsigned reports that a subscription was refused, as the node that it names has not signed it.
	Unsigned struct{ Channel, Node engine.ID }

	// Unstored reports that subscriptions were acknowledged although another owner has not confirmed them.
	Unstored struct {
		Owner         engine.Peer
		Subscriptions int
	}

	// Transferred reports that another owner has received what it lacked of a channel.
	Transferred struct {
		Channel engine.ID
		To      engine.Peer
	}

	// Acknowledgement reports that all owners have a subscription of this node.
	Acknowledgement struct {
		Channel engine.ID
		Outside string
		Count   int
		Refused bool   // a bound was reached at an owner; it is repeated later
		Version uint64 // the latest that the owner knows; 0: none
	}
)
