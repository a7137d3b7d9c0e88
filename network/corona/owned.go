package corona

import (
	"time"

	"tidings/network/corona/plan"
	"tidings/network/engine"
)

// owned is what an owner knows of a channel.
type owned struct {
	channel Channel
	readers readers
	// others are the other owners, closest to the channel first, as of the last poll of
	// the ring; rank is how many of them are closer than this node, departed if it is no
	// owner itself any more and keeps what it has until they have it. primary: rank is 0.
	others  []engine.Peer
	rank    int
	primary bool

	// equal has a bit for each of the others who has all that this node had when they last
	// compared; told, for each that has told what it knows but for the subscriptions; informed
	// says that all have, or had time to: before, a primary may not know the latest version.
	equal    uint16
	told     uint16
	informed bool
	far      bool          // the owners are beyond this node's neighbours: it hears of the primary alone
	tries    uint8         // comparisons in a row that somebody did not answer
	waits    uint8         // how often the comparison was put off
	touched  time.Duration // when the table changed last
	compared time.Duration // when the primary, another, asked for a comparison last
	syncDue  time.Duration // when this node compares next
	syncAt   int32         // in the agenda
	at       int           // in the list
	gone     bool          // it is in none any more

	version  uint64
	stamp    uint64 // of State
	hash     Hash
	size     uint32 // bytes; 0: unknown
	estimate estimate

	permit   *permit   // nil unless this node is the primary and the load of hosts is bounded
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

// What rank may be besides.
const (
	departed = -1 // this node is no owner any more
	newcomer = -2 // it has not asked the ring yet
)

func (o *owned) ID() engine.ID { return o.channel.ID }

// leaving reports whether others own the channel.
func (o *owned) leaving() bool { return o.rank == departed }

// AgendaSlot and before are for the agenda of comparisons.
func (o *owned) AgendaSlot() *int32 { return &o.syncAt }

func (o *owned) Before(p *owned) bool {
	if o.syncDue != p.syncDue {
		return o.syncDue < p.syncDue
	}
	return o.channel.ID.Compare(p.channel.ID) < 0
}
