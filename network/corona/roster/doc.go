// Package roster keeps who subscribes to what: at a node, its own subscriptions; at an owner of a channel, everybody's. It is a machine of Corona (network/corona).
//
// The Config.Owners nodes closest to a channel's ID own it and hold its subscriptions; the closest is the primary. It is promised that:
//
//   - A subscription is acknowledged when all owners hold it: it survives the simultaneous failure of all but one. An owner that does not answer for some
//     ten seconds is not waited for.
//   - Of two subscriptions of one subscriber the higher stamp holds. Those that ended are kept for a while, so that tables merge whatever is lost, doubled,
//     reordered or partitioned. Where a node has lost its count and stamps are equal, the one with more readers holds until the node stamps anew.
//   - Owners compare sums of their tables once a maintenance interval and when a channel gets another owner. A former owner keeps what it has until the
//     owners confirm that they have it.
//   - What is not renewed for Config.Forget is forgotten. What all owners lose at once comes back within 9/8 of Config.Renew, within a minute where the
//     subscriber's node notices that the primary is down.
//   - A node that is told of a subscription of its own that it does not know, as after the loss of its disk, ends it.
//
// A channel at an owner:
//
//	           a subscription, a copy, entries
//	nothing ───────────────────────────────────▶ owned ──▶ informed       all others have told what they know, or had the time
//	   ▲                                           │  ▲         │
//	   │ nobody subscribes any more                │  │ owner   │ others are closer
//	   ├───────────────────────────────────────────┘  │ again   ▼
//	   └────────────────────────────────────────────── leaving            until all owners have what this node has
//
// A subscription at its own node:
//
//	Subscribe ──▶ due ──▶ under way ──▶ acknowledged ──▶ due, to renew it      ended: forgotten once it is acknowledged
//	               ▲          │ no answer: over the ring, from the third time on past the primary
//	               └──────────┘
//
// Nodes sign their subscriptions. So an attacker can withhold subscriptions that it owns, or claim to hold none, but neither make one in another's name nor
// change one. One that refuses or ignores those that it is primary of is bypassed: they go to an alternate key beside the channel, and from there to the next
// owner. Stamps more than a day ahead of the calendar are not taken, so nobody keeps a subscriber from a later change of mind.
package roster
