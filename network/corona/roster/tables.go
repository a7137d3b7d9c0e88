package roster

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/table"
)

// tables holds the channels that are owned here, and those that others now own, until these have all data.
type tables struct {
	machine.Base
	owners   *machine.Ownership
	host     Host
	config   *Config
	comparer *comparer

	index       table.Index[*Owned]
	list        []*Owned // in no meaningful order, the same in each run
	subscribers subscribers
	entries     int // of all tables

	moved  engine.Alarm // reassesses all channels, as the neighbours have changed
	unseen int          // channels in the list that are still to be reassessed for that
}

// Find returns the record of a channel, or nil.
func (t *tables) Find(channel engine.ID) *Owned { return t.index.Get(channel) }

// List returns all records. It must not be changed.
func (t *tables) List() []*Owned { return t.list }

// own returns the record of a channel, which it makes if there is none. It returns nil if the URL is not the channel's,
// or too many are owned.
func (t *tables) own(c machine.Channel) *Owned {
	if o := t.Find(c.ID); o != nil {
		return o
	}
	switch {
	case !c.Genuine():
		return nil
	case len(t.list) >= t.config.MaxChannels:
		t.LimitHit("MaxChannels", t.config.MaxChannels)
		return nil
	}
	o := &Owned{channel: c, rank: newcomer, at: len(t.list)}
	t.index.Set(c.ID, o)
	t.list = append(t.list, o)
	t.host.Began(o)
	t.Reassess(o)
	return o
}

// forget drops the record of a channel.
func (t *tables) forget(o *Owned) {
	for i := len(o.readers.entries) - 1; i >= 0; i-- {
		t.removeEntry(o, i)
	}
	t.comparer.syncs.Remove(o)
	last := t.list[len(t.list)-1]
	t.list[o.at], last.at = last, o.at
	t.list[len(t.list)-1] = nil
	t.list = t.list[:len(t.list)-1]
	t.index.Remove(o.channel.ID)
	o.gone = true
	t.Env.Trace(Forgotten{o.channel.ID})
	t.host.Changed(o)
}

// maybeForget drops an empty record.
func (t *tables) maybeForget(o *Owned) {
	if o.Entries() == 0 && o.version == 0 && o.stamp == 0 {
		t.forget(o)
	}
}

// settle is the wait after a change of neighbours before the ring is asked about owners: neighbours often change
// several times in a row.
const settle = 500 * time.Millisecond

// If many channels are owned, the node reassesses reassessedAtOnce of them at once, which lasts milliseconds.
const (
	reassessedAtOnce = 4096
	reassessPause    = 10 * time.Millisecond
)

// RecheckOwners soon asks the ring for the owners of all channels. It is called when the neighbours have changed.
func (t *tables) RecheckOwners() {
	t.unseen = len(t.list)
	t.moved.Soon(t.Env, t.Env.Now()+settle, t.reassessSome)
}

// reassessSome asks the ring about some channels, from the end of the list to its beginning.
func (t *tables) reassessSome() {
	at := min(t.unseen, len(t.list))
	for range min(reassessedAtOnce, at) {
		at--
		t.Reassess(t.list[at])
	}
	if t.unseen = at; at > 0 {
		t.moved.Soon(t.Env, t.Env.Now()+reassessPause, t.reassessSome)
	}
}

// Reassess asks the ring for the present owners of a channel.
func (t *tables) Reassess(o *Owned) {
	owners, _ := t.owners.Owners(o.channel.ID, t.config.Owners)
	self := slices.IndexFunc(owners, t.IsSelf)
	if self >= 0 {
		owners = slices.Delete(owners, self, self+1)
	}
	if slices.Equal(owners, o.others) && o.rank == self {
		return
	}
	was := *o
	o.others, o.rank = slices.Clone(owners), self // the ring's has room for all neighbours
	o.keepEqual(&was)
	o.tries = 0
	t.comparer.at(o, t.Env.Now()+patience(o, &was))
	changed := o.Primary() != was.Primary() || o.Leaving() != was.Leaving()
	if changed || was.rank == newcomer {
		t.Env.Trace(Owns{o.channel.ID, o.Primary(), o.Leaving()})
	}
	if changed {
		t.host.Changed(o)
	}
}

// keepEqual keeps what is known of the other owners. A former owner asks all anew.
func (o *Owned) keepEqual(was *Owned) {
	o.equal, o.reported = 0, 0
	if o.Leaving() || was.rank < 0 {
		return
	}
	for i, p := range o.others {
		if j := was.position(p.ID); j >= 0 && was.equal>>j&1 == 1 {
			o.equal |= 1 << i
		}
	}
}

