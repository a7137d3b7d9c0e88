package corona

import (
	"math"
	"slices"
	"time"

	"tidings/network/engine"
	"tidings/network/table"
)

// ownership is the channels that are owned here, and those that others own by now and that are
// kept until they have them.
type ownership struct {
	index table.Index[*owned]
	list  []*owned // in no order that means anything, the same in each run

	subscribers subscribers
	entries     int // of all tables
	waiting     int // receipts; see copies.go

	changed []func(*owned) // see onChange

	neighbours []engine.Peer // the ring's, and this node; nil: to be asked for

	moved  engine.Alarm         // reassesses all channels, as the neighbours have changed
	unseen int                  // channels in the list that are still to be reassessed for that
	round  round                // the regular one over all channels
	syncs  table.Agenda[*owned] // when channels are compared with other owners next
	sync   engine.Alarm

	answers    []answers // that are about to be sent
	outboxes   []*outbox // copies that are to be sent, by peer
	flush      engine.Alarm
	dispatches map[uint32]*dispatch
	numbers    uint32
	transfers  int
}

// settle is how long the node waits after its neighbours have changed before it asks who owns
// what: they often change several times in a row.
const settle = 500 * time.Millisecond

// Where many channels are owned, the node reassesses some thousands of them in one go, which takes
// it milliseconds.
const (
	reassessedAtOnce = 4096
	reassessPause    = 10 * time.Millisecond
)

func (n *roster) startOwnership() {
	n.owned.index.Seed = n.Seed
	n.owned.dispatches = make(map[uint32]*dispatch)
	n.owned.subscribers.seed = n.Seed
	n.startRound()
}

// onChange has f called when a channel's owners, readers or state have changed in a way that
// others act upon: this node has become its primary or is that no longer, the first reader has
// come or the last one gone, what other owners knew has come in (see owned.informed), or it is
// forgotten (see owned.gone).
func (n *roster) OnChange(f func(*owned)) { n.owned.changed = append(n.owned.changed, f) }

func (n *roster) TellChange(o *owned) {
	for _, f := range n.owned.changed {
		f(o)
	}
}

// find returns what is held of a channel here; nil if nothing is.
func (n *roster) Find(channel engine.ID) *owned { return n.owned.index.Get(channel) }

// own returns what is held of a channel, from now on if it was not before. It returns nil if the
// URL is not the channel's, or too many are owned.
func (n *roster) own(c Channel) *owned {
	if o := n.Find(c.ID); o != nil {
		return o
	}
	switch {
	case !c.Genuine():
		return nil
	case len(n.owned.list) >= n.config.MaxChannels:
		n.LimitHit("MaxChannels", n.config.MaxChannels)
		return nil
	}
	o := &owned{channel: c, rank: newcomer, at: len(n.owned.list)}
	n.owned.index.Set(c.ID, o)
	n.owned.list = append(n.owned.list, o)
	n.Reassess(o)
	return o
}

// forget drops all that is held of a channel.
func (n *roster) forget(o *owned) {
	for i := len(o.readers.entries) - 1; i >= 0; i-- {
		n.removeEntry(o, i)
	}
	n.owned.syncs.Remove(o)
	list := n.owned.list
	last := list[len(list)-1]
	list[o.at], last.at = last, o.at
	list[len(list)-1] = nil
	n.owned.list = list[:len(list)-1]
	n.owned.index.Remove(o.channel.ID)
	o.gone, o.primary = true, false
	n.Env.Trace(Forgotten{o.channel.ID})
	n.TellChange(o)
}

// recheckOwners has the node ask, soon, who owns what.
func (n *roster) RecheckOwners() {
	n.owned.neighbours = nil
	n.owned.unseen = len(n.owned.list)
	n.owned.moved.Soon(n.Env, n.Env.Now()+settle, n.reassessSome)
}

