package archive

import (
	"time"

	"tidings/network/engine"
)

// bring reads an item from the local source, or else fetches it from a peer that claims to have it. It does nothing if
// the item is useless here, or comes already.
func (n *Node) bring(from engine.Peer, item Held) {
	e := n.stock.held.find(item.Name)
	switch {
	case n.pull.wants(item.Name), item.Size == 0, int(item.Size) > n.config.MaxItem:
		return
	case e != nil && (e.coming || e.Print <= item.Print):
		return
	case n.penalties.is(from.ID, n.env.Now()) || !n.owns(item.Name.Key()):
		return
	case n.stock.adoptLocal(item):
		return
	case !n.pull.hasRoom():
		return
	}
	if _, why := n.stock.roomFor(newEntry(item), e); why == Accepted && n.pull.want(from, item) {
		n.replicas.gains(from.ID)
	}
}

// onItem receives an item that was asked for, by a lookup or to be kept here.
func (n *Node) onItem(from engine.Peer, m *Item) {
	n.lookups.onItem(from, m.Name, m.Bytes)
	if n.pull.arrives(from, m.Name) {
		n.stock.admit(from, m.Name, m.Bytes, func(Refusal) { n.pull.unwant(m.Name) })
	}
}

// onFetched receives the end of an answer.
func (n *Node) onFetched(from engine.Peer, m *Fetched) {
	n.lookups.onFetched(from, m)
	n.pull.onFetched(from, m)
}

// penalize has nothing fetched from a peer for a while if it can be had from others.
func (n *Node) penalize(id engine.ID, lasts time.Duration) { n.penalties.add(id, n.env.Now(), lasts) }
