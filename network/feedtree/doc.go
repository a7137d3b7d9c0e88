// Package feedtree carries what publishers push: items of feeds that are signed and numbered, by the router of the
// network. Sandler, Mislove, Post and Druschel, "FeedTree: Sharing Web micronews with
// peer-to-peer event notification" (IPTPS 2005).
//
// A publisher has a key. A feed and a key make a topic ([TopicOf]); the publisher's node is its author, readers' nodes
// follow it. Each [Item] has a number, one above the last, a time, an entry that is opaque to the network, and a
// signature. When nothing is published a [Heartbeat] says so (section 3.1). The conventional feed names the key. Trust
// begins with the first request for it over HTTPS. From then on the key is pinned. A [Rotation] that the old key has
// signed replaces it, and a [Revocation] ends it.
//
// # What is promised
//
// Nothing goes down a tree or to the Library unless the holder of the topic's key has signed it. Every node on the way
// checks each statement once, and cheap checks come first. Statements that are forged, altered, replayed, out of order,
// dated ahead or too long are refused, traced, and counted by sender ([Node.Refusals]). A peer that passes on what no
// honest node would is ignored for a while.
//
// A follower's Library receives each item once, in the order of the numbers. If a gap lasts longer than Config.Hold,
// the items after it are no longer held back. Nor is anything held back for what was published before a new follower
// learned of the publisher. A gap, or an overdue heartbeat, starts a search (section 3.3). The follower asks the
// parent, then others in the tree, then any node with the item on a way to the root, then the archive. In the end
// Fallback is traced, and the conventional feed has to be polled. The search goes on, more and more slowly. So an item
// is had as long as one node or the archive has it and can be found. What is further back than Config.Window is not
// looked for; Skipped says so.
//
// An item can withdraw earlier ones, by their numbers ([Withdrawing]). A node that has it sends none of these to
// another node. A node that asks for one gets the item that withdrew it, and lacks nothing then. The router, which
// keeps what came lately for those that have missed it, asks before it does so (network.Withdrawer).
//
// A parent that passes on heartbeats and no items is found out by the gap, and replaced.
//
// Two items with one number are proof against the publisher, or of a second holder of its key. The proof spreads to all
// in the tree. A follower keeps the item that it had first, if any. It accepts no other, and continues with those after
// it.
//
// # Routers
//
// The paper's is Scribe; any other that asks [Node.Admit] at each node will do ([Tree], package agreed). What FeedTree
// does itself it does with all: order, gaps, heartbeats, keys, searches. A search begins with the parent and the root
// if the router has them, else with the nodes that the router names beside this one. Then it goes over the ring, and to
// the archive. The router reports that another node has an item ([Node.Arrived]). If it does not, the author's
// neighbours are asked ([Confirm]).
//
// # Publishers
//
// The author's node keeps the numbers; this package never gives one. After each start it asks the network for items
// beyond the last one it knows of. It reports them ([Overtaken]) before it publishes, so a node that was restored from
// an old copy continues above. A second node that speaks at the same time is different. Its words come down the tree,
// and the author's node stops publishing ([Contested]) until it is made the author again.
//
// # Parts
//
// [Node] receives messages, and keeps the items of each channel in order. Parts with their own state do the rest. A
// record judges what was signed and knows the latest of it. Refusals count what peers send. Convictions are proofs of
// numbers given twice. A voice is when a publisher has spoken and has promised to. A searcher finds what is missing,
// and authors speak for publishers.
//
// # What differs from the paper
//
//   - A topic is of a feed and a key, not of a feed. So a node without the key cannot even use others' time in a tree
//     that is not theirs.
//   - Updates hold one item each; the number counts items, so that a gap says how many are missing.
//   - Heartbeats are not sent as often as updates might come, but once in half the silence that is
//     promised.
//   - Members are asked before the feed's origin is: the paper goes from the parent to the origin.
package feedtree
