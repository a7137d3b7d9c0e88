package corona

import (
	"time"

	"tidings/network/corona/plan"
	"tidings/network/corona/roster"
	"tidings/network/engine"
)

// owned is what an owner knows of a channel.
type owned struct {
	*roster.Owned

	hash     Hash
	size     uint32 // bytes; 0: unknown
	estimate estimate

	contents *contents // nil as long as there is nothing to remember

	routed bool // a tree carries its versions: all subscribers have been told to join it
	moving bool // they are being told
	// aloof are subscribers that have not acknowledged it, of which the primary knows: they may be in no tree, and are
	// told again with each version, which is sent to them as well.
	aloof     []engine.Peer
	reminding bool // they are being told just now

	announced   bool          // this node has told all subscribers of the tree, as the primary, or is to
	announcedAt time.Duration // when it did last; 0: never
	announcing  engine.Alarm  // when it is to
	untold      []engine.Peer // those that other owners have told it of since
	telling     engine.Alarm  // when these are told

	limit plan.Limits // what the origin asked for
}
