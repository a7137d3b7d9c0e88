// Package archive keeps every published item retrievable by its name, which is a topic and a number. The item is at the
// nodes with IDs closest to the hash of that name. It follows Rowstron and Druschel, "Storage management and caching in
// PAST, a large-scale, persistent peer-to-peer storage utility" (SOSP 2001).
//
// An item is bytes. Their meaning is not known here. A [Verifier] reports whether bytes are the genuine ones of a name,
// by a signature that they carry. No node stores or returns any others. The names of a topic's items hash to points all
// over the ring. So no node has to keep, or serve, a topic.
//
// # What is promised
//
// An item that was inserted is found as long as the ring holds together, and one of the Config.Replicas nodes that had
// it lives. A node that comes back with its disk counts as one that lives. As nodes come and go, the closest ones
// receive what they lack from those that have it. A node that is no longer one of the closest forgets an item only when
// all of them have confirmed it. Inserting twice is inserting once.
//
// A name has one item. A publisher that equivocates can make two that the Verifier accepts. Then the one with the
// smaller hash is kept in the end, so that all replicas agree. A withdrawn item is replaced in the same way by a void
// ([VoidMark]), which counts as the least. Once it is inserted, no replica returns the item any more.
//
// # Who is believed
//
// A node can drop messages that it should pass on, deny items that it has, send false bytes, or claim to have stored
// what it has not. Therefore bytes are judged wherever they arrive. A node that inserts gets confirmations from the
// replicas themselves, of which more than half must have the item. It gives the item to each that is silent. A node
// that looks up asks the other owners, and asks over other nodes which they are, before it gives up. Each replica
// compares what it has with all others, so one honest replica is enough for the item to be replicated again. A routed
// message says which node asks. That is hearsay, and is answered only with names of nodes. Items are sent to nodes that
// ask directly.
//
// An owner may have an item for a purpose of its own, as a node that was pushed it. If it is the offered one, the owner
// reads it from its [LocalSource], and fetches nothing.
//
// All this is as good as the ring. An attacker that owns all nodes next to a key can keep an item from being found.
//
// # How replicas agree
//
// The keys that two nodes both own lie in one stretch of the ring, or two in rings smaller than twice Replicas. Each
// node compares the sum of its items' hashes there with each co-owner in turn. If sums differ the stretch is cut into
// parts, down to lists of at most maxList items, and each fetches what it lacks. At rest that is two messages of about
// 100 bytes for each co-owner in Config.Compare.
//
// # Parts
//
// A [Node] receives messages for its parts, and brings them together. Each part owns its state, says in its comment
// what it promises, and is tested alone:
//
//   - standing is where the node stands on the ring: which keys it owns, and with which others.
//   - stock is what it keeps, with an index by key, within its bounds; serving sends that to nodes that ask.
//   - inquiries search the owners of an item. lookups search items in the network by them, inserts store items there.
//   - offers offer items to other owners, and acks are what those are owed. pull fetches what is lacking here.
//   - replicas compare what is here with co-owners. surplus hands over what others own.
//   - penalties are the peers from which nothing is fetched for a while.
//
// # When there is no room
//
// Each node first drops items that it does not own, then those that lie farthest from its own ID. It accepts an item
// only if it lies nearer than the one to drop for it. What is the farthest for one owner is nearer to the others. So
// the network has fewer copies of many items before it loses one, and no two nodes hand an item back and forth. Had
// each dropped the oldest first, all copies of an item would go at once. A topic has a quota of its own, within which
// the same holds. So a publisher that floods drops only its own items.
//
// # Replicas and costs
//
// If a fifth of all nodes lose their disks at one moment, 0.2^k of the items are expected to be lost: 4 % with two
// replicas, 0.8 % with three, 0.03 % with five, 0.001 % with seven. Five is also what a leaf set of 16 bears while
// several neighbours have just died. In the simulator, seed 1, with items of 1 KiB and 50 ms from node to node:
//
//   - 3,000 items, 100 nodes, of which a fifth crashes with its disks. All copies of what was left are there again
//     after 45 s, for 0.8, 1.4 and 1.8 KB sent for each item (k = 3, 5, 7).
//   - 1,000 items, 60 nodes, three hours. 25 % of the nodes are replaced an hour, half of them without their disks.
//     Nothing is lost, and none of 900 lookups failed, for 2.5, 4.3 and 6.3 KB sent for each item and hour (k = 3, 5,
//     7). With 100 % an hour 6.8, 11.8 and 17.3 KB, and nothing lost. The lookups, 300 an hour, are 0.5 to 0.7 KB of
//     it.
//   - In a ring of 200 an insertion is accepted after 0.41 s. All nodes together send 8.2 KB for it, of which five
//     copies are 5.1. A lookup lasts 0.20 s and costs 2.6 KB.
//   - At rest a node with five replicas sends less than 1 byte a second, however much it keeps.
//
// BenchmarkCrash, BenchmarkChurn and BenchmarkUse measure the first three again.
//
// # What differs from PAST
//
//   - An inserted item is not routed. Its owners are found by a short routed message; bytes go to one of them directly
//     and from there to the others. They travel Replicas times in all, not once more for each hop.
//   - There is no cache on the way, and no diversion of replicas. A full node refuses, and the others have the item.
//   - Nothing is reclaimed: which nodes may store is the Verifier's business, and how much the quotas'.
//   - Replicas compare sums, where PAST leaves open how they find what they lack.
package archive
