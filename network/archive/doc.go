// Package archive keeps every published item retrievable by its name, which is a topic and a number,
// from the nodes whose IDs are closest to the hash of that name: Rowstron and Druschel, "Storage
// management and caching in PAST, a large-scale, persistent peer-to-peer storage utility" (SOSP 2001).
//
// An item is bytes. What they say is not known here: a [Verifier] reports whether bytes are the genuine ones
// of a name, by a signature that they carry, and nobody stores or returns any others. The names of a
// topic's items hash to points all over the ring, so that no node has to keep, or serve, a topic.
//
// # What is promised
//
// An item that was inserted is found as long as one of the Config.Replicas nodes that had it lives, or
// comes back with its disk, and the ring holds together. As nodes come and go, the closest ones are
// given what they lack by those that have it; a node that is none of the closest any more forgets an
// item only when all of them have said that they have it. Inserting twice is inserting once.
//
// A name has one item. Whoever can make two that the Verifier takes, a publisher that equivocates, has the
// one whose hash is less kept in the end, so that all replicas agree. What its publisher withdraws is replaced so by a
// void ([VoidMark]), which counts as the least: once it is inserted, no replica returns the item any more.
//
// # Who is believed
//
// A node can swallow what it should pass on, say that it has nothing, send false bytes, or claim to
// have stored what it has not. Therefore: bytes are judged wherever they arrive; who inserts hears from
// the replicas themselves, of which more than half must have the item, and gives it to each that is
// silent; who looks up asks the other owners, and over other nodes who they are, before it gives up;
// and each replica compares what it has with all others, so that one honest replica is enough for
// the item to be replicated again. What comes by way of the ring says who asks, which is hearsay, and
// is answered with names of nodes alone; items are sent to nodes that ask directly.
//
// An owner that has an item for a purpose of its own, as who was pushed it, takes it from its [LocalSource] if that is the
// one that it is offered, and fetches nothing.
//
// All this is as good as the ring: whoever has made all nodes next to a key its own can keep an item
// from being found.
//
// # How replicas agree
//
// The keys of which two nodes are both owners lie in one stretch of the ring, or two in rings smaller
// than twice Replicas. Each node compares the sum of its items' hashes there with each co-owner in
// turn. Where sums differ the stretch is cut into parts, down to lists of some items, and each fetches
// what it lacks. At rest that is two messages of some 100 bytes for each co-owner in Config.Compare.
//
// # When there is no room
//
// Each node drops first what it is no owner of, then what lies farthest from its own ID, and takes an
// item only if it lies nearer than what has to go for it. What is the farthest for one owner is nearer
// to the others: so the network has fewer copies of many items before it loses one, and no two nodes
// hand an item back and forth. Had each dropped the oldest first, all copies of an item would go at
// once. A topic has a quota of its own, within which the same holds, so that a publisher who floods
// drops its own items alone.
//
// # Replicas and costs
//
// Of a fifth of all nodes that lose their disks at one moment, 0.2^k of the items are expected to be
// lost: 4 % with two replicas, 0.8 % with three, 0.03 % with five, 0.001 % with seven. Five is also what
// a leaf set of 16 bears while some neighbours have just died. In the simulator, seed 1, with items of
// 1 KiB and 50 ms from node to node:
//
//   - 3,000 items, 100 nodes, a fifth of which crashes with its disks: all copies of what was left are
//     there again after 45 s, for 0.8, 1.4 and 1.8 KB sent for each item (k = 3, 5, 7).
//   - 1,000 items, 60 nodes, three hours in which 25 % of the nodes are replaced an hour, half of them
//     without their disks: nothing lost, none of 900 lookups failed, for 2.5, 4.3 and 6.3 KB sent for
//     each item and hour (k = 3, 5, 7). With 100 % an hour 6.8, 11.8 and 17.3 KB, and nothing lost.
//     The lookups, 300 an hour, are 0.5 to 0.7 KB of it.
//   - In a ring of 200 an insertion is accepted after 0.41 s, for 8.2 KB sent by all nodes together, of
//     which five copies are 5.1; a lookup takes 0.20 s and 2.6 KB.
//   - At rest a node sends less than 1 byte a second with five replicas, whatever it keeps.
//
// BenchmarkCrash, BenchmarkChurn and BenchmarkUse measure the first three again.
//
// # What differs from PAST
//
//   - What is inserted is not routed: the owners are found by a short routed message, and bytes go to
//     one of them directly and from there to the others. They travel Replicas times in all, not once
//     more for each hop.
//   - There is no cache on the way, and no diversion of replicas: a full node refuses, and the others
//     have it.
//   - Nothing is reclaimed: who may store is the Verifier's business, and how much the quotas'.
//   - Replicas compare sums, where PAST leaves open how they find what they lack.
package archive
