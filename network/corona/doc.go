// Package corona polls channels cooperatively: Ramasubramanian, Peterson and Sirer, "Corona: A High Performance
// Publish-Subscribe System for the World Wide Web" (NSDI 2006).
//
// The node here only routes messages and wires five machines. Each is a package with its own messages, state and
// promises:
//
//	roster   subscriptions, and the owners that hold them     section 3.3, subscription
//	plan     how many nodes poll a channel, which, and when   sections 3.1 and 3.2; 3.3, optimization,
//	                                                          aggregation and maintenance
//	version  reports of changes, and how they become versions section 3.3, update dissemination
//	budget   bounds the polls of a host by its readers        none
//	params   what all nodes of a network agree on             none
//
// An update passes through them like this. A node of the channel's polling set (plan) finds a change and reports it to
// the primary. That is the owner closest to the channel's ID (roster). The primary checks it, if the host can bear the
// check (budget), and assigns it a number (version). The version goes down the polling set, so that all pollers compare
// with the same content. It also goes to all subscribers: directly if they are few, by a tree of the network's router
// if they are many.
//
// Each machine declares what it needs of the others as an interface; the files host_*.go here implement these. Version
// calls plan and roster, and plan and budget call roster. Events go the other way.
//
// # Malicious nodes
//
// Every package documents what an attacker can and cannot do to it. In short, a single node can withhold messages that
// pass through it until others ask elsewhere. It cannot get an invention shown. A tenth of all nodes can aim about a
// sixth of a host's requests. Slots, and limits that pollers receive, are not signed.
//
// # What differs from the paper
//
//   - Polling sets have any size, where the paper's wedges have powers of sixteen nodes. Nodes are counted, where it
//     computes N/b^l. The best size of each channel follows from one multiplier (package curve), where it solves for
//     levels. There an orphan, a channel whose primary is across a border between prefixes, has too few pollers or too
//     many. Here the primary is in the middle of every set. Experiments have all that as in the paper:
//     lab/experiments/corona/levels.
//   - Polls are spread by slots, not at random.
//   - The primary alone decides on a size. In the paper each member decides for those below it, on the same figures.
//   - All updates go by the primary. In the paper the finder shares those with a modification time.
//   - Reports are checked. The paper trusts all nodes.
package corona
