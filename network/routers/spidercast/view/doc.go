// Package view is the membership that SpiderCast assumes (Chockler, Melamed, Tock and Vitenberg, DEBS 2007, sections
// 2.2 and 3.7): each node's interest view. It has the identities of a part of the other nodes and what they follow,
// kept by gossip in the manner of Cyclon (Voulgaris, Gavidia and van Steen, "CYCLON: Inexpensive Membership Management
// for Unstructured P2P Overlays", 2005).
//
// Every round a node exchanges parts of its view with the one from which nothing came for longest. What it sends is
// half drawn at random and half chosen for the other: those that follow what it seeks, or share most topics with it. So
// nodes find others that are alike (as in Vicinity, Voulgaris and van Steen, 2005) and lose sight of none.
//
// # What is promised
//
// A view holds Config.Share of the nodes; their number is estimated within a factor of two. It also holds Cover of each
// own topic if the network has as many. Both are within Least and Most. An entry says how long ago its node itself
// confirmed it. The dead are gone after MaxAge everywhere, at a node that asks them at once. A node that was lost is
// asked again at intervals, so that two halves of a network find together.
//
// At rest a node costs two messages of up to 3 KB in each of its rounds, and as much for those of others.
//
// # Lies
//
// Entries are hearsay, except what a node says of itself. Half of a view are nodes that were met, where there are so
// many: inventions cannot fill it. A node that claims to follow far more than is usual is not kept for that.
package view
