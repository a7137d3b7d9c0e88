package corona

import (
	"encoding/binary"
	"time"

	"tidings/network/engine"
)

// wedges is what a node polls, and by whose order.
type wedges struct {
	list    []polled
	where   map[engine.ID]int32 // in list
	parents []parent            // the first is this node itself, for the channels it is primary of

	// below has, for each scope, the sum of the orderSums of all channels polled here with
	// that scope: what a contact within the scope has from this node, if it has all.
	below [engine.Bits + 1]uint64

	layouts  [engine.Bits + 1]*layout // by scope; nil: not needed so far
	relayout bool                     // contacts have come or gone since layouts were made

	changed   []engine.ID // channels of which orders have to be passed on
	stops     []stop
	dismissed []engine.Peer // they were contacts
	flushing  bool          // a flush is due
	telling   bool          // a look for Standings that are due is
}

// polled is a channel that is polled here, or was ordered to be.
type polled struct {
	channel Channel
	start   time.Duration // some moment at which the slot begins, by Env.Now
	width   time.Duration // of the slot
	told    time.Duration // when it was ordered last
	limit   limits
	parent  int32 // in parents
	bits    uint8 // the polling level
	// scope says who is below: those who share so many first bits with this node.
	scope uint8
	news  news
	// passed is the latest version that was passed on to those below.
	passed uint64
}

// news is what contacts below have not been told yet.
type news uint8

const (
	moved   news = 1 << iota // when they poll
	ordered                  // that they poll, perhaps
)

// parent is a node that gives orders to this one.
type parent struct {
	peer    engine.Peer // zero: the place is free
	sum     uint64      // of the orderSums of what it has ordered
	count   int
	heard   time.Duration // when it gave an order, or confirmed those given
	doubted time.Duration // when all were asked to be repeated; 0: they were not, or were repeated
}

// byself is the place in parents of this node itself.
const byself = 0

// stop is a Stop on its way.
type stop struct {
	to      *contact
	channel engine.ID
}

func (n *Node) startWedges() {
	n.wedges.where = make(map[engine.ID]int32)
	n.wedges.parents = []parent{{peer: n.env.Self()}}
	n.startPlan()
}

// orderSum is what one order adds to a Standing's sum.
func orderSum(channel engine.ID, bits uint8) uint64 {
	return fold(uint64(bits)+1, binary.LittleEndian.Uint64(channel[:]), binary.LittleEndian.Uint64(channel[12:]))
}

// polledHere returns what is known of a channel that is polled here; nil if it is not. It is good
// until the next channel comes or goes.
func (n *Node) polledHere(channel engine.ID) *polled {
	i, ok := n.wedges.where[channel]
	if !ok {
		return nil
	}
	return &n.wedges.list[i]
}

// below returns who passes on to the nodes below this one what concerns a channel that is polled
// here.
func (n *Node) below(channel engine.ID) (peers []engine.Peer) {
	p := n.polledHere(channel)
	if p == nil {
		return nil
	}
	for _, c := range n.census.contacts {
		if c.bits >= int(p.scope) {
			peers = append(peers, c.peer)
		}
	}
	return peers
}

// lead has this node, as primary, give the orders for a channel: it is new here, or its level or
// limits have changed.
func (n *Node) lead(o *owned) {
	o.bits = min(o.bits, alone)
	n.put(polled{
		channel: o.channel, start: o.slot, width: n.period(o.limit), told: n.env.Now(), limit: o.limit,
		parent: byself, bits: uint8(o.bits), scope: uint8(o.bits),
	})
}

// unlead ends what lead began, as another node has become primary. This node polls on, as if that
// one had ordered it, and so do those below, until that one's orders have found their way.
func (n *Node) unlead(o *owned) {
	p := n.polledHere(o.channel.ID)
	if p == nil || p.parent != byself {
		return
	}
	if len(o.others) > 0 {
		if place, ok := n.parentOf(o.others[0]); ok {
			n.account(p, -1)
			p.parent, p.told = place, n.env.Now()
			n.account(p, 1)
			return
		}
	}
	n.drop(o.channel.ID)
}

// disband ends the polling of a channel that nobody subscribes to any more.
func (n *Node) disband(channel engine.ID) {
	if p := n.polledHere(channel); p != nil && p.parent == byself {
		n.stopBelow(p, engine.Bits+1)
		n.drop(channel)
	}
}

func (n *Node) takeOrders(from engine.Peer, m *Orders) {
	var unknown []engine.ID
	for i := range m.Orders {
		if !n.takeOrder(from, &m.Orders[i]) {
			unknown = append(unknown, m.Orders[i].Channel)
		}
	}
	if len(unknown) > 0 {
		n.env.Send(from, &Unknown{Channels: unknown})
	}
}

