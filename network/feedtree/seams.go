package feedtree

import (
	"tidings/network"
	"tidings/network/engine"
)

// Tree is what FeedTree asks of a router: Scribe's, and what package agreed makes of any. It admits each event at every
// node through which that passes. Where the router is told that another node has one, it says so by Node.Arrived.
type Tree interface {
	network.Router
	// Parent, Children and Roots return who stands above this node in a topic's tree, who has its events from this
	// node or as this node has, and where they enter; not itself. A router whose trees have no parents, or no
	// roots, has none.
	Parent(topic engine.ID) (engine.Peer, bool)
	Children(topic engine.ID) []engine.Peer
	Roots(topic engine.ID) []engine.Peer
	// Distrust looks for another parent.
	Distrust(topic engine.ID)
}

// Ring is what FeedTree asks of Pastry; see there.
type Ring interface {
	Active() bool
	Route(key engine.ID, payload engine.Message)
	// Known returns every node that this one knows and believes alive, by ID.
	Known() []engine.Peer
}

// Library holds the items of the topics that this node follows or speaks for. Its methods return at
// once and call nothing back before they do.
type Library interface {
	// Keep keeps an item, which is genuine and which this node follows. What becomes of it is
	// told by Node.Kept, once the item is as safe as it will be: the node counts on it
	// from then on. A library that cannot keep it now answers when it can. An item that it was
	// given before, as in an earlier life of the node, it keeps once.
	Keep(topic engine.ID, item *Item)
	// Lend finds items of a topic and gives them to found, in the order of their numbers: the first that
	// are here of those from one number up to another (0: the latest), at most so many. None: nil. In the
	// place of an item that was taken back stands the one that did so, once.
	Lend(topic engine.ID, from, to uint64, most int, found func([]*Item))
}

// Archive finds items that neither members nor roots have any more.
type Archive interface {
	// Find looks for an item, and calls found once, not before it returns, with the item, or with what stands
	// in its place as it was taken back; nil, nil: it was not found. Whether that is genuine is looked at
	// here.
	Find(topic engine.ID, number uint64, found func(*Item, *Withdrawal))
}
