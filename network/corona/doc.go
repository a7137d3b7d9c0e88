// Package corona has nodes poll channels together: Ramasubramanian, Peterson and Sirer, "Corona: A High Performance
// Publish-Subscribe System for the World Wide Web" (NSDI 2006).
//
//   - Owners: the Config.Owners nodes closest to a channel's ID hold its subscriptions. The closest is the primary.
//   - Wedge: the nodes that poll a channel. Their IDs share the channel's first bits; how many is the polling level. The
//     primary chooses it so that it is the best for all channels together, by network/honeycomb, from the channels owned
//     here and clusters that sum up all others (aggregation).
//   - Maintenance: assignments to poll, with slots of the polling interval, go down the wedge along the routing tables. A
//     primary that is not in the wedge has a member, its deputy, lead it (deputy.go).
//   - Updates: a node that finds a change reports it to the primary, which gives it a version number. The version goes
//     down the wedge, so that all pollers compare with the same content, and to all subscribers: directly where there
//     are few, by a tree of the network's router where there are many (package version).
//
// # Subscriptions
//
// A subscription is acknowledged when all owners hold it, and forgotten when it is not renewed. Package roster says how.
//
// # Versions
//
// Package version says how reports become versions, how these come to all who poll or subscribe, and what malicious nodes can and cannot do about it. What they
// can do to subscriptions: a primary that does not acknowledge one is bypassed as well; a deputy can drop everything, and slots are not signed. One whose clock
// is a day fast has its subscriptions refused, and polls for itself: no stamp is accepted that is more than a day ahead of the calendar.
//
// # Parameters
//
// All nodes of a network have the same policy, polling interval and maintenance interval, or their plans would not fit: see package params.
//
// # Hosts
//
// Where nodes sign and Config.HostCeiling is not zero, no host (a registered domain or an address: HostOf) gets more requests in an interval than its readers would
// send, nor more than the ceiling, whatever channels it has. Package budget says how, what it takes to exceed that, and what it costs. A channel that the host's
// owners have granted nothing is not polled by the network, nor by its primary; its subscribers' nodes still poll it rarely.
//
// # What differs from the paper
//
//   - Wedges are counted in bits of the prefix, not digits, and their sizes counted, not computed (Config.WedgeBits, Sizes).
//   - An orphan, a channel whose primary is across a border between prefixes, has a wedge like others (deputy.go). In the
//     paper it has too few pollers or too many.
//   - Polls are spread by slots, not at random (Config.Phases).
//   - The primary alone decides on a level. In the paper each member decides for those below it, on the same figures.
//   - All updates go by the primary, also those with a time of modification, which the paper has the finder share.
//   - Reports are checked. The paper trusts all nodes.
package corona
