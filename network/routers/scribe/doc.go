// Package scribe carries events down trees that grow on Pastry's routes: Castro, Druschel, Kermarrec and Rowstron,
// "Scribe: A large-scale and decentralized application-level multicast infrastructure" (IEEE JSAC 2002). It is the
// router "scribe".
//
// A group has a key, which is its topic's ID unless said otherwise. The node closest to the key is the root of the
// group's tree. A node that joins routes a Join toward the key. The first node on the way that is in the tree admits it
// as a child. A node on the way that is not in the tree joins it as a forwarder. Forwarders without children leave.
// Events are sent to the root and go down the tree.
//
// # What is promised
//
// An event is delivered once to each member that joined before it was published, in no promised order. This holds under
// two conditions. At least one of the group's roots, and one of the nodes above a member, follow the protocol. And the
// ring holds together, or comes together again before the event is forgotten. A member that was away receives what was
// published since only if others still keep it: the latest Config.Kept events of a group.
//
// Events that are lost on the way are noticed and sent again. Each node numbers what it sends to another, over all
// groups that the two share. A missing number shows with the next one, or with a Heartbeat. A parent sends Heartbeats
// to each of its children at intervals, one for all groups. A child acknowledges the latest number; otherwise the
// parent sends it once more. (The paper has heartbeats by group, and no repair.) A parent that is down or silent is
// replaced by another Join. A node that admits another sends it what it lacks.
//
// A node can answer all this and still swallow events. Two mechanisms detect it. The source numbers its events, so that
// most gaps show. And the event goes not only to the root but to Config.Roots nodes, those closest to the key. They
// request from the publisher what they do not receive. Every Config.Compare, each member compares what it has with one
// of them, drawn at random. If a member receives in this way an event that it should have had, it makes that root its
// parent. If that is impossible, it looks for a parent over a random node of the ring. It then compares more often for
// a while. A root that swallows is one of several.
//
// The same comparisons repair events that are missing at the roots. If a member that compares has more than the root,
// the root requests the rest from it, and sends it down. So events that went to the roots of one part of a divided ring
// reach the others after the merge. Events that roots sent to a part of the members before they crashed reach the rest.
// This holds as far as members keep the events, and needs a small multiple of Config.Compare.
//
// This package does not decide which node may publish what: every node on the way asks [network.Member.Admit]. The
// publisher's name is hearsay, and so are numbers. An event that comes under another's name delays nothing and replaces
// nothing, as long as digests are cryptographic.
//
// # Load
//
// No node has more than Config.MaxChildren children in a group, nor Config.MaxLoad in all. Otherwise the farthest moves
// to one of two siblings, the one over which its way is shorter (section 3.4, the bottleneck remover). What each node
// keeps is bounded (Config). At rest it sends a Heartbeat to each child, whatever the number of groups, and a
// comparison for each group of which it is a member.
//
// # Parts
//
// [Node] receives messages, and joins the parts. Each has its own state, and no part knows another: links are the
// parents and children of all groups. A downlink sends events to one child, and an uplink receives them from one
// parent. groups are what is done with all groups. A searcher looks for parents, and a comparer detects events that are
// kept back. A cache holds the latest events. A publisher offers this node's own events to the roots, a finder finds
// the roots, and a prober measures distances.
//
// # What differs from the paper
//
//   - One Heartbeat for all groups of a parent and a child, and numbers on what passes between them.
//   - Several roots, and comparisons with them.
//   - Publishers know the roots, and give events to them directly: whole to the closest; the others are
//     informed that it comes down the tree, and ask for it if it does not. So a link carries an event once.
//     An event that has gone over the ring in vain is offered to the other roots too: until a crash of the
//     closest is noticed, all ways lead there.
//   - The way to the root is sent down the tree, so that a circle shows; the paper argues that
//     Pastry's routes make none, but handing down and detours could.
//   - A child that is handed down chooses among two siblings, not all: else the one nearest to the parent got nearly
//     all of them, and trees became chains. For the same reason no child drives out others before it is known how far
//     away it is.
//   - A tree can be rooted at any key: at the ID of the node that publishes.
package scribe
