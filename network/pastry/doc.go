// Package pastry routes messages to the node whose ID is closest to a key, through a ring of nodes without a central
// authority. It follows Rowstron and Druschel, "Pastry: Scalable, decentralized object location and routing for
// large-scale peer-to-peer systems" (Middleware 2001). What makes it dependable is from MSPastry: Castro, Costa and
// Rowstron, "Performance and dependability of structured peer-to-peer overlays" (DSN 2004).
//
// A node knows its neighbours on the ring: the leaf set. For each prefix of its own ID it knows nodes that continue
// differently: the routing table. Both are views of one list (known.go). Each hop brings a message to a node that
// shares one more digit with the key. Within the leaf set's reach, it brings it to the closest node. For N nodes that
// is about log16 N hops.
//
// # What is promised
//
// A message that [Node.Route] accepts is delivered to the application at the node that is closest to its key. The node
// was closest at some moment between sending and delivery. It is tried again until its origin knows of a delivery,
// gives up ([Lost]; Config.RouteTries) or stops. While the origin lives and the ring holds together, it is delivered at
// least once. A node delivers a message at most once, as long as it remembers it (Config.MaxSeen). Two nodes may both
// deliver it, if the first one's receipt was lost, or the node with it, and another is closest at the next try.
// Applications that cannot bear this compare what they have seen. Nothing is promised of order.
//
// If two nodes differ about which one is closest, one of them is wrong. That happens while a peer is wrongly counted as
// dead (see Config.ProbeTries). It also happens while rings are apart, even if links work in one direction only: each
// side then delivers by itself.
//
// # Parts
//
// A [Node] decides which peers it believes in, and receives messages for its parts. Each part owns its state, says in
// its comment what it promises, and is tested alone:
//
//   - membership is how far the node has come: idle, joining, active. joiner asks the seeds.
//   - known are the peers that it believes alive: leaf set and routing table are views of them. lost are others, which
//     it looks for.
//   - prober asks peers whether they live. lag says how much longer than usual to wait for answers.
//   - damage says when the leaf set is to be repaired, and when it is whole again.
//   - routing moves messages, and delivers them.
//   - merge, duplicates and contradictions remember what was done lately, so that it is not done again at once.
//
// # How nodes are believed
//
// What a message says of other nodes is hearsay. A peer enters the list only when it has spoken for itself, which the
// Env vouches for. It is dead only when it has missed all its probes. A node is active, and delivers, only when all its
// neighbours have answered and none of them knows of a closer one. By then they have it in their leaf sets. A node that
// lies about others causes probes, at most Config.MaxProbes at a time.
//
// A node that finds a neighbour dead reports it. Nodes that still receive from that neighbour contradict
// (contradict.go): they send a name to ask for, which by itself is not believed.
//
// A receipt is believed from any node that names the message. Names are drawn at random, so only the nodes on a
// message's way know them. Such a node can pretend a delivery as well as it can drop the message. Applications that
// must withstand such nodes ask by more than one way.
//
// # What differs from the papers
//
//   - The neighbourhood set M is left out, as in MSPastry: hearsay comes by rows.
//   - An Answer names the nodes next to the asker, not the leaf set of the one that answers. So three things are the
//     same loop: joining, repair, and finding the way back after a whole side of the leaf set has died. Ask, and ask
//     those that are named, until none is closer.
//   - A slot has PerSlot peers, of which routing uses the one that shares most bits with the key. Routes are about a
//     tenth shorter.
//   - Rows are exchanged with one contact each Config.TablePeriod, in turns with any and with one of a row that has
//     gaps. The paper asks one of each row every 20 minutes.
//   - The origin of a message learns of its delivery, and tries again if it does not. The papers
//     leave that to applications.
//   - A message names the node that is connected with its origin (Routed.Entry). Answers reach nodes that accept no
//     other connection by it.
//   - Where IDs cost work, peers without it are not believed in, whichever node names them. A leaf set has at most two
//     nodes of one network prefix (crowd.go).
//   - Dead peers are remembered and looked for, so that rings that were apart find each other.
//
// At rest a node sends 0.15 messages a second, about 35 bytes, in a ring of any size. Neighbours do not repeat what
// they have sent (kept.go).
package pastry
