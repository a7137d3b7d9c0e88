package roster

import (
	"slices"
	"time"

	"tidings/network/corona/machine"
	"tidings/network/engine"
	"tidings/network/table"
)

// tables is the channels that are owned here, and those that others own by now and that are kept until they have them.
type tables struct {
	*core
	comparer *comparer

	index       table.Index[*Owned]
	list        []*Owned // in no order that means anything, the same in each run
	subscribers subscribers
	entries     int // of all tables

	moved  engine.Alarm // reassesses all channels, as the neighbours have changed
	unseen int          // channels in the list that are still to be reassessed for that
}

// Find returns what is held of a channel here; nil if nothing is.
func (t *tables) Find(channel engine.ID) *Owned { return t.index.Get(channel) }

// List returns all that is held here. It is not to be changed.
func (t *tables) List() []*Owned { return t.list }

// own returns what is held of a channel, from now on if it was not before. It returns nil if the URL is not the channel's, or too many are owned.
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

// forget drops all that is held of a channel.
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

// maybeForget forgets a channel of which nothing is known.
func (t *tables) maybeForget(o *Owned) {
	if o.Entries() == 0 && o.version == 0 && o.stamp == 0 {
		t.forget(o)
	}
}

// settle is how long the node waits after its neighbours have changed before it asks who owns what: they often change several times in a row.
const settle = 500 * time.Millisecond

// Where many channels are owned, the node reassesses some thousands of them in one go, which takes it milliseconds.
const (
	reassessedAtOnce = 4096
	reassessPause    = 10 * time.Millisecond
)

// RecheckOwners has the node ask the ring, soon, who owns what. It is called when its neighbours have changed.
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

// Reassess asks the ring who owns a channel now.
func (t *tables) Reassess(o *Owned) {
	owners, _ := t.Owners(o.channel.ID, t.config.Owners)
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

// keepEqual keeps of those who were owners before what is known of them. Whoever leaves asks everybody anew.
func (o *Owned) keepEqual(was *Owned) {
	o.equal, o.told = 0, 0
	if o.Leaving() || was.rank < 0 {
		return
	}
	for i, p := range o.others {
		if j := was.position(p.ID); j >= 0 && was.equal>>j&1 == 1 {
			o.equal |= 1 << i
		}
	}
}

// patience is how long this node waits before it gives new owners what it has. The closest of the owners there were is the first to do so; the others follow
// in case it does not.
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

// Near reports whether a peer is so close to a channel that it may own it, or have owned it before a few others came.
func (t *tables) Near(channel engine.ID, p engine.Peer) bool {
	if o := t.Find(channel); o != nil && o.position(p.ID) >= 0 {
		return true
	}
	owners, _ := t.Owners(channel, neighbourhood)
	return slices.ContainsFunc(owners, func(o engine.Peer) bool { return o.ID == p.ID })
}

// Restate has the other owners hear, at leisure, of what the primary has changed in the State of a channel that is held here.
func (t *tables) Restate(channel engine.ID) {
	if o := t.Find(channel); o != nil {
		o.stamp++
		o.equal, o.tries = 0, 0
		t.comparer.at(o, t.Env.Now()+t.Chance(t.config.Maintenance/8+1))
	}
}

// forgive counts all subscriptions as heard just now, so that none is late by a new pace for what it did by the old one.
func (t *tables) forgive() {
	now := seconds(t.Env.Now())
	for _, o := range t.list {
		for i := range o.readers.entries {
			o.readers.entries[i].heard = now
		}
	}
}

// Subscribes reports whether a node has a subscription of its own to a channel that is held here.
func (t *tables) Subscribes(channel engine.ID, p engine.Peer) bool {
	e, known := t.entryOf(t.Find(channel), p.ID, "")
	return known && e.count > 0
}

// Subscribers returns nodes that have subscriptions to a channel that is held here, by going over up to most entries; a node that speaks for several is listed
// for each. To begin, at is -1; then it is what was returned before; less than zero: that was all. Whoever subscribed before the beginning, and still does, is
// on some page.
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
			page = append(page, t.subscribers.peer(e.who))
		}
	}
	if first == 0 {
		return page, -1
	}
	return page, first
}

// Subscription returns an entry of a channel's table as it travels: i is below Owned.Entries.
func (t *tables) Subscription(o *Owned, i int) Subscription {
	e := o.readers.entries[i]
	return Subscription{
		Node: t.subscribers.peer(e.who), Outside: t.subscribers.list[e.who].outside,
		Count: e.count, Stamp: e.stamp, Age: seconds(t.Env.Now()) - e.heard, Signature: o.readers.proof(i),
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
	if who, ok := t.subscribers.find(subscriberKey{node, outside}); ok {
		if i, ok := o.readers.find(who); ok {
			return o.readers.entries[i], true
		}
	}
	return entry{}, false
}

// removeEntry takes an entry out of a channel's table.
func (t *tables) removeEntry(o *Owned, i int) {
	o.readers.remove(&t.subscribers, i, t.config.MaxCount)
	t.entries--
}
