// Package scribe carries events down trees that grow on Pastry's routes: Castro, Druschel,
// Kermarrec and Rowstron, "Scribe: A large-scale and decentralized application-level multicast
// infrastructure" (IEEE JSAC 2002). It is the router "scribe".
//
// A group has a key, which is its topic's ID unless said otherwise. The node closest to the key is
// the root of the group's tree. Who joins routes a Join toward the key; the first node on the way
// that is in the tree already takes it for a child, and a node that is not becomes part of the
// tree for its sake, as a forwarder. Nodes that nobody needs leave. Events are given to the root and
// go down the tree.
//
// # What is promised
//
// An event is delivered once to each member that joined before it was published, in no promised
// order, as long as some of the group's roots and of the nodes above a member do what they should, and as far
// as the ring holds together, or comes together again before the event is forgotten. A member that was away is given what was published since only as
// far as others still keep it: the latest Config.Kept events of a group.
//
// What is lost on the way is missed and sent again. Each node numbers what it hands to another,
// over all groups that the two share; a number that is left out shows with the next, or with the
// Heartbeats that a parent sends to each of its children at intervals, one for all groups. A child says that it knows of the latest
// number, or it is told once more. (The paper has heartbeats by group, and no repair.) A parent that is down or silent is
// replaced by another Join; whoever takes a node in gives it what it lacks.
//
// A node can answer all this and still swallow events. Two things find it out. The source numbers
// its events, so that most gaps show. And the event is given not to the root alone but to
// Config.Roots nodes, those closest to the key, who ask the publisher for what they do not get: each
// member compares what it has with one of them, drawn by lot, every Config.Compare. A member that is
// given something in this way that it should have had takes that root for its parent or, if that cannot
// be, looks for one over a random node of the ring, and compares more often for a while. A root that
// swallows is one of several.
//
// The same comparisons mend what no root has, or only some: a root that is asked by a member which has more than it
// has asks it in turn, and hands down what it gets. So what went to the roots of one part of a ring that had
// fallen apart comes to the others when it has merged, and what roots handed to some before they crashed comes to the rest, as far as
// members keep it: within a few times Config.Compare.
//
// Who may publish, and what, is not decided here: [network.Member.Admit] is asked at every node on the way.
// Who publishes is hearsay, and so are numbers; an event that comes under another's name delays
// nothing and replaces nothing, as long as digests are cryptographic.
//
// # Load
//
// No node has more than Config.MaxChildren children in a group, nor Config.MaxLoad in all: the
// farthest is handed down to a sibling, of two the one over which its way is the shorter (section 3.4, the
// bottleneck remover). What each node keeps is bounded (Config); what it sends at rest is
// a Heartbeat for each child, whatever the number of groups, and a comparison for each group of which it
// is a member.
//
// # What differs from the paper
//
//   - One Heartbeat for all groups of a parent and a child, and numbers on what passes between them.
//   - Several roots, and comparisons with them.
//   - Publishers know the roots, and give events to them directly: whole to the closest; the others are
//     told that it comes down the tree, and ask for it if it does not. So a link carries an event once.
//   - The way to the root is told down the tree, so that a circle shows; the paper argues that
//     Pastry's routes make none, but handing down and detours could.
//   - A child that is handed down chooses among two siblings, not all: else the one nearest to the parent got nearly
//     all of them, and trees became chains. For the same reason no child drives out others before it is known how far
//     away it is.
//   - A tree can be rooted at any key: at the ID of the node that publishes.
package scribe
