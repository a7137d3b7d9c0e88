// Package rappel carries events down trees of subscribers alone: Patel, Rivière, Gupta and Kermarrec, "Rappel:
// Exploiting interest and network locality to improve fairness in publish-subscribe systems" (Computer Networks
// 2009). It is the router "rappel".
//
// Each topic has a tree of its own, whose root is its publisher and whose other nodes are those that have joined. A
// node's parent is always less remote from the root than itself, by network coordinates (package vivaldi). Who joins asks
// a friend that has joined already, or the root, and is sent on until there is room (Algorithm 2); from time to time it looks
// for a shorter way higher up. Friends are nodes with the same interests that are near (section 3): audits find them
// among the friends of friends (Algorithm 1).
//
// # What is promised
//
// Nobody who has not joined a topic is sent its events, except the root. Who leaves serves its children until they have other
// parents, 30 s at most; that apart, what comes to others was on its way, or sent before a lost [Leave] was noticed.
//
// An event is delivered once to each member that joined before it was published and stays up, as long as no more than
// Config.Cache events are published while it is cut off. The root numbers and signs updates. A number that is left out, the answer to
// a ping, or a void update shows what is missing; it is pulled from the parent, those above, and the root. A new member is given all that its
// parent keeps.
//
// Parents that die are found out by the next ping, or by their own parent at the next update, which calls their
// children; either where the transport tells of dead connections at once.
//
// # Roots
//
// Who the root is is for the [Directory] to say. A new root, and one that has forgotten, begins an epoch: numbers count within it. Epochs
// rise; they begin with the calendar clock, and above what children know of. What came in the last two minutes is
// numbered once more, so that those who lack it see that they do.
//
// # Lies
//
//   - Events are judged by [Member] and numbers signed by the root: either at every node.
//   - Coordinates are held against round trips, which nobody can shorten: of parents, and of new children by their
//     parents. Who is far off is left, or sent away for ten minutes. A friend counts as no nearer than was measured.
//   - A filter of all ones makes a poor friend by the Jaccard index; one that denies two joins is dropped.
//   - Swallowed updates show when a member compares what it has with another ancestor, every five minutes. The parent is
//     left, and avoided. An ancestor that does not know the topic is an invention of the parent's.
//   - Each peer is answered 20 requests a second; chains, sets and tables are bounded.
//
// A child says which its children are, and a parent which its ancestors are: hearsay, with which nothing is done but asking.
//
// # What differs from the paper
//
// [Paper] returns the paper's way of what can be configured.
//
//   - A child that does not answer is asked again before it is given up; its children are called by its parent.
//   - Where there is no room, that node goes a level down for which this is the least detour in proportion to its distance from the
//     root, and it goes where the detour is least. The paper sends down who is most remote, to who is closest to it.
//   - A rejoining node refuses places that are no nearer to the root by way of the tree. If the first branch has none, it tries others,
//     and those of two friends. It looks soon after it has come, and takes nobody's place later, so that trees come to rest.
//   - An evicted child is served until it has another parent. Evictions are bounded.
//   - Friends that together cover more topics go before nearer ones, and a fan in need before one that has others.
//   - A candidate whose profile is known is judged without waiting for the next audit. Parents and children have votes too.
//   - Chains of ancestors and friends sets are told only when they have changed.
//   - Publishers are no friends of anybody, as they want nothing; they name some of their children instead.
//   - A candidate that had no room is not asked again for ten minutes.
//   - The bonus of figure 3 also rewards to drop a friend whose interests others share: this is kept as it is.
package rappel
