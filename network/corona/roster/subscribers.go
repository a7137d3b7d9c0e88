package roster

import (
	"encoding/binary"

	"tidings/network/engine"
	"tidings/network/table"
)

// subscribers lists the subscribers in the tables here, each once, however many channels it follows. Tables refer to
// them by number.
type subscribers struct {
	list  []subscriber
	free  []uint32        // unused numbers
	index table.Positions // of numbers
	seed  uint64          // of the index, so that nobody can choose subscribers that collide
}

// subscriber is a node, or an address outside the network that a node speaks for. It is dropped when nothing refers to
// it.
type subscriber struct {
	subscriberKey
	address engine.Address // of a node, by its newest subscription
	stamp   uint64         // of that subscription
	hash    uint64         // of the key
	home    uint32         // the node's number; a node's own
	refs    uint32         // entries of tables, and subscribers with this home
	entries uint32         // of a node: all entries that it speaks for
}

type subscriberKey struct {
	node    engine.ID
	outside string // empty: the node itself
}

// find returns the number of a known subscriber.
func (p *subscribers) find(k subscriberKey) (uint32, bool) {
	hash := k.hash()
	return p.index.Find(engine.Mix(hash^p.seed),
		func(number uint32) bool { return p.list[number].hash == hash && p.list[number].subscriberKey == k })
}

// of returns the number of a subscription's subscriber, which it adds if need be. A newer subscription has the node's
// newer address.
func (p *subscribers) of(s *Subscription) uint32 {
	home := p.number(subscriberKey{node: s.Node.ID})
	if v := &p.list[home]; s.Stamp > v.stamp || v.address == "" {
		v.address, v.stamp = s.Node.Address, s.Stamp
	}
	if s.Outside == "" {
		return home
	}
	number := p.number(subscriberKey{s.Node.ID, s.Outside})
	if v := &p.list[number]; v.home == number { // new
		v.home = home
		p.list[home].refs++
	}
	return number
}

func (p *subscribers) number(k subscriberKey) uint32 {
	number, ok := p.find(k)
	if ok {
		return number
	}
	if last := len(p.free) - 1; last >= 0 {
		number, p.free = p.free[last], p.free[:last]
	} else {
		number = uint32(len(p.list))
		p.list = append(p.list, subscriber{})
	}
	p.list[number] = subscriber{subscriberKey: k, hash: k.hash(), home: number}
	p.index.Put(engine.Mix(p.list[number].hash^p.seed), number)
	return number
}

// hold and release count the entries of a subscriber.
func (p *subscribers) hold(number uint32) {
	p.list[number].refs++
	p.list[p.list[number].home].entries++
}

func (p *subscribers) release(number uint32) {
	p.list[p.list[number].home].entries--
	p.drop(number)
}

// drop removes one reference.
func (p *subscribers) drop(number uint32) {
	p.list[number].refs--
	v := p.list[number]
	if v.refs > 0 {
		return
	}
	p.index.Remove(engine.Mix(v.hash^p.seed), number)
	p.list[number] = subscriber{}
	p.free = append(p.free, number)
	if v.home != number {
		p.drop(v.home)
	}
}

// peer returns the node of a subscriber.
func (p *subscribers) peer(number uint32) engine.Peer {
	home := &p.list[p.list[number].home]
	return engine.Peer{ID: home.node, Address: home.address}
}

// hash returns a subscriber's hash for sums. It is the same at all nodes.
func (k subscriberKey) hash() uint64 {
	h := uint64(len(k.outside))
	h = engine.Mix(h ^ binary.BigEndian.Uint64(k.node[:]))
	h = engine.Mix(h ^ binary.BigEndian.Uint64(k.node[8:]))
	h = engine.Mix(h ^ uint64(binary.BigEndian.Uint32(k.node[16:])))
	for i := range len(k.outside) {
		h = engine.Mix(h ^ uint64(k.outside[i]))
	}
	return h
}
