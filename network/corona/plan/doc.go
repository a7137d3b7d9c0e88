// Package plan decides which nodes poll a channel, and when: the optimization, aggregation and maintenance of Corona
// (section 3).
//
//   - Polling set: a run of adjacent sub-prefixes around the channel's ID (machine.Size), with the primary in the
//     middle. Between a set and one of half its nodes there are machine.Steps sizes, so that a channel can have about
//     any number of pollers. The paper's wedges are runs of one sub-prefix, of whole digits.
//   - Aggregation: each slot of the routing table has a contact. It answers for all nodes that share one digit more
//     with it than with this node. Contacts report the number of these nodes, by their next digit, and sum up the
//     channels they are primary of. If there are no channels, contacts are asked at most once in five minutes.
//   - Optimization: from these sums every primary finds the same multiplier, which determines the number of pollers of
//     each of its channels (package curve).
//   - Maintenance: the primary assigns the channel to each contact that answers for a part of the set. The contact
//     assigns it to its own contacts in that part, until all members have it. A contact outside the set only passes it
//     on. Each node divides its slot of the polling interval among itself and those below, by their counted nodes of
//     the set, so that the polls of a set are evenly spread.
//
// # A channel at a node
//
//	         Assignment from above, for a part of the ring that has members
//	nothing ──────────────────────────────────────────────────────────────▶ assigned: polls, if a member, and passes on
//	   │  ▲                                                                    │  ▲
//	   │  └── Stop; a digest without it; not confirmed in AssignmentsLast; ◀───┤  │
//	   │      its readers are proved no more                                   │  │ another is closer: handed over
//	   │                                                                       ▼  │
//	   └── becomes primary, is informed ────────────────────────────────────▶ leads: chooses the size
//
// Unchanged assignments are not sent again: sums of assignments (MaintenanceDigest) show a node what it lacks, or has
// too much.
//
// # Promises
//
//   - At rest all members of a set poll, once an interval each, and no other node does. The load is one or two
//     hundredths below what the policy allows.
//   - When a primary dies the next owner continues with the same set and slots, as soon as the owners know of each
//     other.
//   - All pollers obey the origin; together they keep its least interval.
//   - A lost or doubled message costs a set some polls until the next digest: a maintenance interval at most.
//
// # Malicious nodes
//
// A contact can withhold assignments from the nodes for which it answers, or send them wrong slots. It can miscount
// them, up to as many as a ring as dense as this one can have there. However often it moves a slot, two turns of a node
// are half an interval apart (duties.soonest).
//
// An origin's wishes go down as the primary has signed them (Asked). So a contact cannot make others poll less in the
// primary's name. If it withholds them, the origin itself asks for patience.
//
// A contact can announce a version that does not exist to all nodes below it. Each asks three nodes for it, and those
// that a host's ceiling permits ask the origin, once an interval. If the load of hosts is bounded, no node polls
// without a proof of the channel's readers (package budget). A contact's reports on channels move the multiplier: they
// can claim any number of subscriptions, for all channels.
package plan
