// Package rappel carries events down trees of subscribers alone: Patel, Rivière, Gupta and Kermarrec, "Rappel:
// Exploiting interest and network locality to improve fairness in publish-subscribe systems" (Computer Networks 2009).
// It is the router "rappel".
//
// Each topic has a tree of its own. Its root is the publisher in the paper; here it is the node that the [Directory]
// names, for a channel its primary owner. The other nodes are those that have joined. A parent is always less remote
// from the root than its child, by network coordinates (package vivaldi). A node joins by way of the root, or of a
// friend that has joined already. It is sent on until there is room (Algorithm 2). At growing intervals it looks for a
// shorter way higher up. Friends are nodes with the same interests that are near (section 3; package interest). Audits
// find them among the friends of friends (Algorithm 1).
//
// # What is promised
//
// Only members of a topic and its root are sent its events. A node that leaves serves its children until they have
// other parents, for 30 s at most. Anything else that reaches a node which has left was under way, or was sent before a
// lost [Leave] was noticed.
//
// A member that joined before an event was published, and stays up, receives it once. The exception: more than
// Config.Cache events are published while it is cut off. The root numbers and signs updates. A number left out, the
// answer to a ping, or a void update shows that something is missing. It is pulled from the parent, from those above,
// and from the root. A new member receives all that its parent keeps.
//
// A dead parent is found out by the next ping. Or its own parent finds it out at the next update, and calls the
// children. Where the transport reports dead connections, either finds out at once.
//
// # Roots
//
// The [Directory] says which node is the root. A root that is new, or has forgotten what it was, begins an epoch,
// within which numbers count. Epochs rise: they begin with the calendar clock, and above what children know of. Events
// of the last two minutes are numbered once more, so that nodes that lack them see that they do.
//
// # Lies
//
//   - Every node judges events by [Member], and numbers by the root's signature.
//   - Coordinates are compared with round trips, which no node can shorten. A parent far from where it claims to be is
//     left, a new child sent away for ten minutes. A friend counts as no nearer than was measured.
//   - A filter of all ones makes a poor friend by the Jaccard index. A friend that denies two joins is dropped.
//   - Every five minutes a member compares what it has with another ancestor. If its parent swallowed updates, the
//     parent is left and avoided. An ancestor that does not know the topic was invented by the parent.
//   - Each peer is answered 20 requests a second; chains, sets and tables are bounded.
//
// A child names its children, and a parent its ancestors. That is hearsay: such nodes are asked, and nothing more.
//
// # What differs from the paper
//
// [Paper] returns the paper's way of what can be configured.
//
//   - A child that does not answer is asked again before it is given up; its parent calls its children.
//   - A full node sends down the child that this costs the least detour in proportion to its distance from the root,
//     and where the detour is least. The paper sends down the most remote one, to the one closest to it.
//   - A rejoining node refuses places that are no nearer to the root by way of the tree. If the first branch has none,
//     it tries others, and those of two friends. It looks soon after it has come, and displaces no node later: trees
//     come to rest.
//   - An evicted child is served until it has another parent. Evictions are bounded.
//   - Friends that together cover more topics go before nearer ones, and a fan in need before one that has others.
//   - A candidate with a known profile is judged at once, not by the next audit. Parents and children have votes too.
//   - Chains of ancestors and friends sets are sent only when they have changed.
//   - Publishers want nothing, so they are no node's friends; they name some of their children instead.
//   - A candidate that had no room is not asked again for ten minutes.
//   - The bonus of figure 3 also rewards dropping a friend when others share its interests. This is kept as it is.
package rappel
