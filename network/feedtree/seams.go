package feedtree

import (
	"tidings/network"
	"tidings/network/engine"
)

// Tree is what FeedTree asks of a router: Scribe's, and what package agreed makes of any. It admits each event at every
// node through which that passes. Where the router learns that another node has one, it says so by Node.Arrived.
type Tree interface {
	network.Router
	// Parent, Children and Roots return this node's parent, its children, and the entry nodes of a topic's tree, never
	// itself. Children are nodes that receive events from this node or at the same time. If a router's trees have no
	// parents, or no roots, they return none.
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
	// Keep keeps an item, which is genuine and which this node follows. The library reports the outcome by Node.Kept,
	// once the item is as safe as it will be. From then on the node relies on it. A library that cannot keep it now
	// answers when it can. An item that it was given before, as in an earlier life of the node, it keeps once.
	Keep(topic engine.ID, item *Item)
	// Lend finds items of a topic and passes them to found, in the order of their numbers. They are the first ones here
	// of those from one number up to another (0: the latest), at most most. None: nil. In the place of an item that was
	// withdrawn stands the one that did so, once.
	Lend(topic engine.ID, from, to uint64, most int, found func([]*Item))
}

// Archive finds items that neither members nor roots have any more.
type Archive interface {
	// Find looks for an item, and calls found once, not before it returns. found receives the item, or the withdrawal
	// in its place; nil, nil: it was not found. Whether that is genuine is looked at here.
	Find(topic engine.ID, number uint64, found func(*Item, *Withdrawal))
}
