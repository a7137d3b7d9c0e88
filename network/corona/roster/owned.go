package roster

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
)

// Owned is an owner's record of a channel.
type Owned struct {
	channel        machine.Channel
	version, stamp uint64 // of the host's State: owners compare them
	readers        readers
	others         []engine.Peer // when the ring was last asked, closest to the channel first; at most 16
	rank           int           // how many of others are closer; departed or newcomer

	// equal has a bit for each of the others that had all of this node's data when they last compared. The bits of
	// reported are for those that have sent all they know except the subscriptions.
	equal, reported uint16
	informed        bool
	far             bool // the owners are beyond this node's neighbours: it only knows the primary

	transfers []*transfer // under way, at most one for each owner

	tries    uint8         // comparisons in a row that some owner did not answer
	waits    uint8         // how often the comparison was put off; at most compareWaits
	touched  time.Duration // when the table last changed
	compared time.Duration // when the primary, another node, last asked for a comparison
	due      time.Duration // when this node compares next
	slot     int32         // in the agenda of comparisons
	at       int           // in tables.list
	gone     bool
}

// Other values of rank.
const (
	departed = -1 // this node is no longer an owner
	newcomer = -2 // it has not asked the ring yet
)

// Channel returns the channel.
func (o *Owned) Channel() machine.Channel { return o.channel }

// Version and Stamp return those of the host's State. SetState sets both.
func (o *Owned) Version() uint64                { return o.version }
func (o *Owned) Stamp() uint64                  { return o.stamp }
func (o *Owned) SetState(version, stamp uint64) { o.version, o.stamp = version, stamp }

// ID returns the channel's ID.
func (o *Owned) ID() engine.ID { return o.channel.ID }

// Rank returns how many owners are closer to the channel than this node; below zero if it is none.
func (o *Owned) Rank() int { return o.rank }

// Primary reports whether this node is the owner closest to the channel.
func (o *Owned) Primary() bool { return o.rank == 0 && !o.gone }

// Others returns the other owners, the closest to the channel first.
func (o *Owned) Others() []engine.Peer { return o.others }

// Leaving reports whether others own the channel, and this node keeps its data until they have it.
func (o *Owned) Leaving() bool { return o.rank == departed }

// Gone reports whether the record was dropped.
func (o *Owned) Gone() bool { return o.gone }

// Informed reports whether all other owners have sent what they know, or had time to. Before that, a primary may not
// know the latest version.
func (o *Owned) Informed() bool { return o.informed }

// Readers returns the number of readers of all subscriptions, each counted up to Config.MaxCount.
func (o *Owned) Readers() uint64 { return o.readers.total }

// Live returns how many subscriptions have readers.
func (o *Owned) Live() int { return o.readers.live }

// Entries returns how many subscriptions are held, including ended ones.
func (o *Owned) Entries() int { return len(o.readers.entries) }

// Shared reports whether all other owners are known to have all that this node has.
func (o *Owned) Shared() bool { return o.equal == o.all() }

// all has a bit for each of the others.
func (o *Owned) all() uint16 { return 1<<len(o.others) - 1 }

// position returns the index of another owner, or -1.
func (o *Owned) position(id engine.ID) int {
	return slices.IndexFunc(o.others, func(p engine.Peer) bool { return p.ID == id })
}

// AgendaSlot and Before are for the agenda of comparisons.
func (o *Owned) AgendaSlot() *int32 { return &o.slot }

// Before orders channels that are due together by the ring.
func (o *Owned) Before(p *Owned) bool {
	if o.due != p.due {
		return o.due < p.due
	}
	return o.channel.ID.Compare(p.channel.ID) < 0
}