// reassessSome asks the ring about some channels, from the end of the list to its beginning.
func (n *roster) reassessSome() {
	at := min(n.owned.unseen, len(n.owned.list))
	for range min(reassessedAtOnce, at) {
		at--
		n.Reassess(n.owned.list[at])
	}
	if n.owned.unseen = at; at > 0 {
		n.owned.moved.Soon(n.Env, n.Env.Now()+reassessPause, n.reassessSome)
	}
}

// reassess asks the ring who owns a channel now.
func (n *roster) Reassess(o *owned) {
	owners, _ := n.Owners(o.channel.ID, n.config.Owners)
	self := slices.IndexFunc(owners, n.IsSelf)
	if self >= 0 {
		owners = slices.Delete(owners, self, self+1)
	}
	if slices.Equal(owners, o.others) && o.rank == self {
		return
	}
	was := *o
	owners = slices.Clone(owners) // the ring's has room for all neighbours
	o.others, o.rank, o.primary = owners, self, self == 0
	o.keepEqual(&was)
	o.tries = 0
	n.SyncAt(o, n.Env.Now()+n.patience(o, &was))
	if o.primary != was.primary || o.leaving() != was.leaving() {
		n.Env.Trace(Owns{o.channel.ID, o.primary, o.leaving()})
		n.TellChange(o)
	}
}

// keepEqual keeps of those who were owners before what is known of them. Whoever leaves asks
// everybody anew.
func (o *owned) keepEqual(was *owned) {
	o.equal, o.told = 0, 0
	if o.leaving() || was.rank < 0 {
		return
	}
	for i, p := range o.others {
		if j := was.position(p.ID); j >= 0 && was.equal>>j&1 == 1 {
			o.equal |= 1 << i
		}
	}
}

// position returns the position of another owner, -1 if it is none.
func (o *owned) position(id engine.ID) int {
	return slices.IndexFunc(o.others, func(p engine.Peer) bool { return p.ID == id })
}

// patience is how long this node waits before it gives new owners what it has. The closest of
// the owners there were is the first to do so; the others follow in case it does not.
func (n *roster) patience(o, was *owned) time.Duration {
	const first, each = 100 * time.Millisecond, 10 * time.Second
	if o.leaving() {
		return first
	}
	if was.rank == newcomer { // it is new here: Copies are on their way to the others
		return time.Second + time.Duration(o.rank)*each
	}
	before := 0
	for i, p := range o.others {
		if i >= o.rank {
			break
		}
		if was.position(p.ID) >= 0 {
			before++
		}
	}
	return first + time.Duration(before)*each
}

// closest returns which of the neighbours, this node among them, is closest to a channel. It is
// the primary if the channel is within their reach.
func (n *roster) closest(channel engine.ID) engine.Peer {
	if n.owned.neighbours == nil {
		n.owned.neighbours, _ = n.Ring.Owners(n.Env.Self().ID, math.MaxInt)
		if len(n.node.version.versions.equivocators.list) > 0 {
			n.owned.neighbours = slices.DeleteFunc(slices.Clone(n.owned.neighbours), func(p engine.Peer) bool { return n.node.version.IsEquivocator(p.ID) })
		}
	}
	return n.owned.neighbours[engine.Closest(channel, n.owned.neighbours)]
}

// owns reports whether this node should own a channel, as far as it can tell.
func (n *roster) Owns(channel engine.ID) bool {
	owners, _ := n.Owners(channel, n.config.Owners)
	return slices.ContainsFunc(owners, n.IsSelf)
}

// neighbourhood is how many of the nodes closest to a channel may have owned it lately.
const neighbourhood = 16

// near reports whether a peer is so close to a channel that it may own it, or have owned it before
// a few others came.
func (n *roster) Near(channel engine.ID, p engine.Peer) bool {
	if o := n.Find(channel); o != nil && o.position(p.ID) >= 0 {
		return true
	}
	owners, _ := n.Owners(channel, neighbourhood)
	return slices.ContainsFunc(owners, func(o engine.Peer) bool { return o.ID == p.ID })
}
