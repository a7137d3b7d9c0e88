// Package pieces fetches larger content, which travels by reference, from nodes that have it: in
// pieces, from several at a time, each piece verified by itself, as BitTorrent does (Cohen, "Incentives
// build robustness in BitTorrent", 2003).
//
// Content is named by its [Ref], the SHA-256 of its [Manifest]: length, size of a piece, and the
// SHA-256 of each piece. Who publishes signs the Ref with the rest of an item, so that nothing else
// need be believed: a manifest either has the hash that it is asked for by or not, and so have pieces.
//
// A node serves what its [BlockStore] holds, whole or in part, to any node that knows the Ref, as fast as
// Config.ServeRate. Who fetches asks several sources for different pieces. One that sends something
// false is asked no more; one that is slow is asked for nothing more until it has sent what it was
// asked for, while others are asked for the same; one that is silent for long is dropped. What was
// fetched stays in the store: a fetch that was broken off goes on where it was.
//
// There is no trading of pieces for pieces, as there are no strangers to be moved to give: members of a
// tree carry each other's updates anyway.
//
// Who has a content is known to its owners, the Config.Owners nodes whose IDs are closest to the Ref's first
// bytes: a node that has some of it, and lends it, reports to them every Config.Announce, and one that fetches asks
// them, as BitTorrent's clients ask a tracker, or each other (BEP 5). What an owner says is hearsay: it
// can waste a fetch's time and can give it nothing false. Each names a few lenders at a time, so that no one of
// the owners can fill a fetch's list of sources. Who fetches what is known to the owners, and to those it asks.
package pieces
