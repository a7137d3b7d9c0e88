// Package pastry routes messages to the node whose ID is closest to a key, through a ring of
// nodes that nobody rules: Rowstron and Druschel, "Pastry: Scalable, decentralized object
// location and routing for large-scale peer-to-peer systems" (Middleware 2001), kept
// dependable by what MSPastry taught: Castro, Costa and Rowstron, "Performance and
// dependability of structured peer-to-peer overlays" (DSN 2004).
//
// A node knows its neighbours on the ring, the leaf set, and for each prefix of its own ID some
// nodes that go on differently, the routing table. Both are views of one list (known.go). A
// message takes a hop to a node that shares one more digit with the key, or, within the leaf
// set's reach, to the closest: for N nodes about log16 N hops.
//
// # What is promised
//
// A message that [Node.Route] takes is delivered to the application at the node that is
// closest to its key: at one that was so at some moment between sending and delivery. It is
// tried again until its origin knows of a delivery, gives up ([Lost]; Config.RouteTries) or
// stops. While the origin lives and the ring holds together, it is delivered at least once. A node
// delivers a message at most once, as long as it remembers it (Config.MaxSeen). Two nodes may
// both deliver it, if the first one's receipt was lost, or that node with it, and another
// is closest when the origin tries again: applications that cannot bear this compare what
// they have seen. Nothing is promised of order.
//
// Of two nodes that differ about who is closest one is wrong; that happens while a peer is wrongly
// taken for dead (see Config.ProbeTries), and while rings are apart: each side then delivers by
// itself, also where links work in one direction only.
//
// # How nodes are believed
//
// What a message says of other nodes is hearsay. A peer enters the list only when it has
// spoken for itself, which the Env vouches for; it is dead only when it has missed all its
// probes. A node is active, and delivers, only when all its neighbours have answered and none
// of them knows of a closer one; they have it in their leaf sets by then. Who tells lies about
// others causes probes, at most Config.MaxProbes at a time.
//
// A node that has found a neighbour dead says so, and is contradicted by those to which that neighbour speaks
// (contradict.go): it gets a name to ask for, and believes in nobody for that.
//
// A receipt is believed from whoever names the message. Names are drawn at random, so that only
// the nodes on a message's way know it: they can pretend that it was delivered as well as they
// can drop it. Applications that must withstand such nodes ask by more than one way.
//
// # What differs from the papers
//
//   - The neighbourhood set M is left out, as in MSPastry: hearsay comes by rows.
//   - An Answer tells the nodes next to the asker, not the leaf set of the one that answers.
//     So joining, repair, and finding the way back after a whole side of the leaf set has
//     died are the same loop: ask, and ask those that are told of, until nobody is closer.
//   - PerSlot peers stand in a slot, of whom routing takes the one that shares most bits with
//     the key: routes are about a tenth shorter.
//   - Rows are exchanged with one contact each Config.TablePeriod, in turns with any and with
//     one of a row that has gaps; the paper asks one of each row every 20 minutes.
//   - The origin of a message hears of its delivery, and tries again if it does not. The papers
//     leave that to applications.
//   - A message names who is connected with its origin (Routed.Entry), for answers to nodes to which nobody else can connect.
//   - Where IDs cost work, peers without are not believed in, whoever tells of them; and two of one part of the
//     network at most are in a leaf set (crowd.go).
//   - Dead peers are remembered and looked for, so that rings that were apart find each other.
//
// At rest a node sends 0.15 messages a second, about 35 bytes, whatever the size of the ring: neighbours do not repeat what they have told (kept.go).
package pastry
