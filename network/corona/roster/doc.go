// Package roster keeps subscriptions: at a node its own, and at an owner of a channel all of the channel's. It is a
// machine of Corona (network/corona).
//
// The Config.Owners nodes closest to a channel's ID own it and hold its subscriptions; the closest is the primary.
// Promises:
//
//   - A subscription is acknowledged when all owners hold it: it survives the simultaneous failure of all but one. An
//     owner that does not answer for about ten seconds is not waited for.
//   - Of two subscriptions of one subscriber the higher stamp holds. Ended ones are kept for a while, so that tables
//     merge whatever is lost, doubled, reordered or partitioned. If a node has lost its count and stamps are equal, the
//     one with more readers holds until the node stamps anew.
//   - Owners compare sums of their tables once a maintenance interval, and when a channel gets another owner. A former
//     owner keeps its data until the owners confirm that they have it. A node that stops hands over nothing: the other
//     owners have all of it.
//   - A subscription that is not renewed for Config.Forget is dropped. Subscriptions that all owners lose at once come
//     back within 9/8 of Config.Renew, or within a minute if the subscriber's node notices that the primary is down.
//   - A node that learns of a subscription in its name that it does not know, as after the loss of its disk, ends it.
//
// A channel at an owner:
//
//	           a subscription, a copy, entries
//	nothing ───────────────────────────────────▶ owned ──▶ informed       all others have reported, or had time
//	   ▲                                           │  ▲         │
//	   │ nobody subscribes any more                │  │ owner   │ others are closer
//	   ├───────────────────────────────────────────┘  │ again   ▼
//	   └────────────────────────────────────────────── leaving            until all owners have what this node has
//
// A subscription at its own node:
//
//	Subscribe ──▶ due ──▶ under way ──▶ acknowledged ──▶ due, to renew it      ended: dropped once acknowledged
//	               ▲          │ no answer: over the ring, from the third time on past the primary
//	               └──────────┘
//
// Nodes sign their subscriptions. So an attacker can withhold subscriptions that it owns, or claim to hold none. It can
// neither make one in another's name nor change one. A primary that refuses or ignores subscriptions is bypassed. They
// go to an alternate key beside the channel, and from there to the next owner. Stamps more than a day ahead of the
// calendar are refused, so nobody can block a subscriber's later changes.
package roster
