// Package spread carries events over the links of a SpiderCast overlay, between nodes that follow their topics. The
// paper leaves this open (Chockler, Melamed, Tock and Vitenberg, "SpiderCast: A Scalable Interest-Aware Overlay for
// Topic-Based Pub/Sub Communication", DEBS 2007, section 5). The protocol follows Plumtree (Leitão, Pereira and
// Rodrigues, "Epidemic Broadcast Trees", SRDS 2007).
//
// The first event of a topic goes over all links that share the topic. A node that gets it twice prunes the second
// link. What remains is a tree, over which later events go at once ([Event]). Their names go over every link
// ([Announce]), batched over all topics. That ends when the neighbour acknowledges them or turns out to have the event.
// A node that lacks an announced event asks for it, and the link becomes part of the tree ([Graft]).
//
// No names are queued. A node keeps its latest events in one list, and each link has a position in it. So the state
// grows with links plus subscriptions, not with their product. A neighbour that joins or returns catches up when its
// position is set to the beginning.
//
// # Guarantees
//
// An event is delivered exactly once to every node that joined its topic, provided that links connect these nodes, or
// will while the event is kept: the latest Config.Kept events of a topic, Config.MaxKept in all. Events are not
// ordered. No node is sent an event of a topic that it has not joined. At rest, when all is acknowledged, no messages
// are sent.
//
// # Dishonest neighbours
//
//   - Every node has each event judged by its [network.Member].
//   - A neighbour that announces events without delivering them delays each by at most Config.Answer, if others
//     announce it too. One that keeps doing so, or never acknowledges, is reported by [Spread.OnSuspect] and asked
//     last.
//   - Announcing a short path earns a link a place in the tree only as long as events really arrive over it first.
//   - Neighbors that graft, prune or announce without end are limited: in messages, missing events, and bytes served.
//   - Replayed events are dropped as long as their names are remembered: Config.Remembered for each topic.
//
// # Differences from Plumtree
//
//   - Names go over tree links too, and are acknowledged: messages can be lost here, and a leaf may have no other link.
//   - An event that arrives twice over the same link prunes nothing: the network duplicated it, or it was requested
//     twice.
//   - Of several events that arrive at about the same time, one decides which links are pruned. Each alone would leave
//     a tree; together they would cut it into pieces.
//   - A shorter path is tried beside the old one, and the next event decides between them. Such trials are rare.
package spread
