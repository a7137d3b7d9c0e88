// Package view is the membership that SpiderCast takes for granted (Chockler, Melamed, Tock and Vitenberg, DEBS 2007, sections 2.2 and
// 3.7): each node's interest view, the identities of some other nodes and what they follow, kept by gossip in the manner of Cyclon
// (Voulgaris, Gavidia and van Steen, "CYCLON: Inexpensive Membership Management for Unstructured P2P Overlays", 2005).
//
// Every round a node exchanges parts of its view with the one of whom it has not heard for longest. What it sends is half drawn at
// random and half chosen for the other: those that follow what it seeks, or share most topics with it. So nodes find others
// that are alike (as in Vicinity, Voulgaris and van Steen, 2005) and lose sight of nobody.
//
// # What is promised
//
// A view holds Config.Share of the nodes, whose number is estimated within a factor of two, and Cover of each own topic when the
// network has as many, within Least and Most. An entry says how long ago its node itself confirmed it: the dead are gone after MaxAge everywhere,
// at a node that asks them at once. Who was lost is asked again from time to time, so that two halves of a network find together.
//
// What a node costs: at rest two messages of up to 3 KB in each of its rounds, and as much for those of others.
//
// # Lies
//
// Entries are hearsay, except what a node says of itself. Half of a view are nodes that were met, where there are so many: inventions cannot fill it. Who
// claims to follow far more than is usual is not kept for that.
package view
