// Package feedtree carries what publishers push: items of feeds that are signed and numbered, by the router of the
// network. Sandler, Mislove, Post and Druschel, "FeedTree: Sharing Web micronews with
// peer-to-peer event notification" (IPTPS 2005).
//
// A publisher has a key. A feed and a key make a topic ([TopicOf]); the publisher's node is its author,
// readers' nodes follow it. Each [Item] has a number, one above the last, a time, an entry that means
// nothing to the network, and a signature. When nothing is published a [Heartbeat] says so (section 3.1).
// The conventional feed tells readers which key it is: the first look at it, over HTTPS, is what trust
// begins with. From then on the key is pinned; another takes its place by a [Rotation] that the old
// one has signed, and a [Revocation] ends it.
//
// # What is promised
//
// Nothing goes down a tree, and nothing is given to the Library, that the holder of the topic's key has
// not signed: every node on the way looks, once for each statement, and cheap looks come first. What is
// forged, altered, replayed, out of order, dated ahead or too long is refused, counted by the peer
// that sent it ([Node.Refusals]), and traced; a peer that passes on what no honest node would is not
// listened to for a while.
//
// A follower's Library is given each item once, in the order of the numbers but for gaps that last longer
// than Config.Hold: then what comes after a gap is not held back for it. Nor is anything held back for what was
// published before a new follower heard of the publisher. A gap, or a heartbeat that is
// overdue, leads to a search (section 3.3): the parent is asked, then others in the tree, then
// whoever has it on a way to the root, then the archive; in the end Fallback is traced, and the
// conventional feed has to be looked at. The search goes on, more and more slowly. So an item is had
// as long as one node or the archive has it and can be found. What is further back than Config.Window
// is not looked for; Skipped tells.
//
// An item can take earlier ones back, by their numbers ([Withdrawing]). A node that has it hands none of
// these to anybody: who asks for one is given the item that took it back, and lacks nothing then. The router,
// which keeps what came lately for those that have missed it, asks before it does so (network.Withdrawer).
//
// A parent that passes on heartbeats and no items is found out by the gap, and replaced.
//
// Two items with one number are proof against the publisher, or of a second holder of its key. The
// proof spreads to all in the tree. A follower keeps the item that it had first, if any, takes no other,
// and goes on with those after it.
//
// # Routers
//
// The paper's is Scribe; any other that asks [Node.Admit] at each node will do ([Tree], package agreed). What FeedTree does
// itself it does with all: order, gaps, heartbeats, keys, searches. A search begins with the parent and the root if the
// router has such, else with those that the router names beside this node; then it goes over the ring, and to the archive.
// That another node has an item the router says ([Node.Arrived]); where it does not, those beside the author are asked
// ([Confirm]).
//
// # Publishers
//
// The author's node keeps the numbers; this package never gives one. After each start it asks the network
// for items beyond the last that it knows of, and says so ([Overtaken]) before it publishes: a node that
// was restored from an old copy goes on above. A second node that speaks at the same time is another matter: what it
// says comes down the tree, and the author's node publishes no more ([Contested]), until it is made the author anew.
//
// # What differs from the paper
//
//   - A topic is of a feed and a key, not of a feed: who has no key cannot even use others' time in
//     a tree that is not theirs.
//   - Updates hold one item each; the number counts items, so that a gap says how many are missing.
//   - Heartbeats are not sent as often as updates might come, but once in half the silence that is
//     promised.
//   - Members are asked before the feed's origin is: the paper goes from the parent to the origin.
package feedtree
