// Package corona has nodes poll channels together: Ramasubramanian, Peterson and Sirer, "Corona: A High Performance Publish-Subscribe System for the World Wide
// Web" (NSDI 2006).
//
// The node here only routes messages and wires five machines, each a package with its own messages, state and promises:
//
//	roster   subscriptions, and the owners that hold them                 section 3.3, subscription
//	plan     how many nodes poll a channel, which, and when               sections 3.1 and 3.2; 3.3, optimization, aggregation and maintenance
//	version  reports of changes, and how they become versions that all get section 3.3, update dissemination
//	budget   what the readers of a host pay for, and no more              none
//	params   what all nodes of a network agree on                         none
//
// An update goes through them like this: a node of the channel's polling set (plan) finds a change and reports it to the primary, the owner that is closest to
// the channel's ID (roster), which checks it and gives it a number (version), if the host can bear the check (budget). The version goes down the polling set,
// so that all pollers compare with the same content, and to all subscribers: directly where there are few, by a tree of the network's router where there
// are many.
//
// Each machine states what it asks of the others as an interface; the files host_*.go here implement these. Calls go from version to plan and roster, from
// plan and budget to roster; what goes back is an event.
//
// # Malicious nodes
//
// Every package says what an attacker can and cannot do to it. In short: a node alone can keep from others what would go by it, until they ask elsewhere, and have
// nobody shown what it has invented; a sixth of a host's requests or so can be aimed by a tenth of all nodes. Slots, and limits that pollers are told, are not
// signed.
//
// # What differs from the paper
//
//   - Polling sets have any size, where the paper's wedges have powers of sixteen nodes; nodes are counted, where it computes N/b^l; and the best size of each
//     channel follows from one multiplier (package curve), where it solves for levels. Config.Paper has all that as in the paper. There an orphan, a channel
//     whose primary is across a border between prefixes, has too few pollers or too many: here the primary is in the middle of every set.
//   - Polls are spread by slots, not at random.
//   - The primary alone decides on a size. In the paper each member decides for those below it, on the same figures.
//   - All updates go by the primary, also those with a time of modification, which the paper has the finder share.
//   - Reports are checked. The paper trusts all nodes.
package corona
