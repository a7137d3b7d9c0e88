// Package deliver numbers contents, and brings each version to all that poll a channel or subscribe to it. It does what
// the paper's section 3.4 leaves to the primary owner: it assigns numbers, sends versions down the polling set and to
// subscribers, and lends them to nodes that lack them. Which contents are news, and which versions are believed, other
// packages decide.
//
// # States
//
// A content at the owner that numbers it (numbers.go). The library stores it first, which proves that it fits:
//
//	accepted ──▶ keeping ──▶ committing ──▶ witnessing ──▶ published ──▶ sent to pollers and subscribers
//	               │ fits      owners noted    witnesses
//	               │           it, or 2 s      signed, or 3 s
//	               └──▶ unfit, or another owner has given a higher number: refused
//
// Of a first version only the number is sent: subscribers polled when they began.
//
// A version at a node that receives it (intake.go, gaps.go):
//
//	update ──▶ leads on from what is held ──▶ believed ──▶ stored ──▶ what was set aside follows
//	   │                                          └──▶ unseen: it comes again when this node has seen it
//	   └─────▶ it does not: set aside ──▶ asks its sender ──▶ an owner ──▶ another owner ──▶ the origin ──▶ given up
//	                                          │ refused by the library: it is requested whole
//	                                          └──▶ a first poll of this node is about to come: it waits for that
//
// A channel's way to its subscribers (trees.go, fan.go, member.go):
//
//	by the primary itself ──▶ too many subscribers: all are to join ──▶ down a tree of the network's router
//	         ▲                                                               │ half of them are left
//	         └───────────────────────────────────────────────────────────────┘
//
// # What it promises
//
//   - Subscribers acknowledge. One that does not is sent a version four times. Then it is offered it over the ring,
//     once: its neighbours there have connections with it if any node has. One that lacks a version asks the node that
//     announced the next, then an owner, then the origin. One that was away learns of the latest when it renews.
//   - A version comes from one node. An owner that acts for the primary sends a version of the primary only if a node
//     has reported that it lacks it.
//   - A node may receive a number above the owners' from a node that could own the channel. It notifies the owners,
//     which number the next version above it (Machine.RaiseFloor).
//   - Below a poller that drops updates, nodes find the changes in their slots, and request the version. Pollers that
//     drop updates are not identified.
//   - A node inside a tree can withhold a version from those below it until they ask an owner, once an interval
//     (member.go).
package deliver
