package newswire

import (
	"encoding/binary"
	"time"

	"tidings/network"
	"tidings/network/astrolabe/zone"
	"tidings/network/engine"
)

// catchUp asks another node for what this one may have missed: a member of its zone, or one of another zone, which a
// failure of this zone has not hit.
func (n *Node) catchUp() {
	pause := n.config.CatchUp
	if n.zones.Overfull(n.announced) {
		pause /= 4 // it is sent only what others of its zone want as well
	}
	n.ask.Set(n.env, n.env.Now()+n.jittered(pause), n.catchUp)
	n.cache.trim(n.env.Now())
	if p := n.zones.Other(); !p.IsZero() && len(n.announced) > 0 {
		n.env.Send(p, n.have(n.config.Missed))
	}
}

// have returns a CatchUp that names what came lately. Where the node does not keep all of that, or there is no room for
// its names, it asks for less. Otherwise it would be sent the same items again and again.
func (n *Node) have(within time.Duration) *CatchUp {
	if dropped, ok := n.cache.dropped(); ok {
		within = min(within, n.env.Now()-dropped)
	}
	path, _ := n.zones.Path()
	m := &CatchUp{Filter: n.announced, Zone: path, Within: uint32(within / time.Second), Proof: n.zones.Proof()}
	var since []time.Duration // when they were published
	// The period is a quarter longer than was asked for: the other node may have received items a moment earlier.
	n.cache.recent(n.env.Now()-within-within/4, func(k *kept) bool {
		if n.config.Shape.has(n.announced, k.item.Bits) {
			m.Have = binary.BigEndian.AppendUint64(m.Have, k.called())
			since = append(since, k.at)
		}
		return true
	})
	if more := len(since) - maxHave; more > 0 {
		m.Have = m.Have[8*more:]
		m.Within = uint32((n.env.Now() - since[more]) * 4 / 5 / time.Second)
	}
	return m
}

func (n *Node) onCatchUp(from engine.Peer, m *CatchUp) {
	if n.zones.Admits(from, m.Zone, m.Proof) != nil || !n.askers.spend(from.ID, n.env.Now()) {
		return
	}
	if row, first := n.contacts.meet(from, m.Zone); first {
		sendAll(n, n.parcels.stuck(row, n.contacts.suspected))
	}
	has := make(map[uint64]bool, len(m.Have)/8)
	for h := m.Have; len(h) >= 8; h = h[8:] {
		has[binary.BigEndian.Uint64(h)] = true
	}
	answer := &Missed{}
	since := n.env.Now() - min(time.Duration(m.Within)*time.Second, n.config.Keep)
	n.cache.recent(since, func(k *kept) bool {
		if !has[k.item.ID] && !has[k.name] && n.concernsAsker(k, m) &&
			!network.IsWithdrawn(n.seams.Member, k.item.Topic, k.item.Event) {
			answer.Items = append(answer.Items, k.item)
			answer.Ages = append(answer.Ages, n.age(k.at))
		}
		return len(answer.Items) < maxMissed
	})
	if len(answer.Items) > 0 {
		n.env.Send(from, answer)
	}
}

// called returns how a CatchUp names an item. It is the event once nothing more is to be had of that. Before, it is the
// item itself, as another item may bring the event.
func (k *kept) called() uint64 {
	if k.event.delivered {
		return k.event.id
	}
	return k.name
}

// concernsAsker reports whether an item may be for a node that requests what it has missed; only that one knows whether
// its predicate holds. An item that came a moment ago is on its way there as well.
func (n *Node) concernsAsker(k *kept, m *CatchUp) bool {
	return k.item.Zone.Contains(m.Zone) && k.at+n.config.Patience < n.env.Now() &&
		n.config.Shape.has(m.Filter, k.item.Bits)
}

func (n *Node) onMissed(from engine.Peer, m *Missed) {
	path, placed := n.zones.Path()
	if !placed || len(m.Ages) != len(m.Items) {
		return
	}
	for at, item := range m.Items {
		i, ok := item.(*Item)
		age := time.Duration(m.Ages[at]) * time.Second
		if !ok || age > n.config.Missed || n.cache.knows(i.Name()) || !i.Zone.Contains(path) {
			continue
		}
		size, ok := n.admit(i, from)
		if !ok {
			continue
		}
		n.env.Trace(Recovered{i.ID, from})
		at := n.published(m.Ages[at])
		n.cache.add(i, size, at)
		if n.comesHere(i, path) {
			n.recovered(i, at, path, from)
		}
	}
}

// comesHere reports whether an item goes to the node's zone: its predicate holds for that, and for all between that and
// the zone that the item is for.
func (n *Node) comesHere(m *Item, path zone.Path) bool {
	for depth := m.Zone.Depth() + 1; m.Predicate != "" && depth <= path.Depth(); depth++ {
		row, ok := n.zones.Table(path.At(depth - 1)).Get(path.At(depth).Label())
		if !ok || !n.concerns(m, row.Attributes) {
			return false
		}
	}
	return true
}

// recovered receives an item that was missed. The node is seldom the only one that missed it: the first that finds it
// sends it to its zone too.
func (n *Node) recovered(m *Item, at time.Duration, path zone.Path, from engine.Peer) {
	n.deliverHere(m, from)
	if n.jobs[jobKey{m.Name(), path}] == nil && len(n.jobs) < maxJobs {
		n.start(m, at, path)
	}
}
