package roster

import (
	"encoding/binary"

	"tidings/network/engine"
	"tidings/network/table"
)

// subscribers lists the subscribers in the tables here, each once, however many channels it follows. Tables refer to them by number.
type subscribers struct {
	list  []subscriber
	free  []uint32        // numbers that nobody has
	index table.Positions // of numbers
	seed  uint64          // of the index, so that nobody can make subscribers fall together
}

// subscriber is a node, or an address outside the network that a node speaks for. It is forgotten when nothing refers to it.
type subscriber struct {
	subscriberKey
	address engine.Address // of a node, as in the newest subscription of it
	stamp   uint64         // of that subscription
	hash    uint64         // of the key
	home    uint32         // the node's number; a node's own
	refs    uint32         // entries of tables, and subscribers whose home this is
	entries uint32         // of a node: all entries that it speaks for
}

type subscriberKey struct {
	node    engine.ID
	outside string // empty: the node itself
}

// find returns the number of a subscriber that is known.
func (p *subscribers) find(k subscriberKey) (uint32, bool) {
	hash := k.hash()
	return p.index.Find(engine.Mix(hash^p.seed), func(who uint32) bool { return p.list[who].hash == hash && p.list[who].subscriberKey == k })
}

// of returns the number of a subscription's subscriber, who becomes known if need be. A newer subscription tells the node's newer address.
func (p *subscribers) of(s *Subscription) uint32 {
	home := p.number(subscriberKey{node: s.Node.ID})
	if v := &p.list[home]; s.Stamp > v.stamp || v.address == "" {
		v.address, v.stamp = s.Node.Address, s.Stamp
	}
	if s.Outside == "" {
		return home
	}
	who := p.number(subscriberKey{s.Node.ID, s.Outside})
	if v := &p.list[who]; v.home == who { // new
		v.home = home
		p.list[home].refs++
	}
	return who
}

func (p *subscribers) number(k subscriberKey) uint32 {
	who, ok := p.find(k)
	if ok {
		return who
	}
	if last := len(p.free) - 1; last >= 0 {
		who, p.free = p.free[last], p.free[:last]
	} else {
		who = uint32(len(p.list))
		p.list = append(p.list, subscriber{})
	}
	p.list[who] = subscriber{subscriberKey: k, hash: k.hash(), home: who}
	p.index.Put(engine.Mix(p.list[who].hash^p.seed), who)
	return who
}

// hold and release count the entries of a subscriber.
func (p *subscribers) hold(who uint32) {
	p.list[who].refs++
	p.list[p.list[who].home].entries++
}

func (p *subscribers) release(who uint32) {
	p.list[p.list[who].home].entries--
	p.drop(who)
}

// drop takes back one reference.
func (p *subscribers) drop(who uint32) {
	p.list[who].refs--
	v := p.list[who]
	if v.refs > 0 {
		return
	}
	p.index.Remove(engine.Mix(v.hash^p.seed), who)
	p.list[who] = subscriber{}
	p.free = append(p.free, who)
	if v.home != who {
		p.drop(v.home)
	}
}

// peer returns where a subscriber is reached.
func (p *subscribers) peer(who uint32) engine.Peer {
	home := &p.list[p.list[who].home]
	return engine.Peer{ID: home.node, Address: home.address}
}

// hash returns a number that stands for a subscriber in sums. It is the same at all nodes.
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
