// Package plan decides who polls a channel, and when: the optimization, aggregation and maintenance of Corona (section 3).
//
//   - Polling set: a run of adjacent sub-prefixes around the channel's ID (machine.Size), and the primary. Sets come in eight sizes an octave, so that a channel
//     has about any number of pollers, and its primary is in the middle of them. The paper's wedges are runs of one sub-prefix, of whole digits.
//   - Aggregation: each slot of the routing table has a contact, which answers for all nodes that share one digit more with it than with this node. Contacts
//     tell how many these are, by their next digit, and sum up what channels they are primary of. Where there are none, they are asked once in five minutes at most.
//   - Optimization: from these sums every primary finds the same multiplier, which tells how many pollers each of its channels is to have (package curve). By the
//     paper's settings levels come from Honeycomb (paper.go).
//   - Maintenance: the primary tells each contact that answers for a part of the set, which tells its own contacts in that part, until all members know. A contact
//     may be outside of the set; then it only passes on. Each divides its slot of the polling interval among itself and those below by the nodes of the set that
//     they have been counted to have, so that the polls of a set are evenly spread.
//
// # A channel at a node
//
//	         Assignment from above, for a part of the ring that has members
//	nothing ──────────────────────────────────────────────────────────────▶ assigned: polls, if it is a member, and passes on
//	   │  ▲                                                                    │  ▲
//	   │  └── Stop; a digest without it; not confirmed in AssignmentsLast; ◀───┤  │
//	   │      its certificate has ended                                        │  │ another is closer: handed over
//	   │                                                                       ▼  │
//	   └── becomes primary, is informed and has a permit ───────────────────▶ leads: chooses the size
//
// What has not changed is not sent again: sums of assignments (MaintenanceDigest) show a node what it lacks, or has too much.
//
// # Promises
//
//   - At rest all members of a set poll, once an interval each, and nobody else; load is what the policy allows less a hundredth or two.
//   - When a primary dies the next owner goes on with the same set and slots, as soon as the owners know of each other.
//   - All pollers keep what an origin asks for; together they keep its least interval.
//   - A lost or doubled message costs a set some polls until the next digest: a maintenance interval at most.
//
// # Malicious nodes
//
// A contact can withhold assignments from those for whom it answers, tell them wrong slots, or count them wrong: no more nodes than a ring as dense as this one
// can have there. However often it moves a slot, two turns of a node are half an interval apart (duties.soonest). What an origin asks for goes down as the primary
// has signed it (Asked): a contact cannot have others poll less in its name, and who withholds it has them asked for patience by the origin itself. It can tell
// all below it of a version that does not exist: each asks three nodes for it, and those whom a host's ceiling lets ask the origin, once an interval. Where the
// load of hosts is bounded nobody polls without a certificate (package budget). What a contact says of channels moves the multiplier: as many subscriptions as it
// likes, for all.
package plan