// takeOrder returns false if the order is of a channel whose URL is missing.
func (n *Node) takeOrder(from engine.Peer, o *Order) bool {
	old := n.polledHere(o.Channel)
	if o.Stop {
		if old != nil && n.wedges.parents[old.parent].peer.ID == from.ID {
			n.stopBelow(old, engine.Bits+1)
			n.drop(o.Channel)
		}
		return true
	}
	self := n.env.Self().ID
	switch {
	case self.CommonBits(o.Channel) < int(o.Bits):
		return true // it is not for this node
	case old != nil && old.parent == byself:
		return true // this node is the one to give orders
	case old == nil && o.URL == "":
		return false
	case old == nil && !(Channel{o.Channel, o.URL}).genuine():
		return true
	case old == nil && len(n.wedges.list) >= n.config.MaxPolled:
		n.env.Trace(LimitHit{"MaxPolled", n.config.MaxPolled})
		return true
	}
	place, ok := n.parentOf(from)
	if !ok {
		return true
	}
	now := n.env.Now()
	p := polled{
		channel: Channel{o.Channel, o.URL},
		start:   now + time.Duration(o.Start)*time.Millisecond,
		width:   time.Duration(o.Width) * time.Millisecond,
		told:    now, parent: place, bits: o.Bits, scope: n.scopeFrom(from.ID, o),
		limit: limits{interval: time.Duration(o.Interval) * time.Second},
	}
	if o.Wait > 0 {
		p.limit.notBefore = now + time.Duration(o.Wait)*time.Second
	}
	if o.Random {
		p.start = now + n.chance(n.config.Interval)
	}
	if old != nil {
		p.channel = old.channel
		if o.Random || n.aboutSame(old, &p) {
			p.start, p.width = old.start, old.width
		}
	}
	n.put(p)
	if o.Version > 0 {
		n.maybeBehind(from, o.Channel, o.Version)
	}
	return true
}

// scopeFrom returns the scope of an order: who gives it answers for all that share one digit less
// with this node. One that is outside the wedge hands it over as a whole.
func (n *Node) scopeFrom(from engine.ID, o *Order) uint8 {
	if from.CommonBits(o.Channel) < int(o.Bits) {
		return o.Bits
	}
	return uint8(min(engine.Bits, (n.env.Self().ID.CommonBits(from)/n.config.Digit+1)*n.config.Digit))
}

// parentOf returns the place of a node that gives orders, and false if there is none left.
func (n *Node) parentOf(from engine.Peer) (place int32, ok bool) {
	w := &n.wedges
	free := int32(-1)
	for i := range w.parents {
		p := &w.parents[i]
		switch {
		case p.peer.ID == from.ID && !p.peer.IsZero():
			p.peer, p.heard = from, n.env.Now()
			return int32(i), true
		case p.count == 0 && i != byself:
			free = int32(i)
		}
	}
	switch {
	case free >= 0:
	case len(w.parents) == maxParents:
		n.env.Trace(LimitHit{"maxParents", maxParents})
		return 0, false
	default:
		free = int32(len(w.parents))
		w.parents = append(w.parents, parent{})
	}
	w.parents[free] = parent{peer: from, heard: n.env.Now()}
	return free, true
}

// maxParents is how many nodes this one takes orders from: as many as have it in their routing
// tables, which are about as many as it has in its own.
const maxParents = 1024

// put takes in a channel to be polled, or what is new about it.
func (n *Node) put(p polled) {
	w := &n.wedges
	i, known := w.where[p.channel.ID]
	if !known {
		w.where[p.channel.ID] = int32(len(w.list))
		w.list = append(w.list, p)
		n.account(&p, 1)
		n.poll(&p)
		n.pass(&w.list[len(w.list)-1], ordered)
		return
	}
	old := w.list[i]
	if old.bits != p.bits && old.parent == p.parent {
		n.stopBelow(&old, int(p.scope))
	}
	n.account(&old, -1)
	n.account(&p, 1)
	p.news, p.passed = old.news, old.passed
	w.list[i] = p
	if p.start != old.start || p.limit != old.limit {
		n.poll(&p)
	}
	switch {
	case p.bits != old.bits || p.scope != old.scope:
		n.pass(&w.list[i], ordered)
	case p.start != old.start || p.width != old.width || p.limit != old.limit:
		n.pass(&w.list[i], moved)
	}
}

// drop takes out a channel.
func (n *Node) drop(channel engine.ID) {
	w := &n.wedges
	i, ok := w.where[channel]
	if !ok {
		return
	}
	n.account(&w.list[i], -1)
	n.tellBelow(&w.list[i])
	delete(w.where, channel)
	last := len(w.list) - 1
	if int(i) != last {
		w.list[i] = w.list[last]
		w.where[w.list[i].channel.ID] = i
	}
	w.list[last] = polled{}
	w.list = w.list[:last]
	n.poller.Stop(channel)
}

// account adds a channel to the sums that it is part of, or takes it out.
func (n *Node) account(p *polled, times int) {
	sum := orderSum(p.channel.ID, p.bits) * uint64(times)
	n.wedges.below[p.scope] += sum
	by := &n.wedges.parents[p.parent]
	by.sum += sum
	by.count += times
}

// poll tells the Poller when a channel is polled.
func (n *Node) poll(p *polled) {
	period := n.period(p.limit)
	n.poller.Poll(p.channel, Task{
		First:    nextTime(p.start, period, n.env.Now()),
		Interval: period, NotBefore: p.limit.notBefore,
	})
}

// period returns how often a node polls that is to keep the limits by itself.
func (n *Node) period(l limits) time.Duration { return max(n.config.Interval, l.interval) }
