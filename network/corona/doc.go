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
//     are few, by a tree of the network's router where there are many (dissemination.go).
//
// # Subscriptions
//
// A subscription is acknowledged when all owners hold it, and forgotten when it is not renewed. Package roster says how.
//
// # Reports
//
// A change is reported until the primary has dealt with it, at first by its hash alone; a primary that sees something else
// asks for the content. It becomes a version if it is (judge.go):
//
//   - new: neither several finders of one change nor mirrors with an old content make a version;
//   - true: the primary sees it too, or two other members of the wedge do. What the primary finds in its turn does not
//     wait for a check under way. A report counts as false if others who poll later see the content before it, until
//     they see what was reported (falsereporters.go);
//   - stable: a second change within a polling interval has to be seen twice, so that a content that differs from request
//     to request makes one version an interval. A return to an earlier content is believed after an interval and some
//     more polls (doubt.go).
//
// # Versions
//
// The primary's library takes a version first, which proves that it fits; then the other owners note the number; then it is
// sent. Of a first version only the number is sent, as subscribers have polled when they began.
//
//   - Primaries of a partitioned ring never give one number to two contents (number.go). Afterwards the highest number
//     holds; the primary compares its content with the origin's, and sends the latest to all (reunion.go). A node that has
//     the content under another number takes the number alone.
//   - Each subscriber is given each version once. After a partition it may miss one that only the other side had, but not
//     what leads to the latest. It may be given an older content and the newer one again if one side had not seen the
//     origin's last change. A Library that recognizes its last contents, as package node's does, shows neither.
//   - If the primary does not confirm a report within three seconds, the next owner makes the version. Its library keeps the
//     channel for that, though it may not poll it (relay.go). A new primary sends a young version again.
//   - Subscribers acknowledge. One that lacks a version asks whoever told it of the next, an owner and the origin, in this
//     order (missing.go); one that was away learns of the latest when it renews.
//   - All pollers keep what an origin asks for (Retry-After, least time between polls). What other nodes say of it is
//     believed for one polling interval; for more the primary asks the origin itself, once (limits.go).
//
// # Malicious nodes
//
// Where New is given keys, the finder signs what it has seen and an owner the number that it gives (signature.go). Pollers
// and subscribers accept an update only if its number can have been given by now, its giver is close enough to the channel
// to own it, and both have signed. A sender is ignored after three that are not signed as they should be, and older
// versions always. Whether a content is the origin's only polls can show (check.go).
//
//   - The headers of two contents with one number prove that their giver equivocates: owners and wedge learn of it, no node
//     takes it for an owner of anything for a day, and the next owner numbers above (equivocation.go). Only contents
//     whose hashes begin with the same 24 bits can have one number.
//   - Who is given a number above the owners', by a node that could own the channel, tells the owners; they number the next
//     version above it (floors.go). There always is a higher one: no number, and no stamp of a subscription, is accepted that
//     is more than a day ahead of the calendar.
//   - A primary that ignores or denies a report is bypassed: the report is routed to an alternate key near the channel, and
//     another owner deals with it (bypass.go). So are unacknowledged subscriptions and missing versions.
//   - Below a member of the wedge that drops updates, nodes find the changes in their slots, and ask for the version.
//   - Subscribers whose owners are all silent notice it when they renew or find something, and trace that they should poll
//     each interval (suspicion.go). If all owners lie and keep up appearances it takes a subscriber's own poll: a day at
//     most, in package node.
//
// Not promised:
//
//   - A node inside a tree can withhold a version from those below it until they ask an owner, once an interval.
//   - If a primary denies a report, and the owner that replaces it may not poll and finds no member to ask, subscribers
//     have to poll themselves: each eighth interval from then on.
//   - The sixteen nodes closest to a channel (all nodes of a ring of fewer than seventeen; some thirty as seen from afar) can
//     have subscribers shown an invented content until the owners number above it: soon if pollers are told it too, else
//     after the origin's next change.
//   - A content that the origin has replaced before an owner or a member that it asks could poll makes no version, however
//     many report it: two malicious reporters could otherwise add a content to each change. Machines so busy that a poll
//     takes longer than an origin keeps a content lose versions by that.
//   - Limits and slots are not signed. Members that drop updates are not told apart; a deputy can drop everything.
//
// Only the validity of signatures depends on the calendar. A finder whose clock is wrong by more than five minutes is asked
// whether it is the finder. A node whose clock is a day slow accepts no versions of channels whose origins date changes,
// and shows what it polls itself; one whose clock is a day fast has its subscriptions refused, and polls for itself. A
// clock before 2025 counts as not set.
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