// patience is how long this node waits before it sends new owners its data. The closest of the former owners is the
// first to do so; the others follow in case it does not.
func patience(o, was *Owned) time.Duration {
	const first, each = 100 * time.Millisecond, 10 * time.Second
	if o.Leaving() {
		return first
	}
	if was.rank == newcomer { // it is new here: Copies are on their way to the others
		return time.Second + time.Duration(o.rank)*each
	}
	before := 0
	for _, p := range o.others[:min(o.rank, len(o.others))] {
		if was.position(p.ID) >= 0 {
			before++
		}
	}
	return first + time.Duration(before)*each
}

// Near reports whether a peer is so close to a channel that it may own it, or did before a few others came.
func (t *tables) Near(channel engine.ID, p engine.Peer) bool {
	if o := t.Find(channel); o != nil && o.position(p.ID) >= 0 {
		return true
	}
	owners, _ := t.owners.Owners(channel, machine.Neighbourhood)
	return slices.ContainsFunc(owners, func(o engine.Peer) bool { return o.ID == p.ID })
}

// Restate sends the other owners, without haste, the primary's changes to the State of a channel.
func (t *tables) Restate(channel engine.ID) {
	if o := t.Find(channel); o != nil {
		o.stamp++
		o.equal, o.tries = 0, 0
		t.comparer.at(o, t.Env.Now()+t.Chance(t.config.Maintenance/8+1))
	}
}

// forgive counts all subscriptions as renewed just now. So none is late by a new pace for what it did by the old one.
func (t *tables) forgive() {
	now := seconds(t.Env.Now())
	for _, o := range t.list {
		for i := range o.readers.entries {
			o.readers.entries[i].received = now
		}
	}
}

// Subscribes reports whether a node has a subscription of its own to a channel that is held here.
func (t *tables) Subscribes(channel engine.ID, p engine.Peer) bool {
	e, known := t.entryOf(t.Find(channel), p.ID, "")
	return known && e.count > 0
}

// Subscribers returns a page of the nodes with subscriptions to a channel that is held here, from up to most entries. A
// node that speaks for several is listed for each. To begin, at is -1; later it is the returned next, which is below
// zero at the end. A node that subscribed before the beginning, and still does, is on some page.
func (t *tables) Subscribers(channel engine.ID, at, most int) (page []engine.Peer, next int) {
	o := t.Find(channel)
	if o == nil {
		return nil, -1
	}
	if at < 0 || at > o.Entries() {
		at = o.Entries()
	}
	first := max(0, at-most)
	for i := at - 1; i >= first; i-- {
		if e := o.readers.entries[i]; e.count > 0 {
			page = append(page, t.subscribers.peer(e.number))
		}
	}
	if first == 0 {
		return page, -1
	}
	return page, first
}

// Subscription returns an entry of a channel's table as a message has it: i is below Owned.Entries.
func (t *tables) Subscription(o *Owned, i int) Subscription {
	e := o.readers.entries[i]
	return Subscription{
		Node: t.subscribers.peer(e.number), Outside: t.subscribers.list[e.number].outside,
		Count: e.count, Stamp: e.stamp, Age: seconds(t.Env.Now()) - e.received, Signature: o.readers.proof(i),
	}
}

// Sample returns the signed subscriptions that prove how many readers a channel has: see SampleSize.
func (t *tables) Sample(o *Owned, nonce uint64) []Subscription {
	var sample []Subscription
	for _, i := range o.readers.sample(&t.subscribers, nonce, t.config.MaxCount) {
		s := t.Subscription(o, i)
		s.Age = 0
		sample = append(sample, s)
	}
	return sample
}

// entryOf returns the entry of a subscriber, if a channel has one. o may be nil.
func (t *tables) entryOf(o *Owned, node engine.ID, outside string) (entry, bool) {
	if o == nil {
		return entry{}, false
	}
	if number, ok := t.subscribers.find(subscriberKey{node, outside}); ok {
		if i, ok := o.readers.find(number); ok {
			return o.readers.entries[i], true
		}
	}
	return entry{}, false
}

// removeEntry removes an entry from a channel's table.
func (t *tables) removeEntry(o *Owned, i int) {
	o.readers.remove(&t.subscribers, i, t.config.MaxCount)
	t.entries--
}
